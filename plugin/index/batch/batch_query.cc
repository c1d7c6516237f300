#include "plugin/index/batch/batch_query.h"

#include "plugin/index/nearest.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace crawlsieve {

BatchQueries::BatchQueries(std::span<const Fingerprint> queries, int max_distance,
                           std::uint64_t stored, BatchScope scope)
    : queries_(queries),
      max_distance_(max_distance),
      scope_(scope),
      design_(ChooseBatchDesign(max_distance, queries.size(), stored)),
      levels_(queries, design_.blocks.front()) {
  assert(queries.size() < QueryTable::kNoQuery);
  for (const BatchBlock& block : std::span(design_.blocks).subspan(1)) {
    tables_.emplace_back(queries, block);
  }
}

BatchQuery::BatchQuery(const BatchQueries& queries, std::size_t most_matches)
    : queries_(queries),
      most_matches_(most_matches),
      candidates_(queries.levels_),
      windows_{LineWindow(queries.max_distance_), LineWindow(queries.max_distance_)} {
  pending_.reserve(kPiece);
}

void BatchQuery::Compare(std::span<const IndexEntry> stored) {
  if (queries_.scope_ == BatchScope::kGreater) {
    for (const IndexEntry& entry : stored) {
      if (last_ == entry.fingerprint) continue;
      last_ = entry.fingerprint;
      pending_.push_back(entry);
      if (pending_.size() == kPiece) ComparePending();
    }
    return;
  }
  while (!stored.empty()) {
    const auto piece = stored.first(std::min(kPiece - pending_.size(), stored.size()));
    pending_.insert(pending_.end(), piece.begin(), piece.end());
    stored = stored.subspan(piece.size());
    if (pending_.size() == kPiece) ComparePending();
  }
}

void BatchQuery::ComparePending() {
  CompareLeadingBits();
  for (std::size_t table = 0; table < queries_.tables_.size(); ++table) CompareTable(table);
  pending_.clear();
}

void BatchQuery::CompareLeadingBits() {
  LineWindow& window = windows_.front();
  const auto hit = [this](const Line* line, std::size_t slot, std::uint32_t owner) {
    const CandidateList& list = candidates_.list();
    const std::size_t index = list.IndexOf(line, slot);
    if (index < list.size()) AddIfNear(list.number(index), pending_[owner], 0);
  };
  for (std::uint32_t i = 0; i < pending_.size(); ++i) {
    const Fingerprint stored = pending_[i].fingerprint;
    if (!candidates_.AreOf(stored)) {
      window.Compare(hit);
      candidates_.MoveTo(stored);
    }
    for (const Line& line : candidates_.list().lines()) {
      window.Add(&line, static_cast<std::uint32_t>(stored.bits), i);
      if (window.is_full()) window.Compare(hit);
    }
  }
  window.Compare(hit);
}

void BatchQuery::CompareTable(std::size_t table_number) {
  const QueryTable& table = queries_.tables_[table_number];
  const auto hit = [&](const Line* line, std::size_t slot, std::uint32_t owner) {
    const std::uint32_t query = table.QueryAt(line, slot);
    if (query != QueryTable::kNoQuery) AddIfNear(query, pending_[owner], table_number + 1);
  };
  std::size_t filling = 0;
  for (std::uint32_t i = 0; i < pending_.size(); ++i) {
    if (i + kEntriesAhead < pending_.size()) {
      table.PrefetchBucket(table.ValueOf(pending_[i + kEntriesAhead].fingerprint));
    }
    const Fingerprint stored = pending_[i].fingerprint;
    for (const Line& line : table.Bucket(table.ValueOf(stored))) {
      __builtin_prefetch(&line);
      windows_[filling].Add(&line, table.WordOf(stored), i);
      if (!windows_[filling].is_full()) continue;
      filling = 1 - filling;
      windows_[filling].Compare(hit);
    }
  }
  windows_[1 - filling].Compare(hit);
  windows_[filling].Compare(hit);
}

void BatchQuery::AddIfNear(std::uint32_t query, const IndexEntry& entry, std::size_t block) {
  const Fingerprint asked = queries_.queries_[query];
  const int distance = HammingDistance(asked, entry.fingerprint);
  if (distance > queries_.max_distance_) return;
  if (queries_.scope_ == BatchScope::kGreater && entry.fingerprint.bits <= asked.bits) return;
  // It is found in each block within whose radius it is; the first one counts.
  const std::uint64_t differences = asked.bits ^ entry.fingerprint.bits;
  const auto before = std::span(queries_.design_.blocks).first(block);
  const bool found_before = std::any_of(before.begin(), before.end(), [&](const BatchBlock& other) {
    return other.Holds(differences);
  });
  if (found_before || matches_.size() == most_matches_) return;
  matches_.push_back({query, {entry.document, entry.fingerprint, distance}});
}

std::vector<BatchMatch> BatchQuery::TakeMatches() {
  ComparePending();
  return std::exchange(matches_, {});
}

std::vector<std::vector<Match>> MatchesByQuery(std::size_t queries,
                                               std::span<const std::vector<BatchMatch>> passes) {
  std::vector<std::vector<Match>> by_query(queries);
  for (const std::vector<BatchMatch>& pass : passes) {
    for (const BatchMatch& found : pass) by_query[found.query].push_back(found.match);
  }
  for (std::vector<Match>& matches : by_query) KeepNearest(matches, matches.size());
  return by_query;
}

}  // namespace crawlsieve

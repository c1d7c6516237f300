#include "plugin/judge/read_ahead.h"

#include "plugin/base/on_threads.h"
#include "plugin/judge/asked_url.h"
#include "plugin/judge/decision.h"
#include "plugin/judge/rows.h"
#include "plugin/judge/score_rows.h"

#include <algorithm>
#include <span>
#include <utility>

namespace crawlsieve {
namespace {

/// Fewer are not worth a thread, whose start takes some 20 microseconds.
constexpr std::size_t kLeastPerThread = 32;

}  // namespace

void ReadAhead::Reader::Want(Table table, std::string_view key) {
  rows_[static_cast<std::size_t>(table)].PutIfNew(key);
}

void ReadAhead::Reader::Fetch() {
  for (std::size_t i = 0; i < kTableCount; ++i) {
    if (fetched_[i] == rows_[i].rows().size()) continue;
    // Whoever needs a row that can't be read reads it again, and reports that.
    if (!store_.GetAll(static_cast<Table>(i), rows_[i], fetched_[i])) rows_[i].Clear();
    fetched_[i] = rows_[i].rows().size();
  }
}

Result<RowMap::Value> ReadAhead::Reader::Row(Table table, std::string_view key) {
  return rows_[static_cast<std::size_t>(table)].Find(key).value_or(std::nullopt);
}

Result<FoundCandidates> ReadAhead::Reader::Candidates(Fingerprint query, const Reach& reach) {
  const auto [known, is_new] = answers_.try_emplace(query.bits);
  auto& [asked, matches] = known->second;
  if (is_new || asked != reach) {
    asked = reach;
    index_.Find(query, reach.max_distance, reach.limit, matches, &work_);
  }
  if (others_ != nullptr) {
    others_->NameDocuments(query, reach,
                           [this](DocId id) { Want(Table::kDocuments, DocumentRow::Key(id)); });
  }
  return FoundCandidates{matches, true};
}

LookupWork ReadAhead::Read(const Store& store, const HammingIndex& index,
                           const CandidateSource* remote, std::span<const log::Entry> entries,
                           const ReadRules& rules, std::size_t threads) {
  Clear();
  threads = std::clamp<std::size_t>(entries.size() / kLeastPerThread, 1,
                                    std::max<std::size_t>(threads, 1));
  readers_.reserve(threads);
  for (std::size_t t = 0; t < threads; ++t) readers_.emplace_back(store, index, remote);
  const auto read_share = [&](std::size_t t) {
    Reader& reader = readers_[t];
    const RowNamer want = [&reader](Table table, std::string_view key) { reader.Want(table, key); };
    const bool with_scores = rules.purpose == Purpose::kVerdictsAndScores;
    ScoreRows scores(rules, threads);
    for (std::size_t i = t; i < entries.size(); i += threads) {
      if (entries[i].has_page()) NameFirstRows(entries[i].page(), rules, want);
      if (entries[i].has_page() && with_scores) scores.NameFirst(entries[i].page(), want);
      if (entries[i].has_question())
        NameRowsOfQuestion(entries[i].question(), rules.parameters, want);
    }
    reader.Fetch();
    for (std::size_t i = t; i < entries.size(); i += threads) {
      if (entries[i].has_page()) NameDocuments(entries[i].page(), rules, reader, want);
    }
    scores.NameParts(reader, want);
    reader.Fetch();
  };
  OnThreads(threads, read_share);
  LookupWork work;
  for (const Reader& reader : readers_) {
    work.probes += reader.work_.probes;
    work.candidates += reader.work_.candidates;
  }
  return work;
}

void ReadAhead::ReadRows(const Store& store, const HammingIndex& index, Table table,
                         std::span<const std::string> keys) {
  if (readers_.empty()) readers_.emplace_back(store, index, nullptr);
  Reader& reader = readers_.front();
  for (const std::string& key : keys) reader.Want(table, key);
  reader.Fetch();
}

std::optional<RowMap::Value> ReadAhead::Row(Table table, std::string_view key) const {
  for (const Reader& reader : readers_) {
    if (const auto row = reader.rows_[static_cast<std::size_t>(table)].Find(key)) return row;
  }
  return std::nullopt;
}

std::vector<std::optional<RowMap::Value>> ReadAhead::Rows(Table table,
                                                          const RowMap::Keys& keys) const {
  std::vector<std::optional<RowMap::Value>> rows(keys.keys().size());
  for (const Reader& reader : readers_) {
    const auto found = reader.rows_[static_cast<std::size_t>(table)].FindAll(keys);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (found[i].has_value()) rows[i] = found[i];
    }
  }
  return rows;
}

const std::vector<Match>* ReadAhead::Matches(Fingerprint query, const Reach& reach) const {
  for (const Reader& reader : readers_) {
    const auto known = reader.answers_.find(query.bits);
    if (known != reader.answers_.end() && known->second.reach == reach) {
      return &known->second.matches;
    }
  }
  return nullptr;
}

}  // namespace crawlsieve

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
  const auto i = static_cast<std::size_t>(table);
  if (!rows_[i].Find(key).has_value()) wanted_[i].Put(key, std::nullopt);
}

void ReadAhead::Reader::Fetch() {
  std::vector<std::string_view> keys;
  for (std::size_t i = 0; i < kTableCount; ++i) {
    if (wanted_[i].empty()) continue;
    keys.clear();
    for (const RowMap::Row& row : wanted_[i].rows()) keys.push_back(row.key);
    // Whoever needs a row that can't be read reads it again, and reports that.
    (void)store_.GetAll(static_cast<Table>(i), keys, rows_[i]);
    wanted_[i].Clear();
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

void ReadAhead::Reader::Take(Reader& other) {
  for (std::size_t table = 0; table < rows_.size(); ++table)
    rows_[table].PutAll(other.rows_[table]);
  answers_.merge(other.answers_);
  work_.probes += other.work_.probes;
  work_.candidates += other.work_.candidates;
}

LookupWork ReadAhead::Read(const Store& store, const HammingIndex& index,
                           const CandidateSource* remote, std::span<const log::Entry> entries,
                           const ReadRules& rules, std::size_t threads) {
  Clear();
  threads = std::clamp<std::size_t>(entries.size() / kLeastPerThread, 1,
                                    std::max<std::size_t>(threads, 1));
  std::vector<Reader> readers;
  readers.reserve(threads);
  for (std::size_t t = 0; t < threads; ++t) readers.emplace_back(store, index, remote);
  const auto read_share = [&](std::size_t t) {
    Reader& reader = readers[t];
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
  // Into one, so that a row is looked for once.
  read_.emplace(std::move(readers.front()));
  for (Reader& reader : std::span(readers).subspan(1)) read_->Take(reader);
  return read_->work_;
}

void ReadAhead::ReadRows(const Store& store, const HammingIndex& index, Table table,
                         std::span<const std::string> keys) {
  if (!read_.has_value()) read_.emplace(store, index, nullptr);
  for (const std::string& key : keys) read_->Want(table, key);
  read_->Fetch();
}

std::optional<RowMap::Value> ReadAhead::Row(Table table, std::string_view key) const {
  if (!read_.has_value()) return std::nullopt;
  return read_->rows_[static_cast<std::size_t>(table)].Find(key);
}

std::vector<std::optional<RowMap::Value>> ReadAhead::Rows(
    Table table, std::span<const std::string_view> keys) const {
  if (!read_.has_value()) return std::vector<std::optional<RowMap::Value>>(keys.size());
  return read_->rows_[static_cast<std::size_t>(table)].FindAll(keys);
}

const std::vector<Match>* ReadAhead::Matches(Fingerprint query, const Reach& reach) const {
  if (!read_.has_value()) return nullptr;
  const auto known = read_->answers_.find(query.bits);
  if (known == read_->answers_.end() || known->second.reach != reach) return nullptr;
  return &known->second.matches;
}

}  // namespace crawlsieve

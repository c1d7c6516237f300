#include "plugin/judge/overlay.h"

#include "plugin/base/result.h"
#include "plugin/state/range.h"

namespace crawlsieve {

Result<RowMap::Value> Overlay::Row(Table table, std::string_view key) {
  if (const auto changed = rows_.Find(table, key)) return *changed;
  if (const auto read = ahead_.Row(table, key)) return *read;
  return stored_.Row(table, key);
}

Result<RowValues> Overlay::Rows(Table table, std::span<const std::string_view> keys) {
  const RowMap::Keys wanted(keys);
  return RowsOver(table, wanted, rows_.FindAll(table, wanted));
}

Result<RowValues> Overlay::RowsOver(Table table, const RowMap::Keys& keys,
                                    std::span<const std::optional<RowMap::Value>> changed) const {
  RowValues rows;
  rows.values.resize(changed.size());
  const auto read_ahead = ahead_.Rows(table, keys);
  std::vector<std::size_t> unknown;
  for (std::size_t i = 0; i < rows.values.size(); ++i) {
    if (changed[i].has_value()) {
      rows.values[i] = *changed[i];
    } else if (read_ahead[i].has_value()) {
      rows.values[i] = *read_ahead[i];
    } else {
      rows.copies.PutIfNew(keys.keys()[i]);
      unknown.push_back(i);
    }
  }
  if (unknown.empty()) return rows;
  CRAWLSIEVE_RETURN_IF_ERROR(store_.GetAll(table, rows.copies));
  for (const std::size_t i : unknown) rows.values[i] = *rows.copies.Find(keys.keys()[i]);
  return rows;
}

RowHistory::Before RowsAsOf::Changed(Table table, std::string_view key,
                                     const RowMap::Value& now) const {
  return history_.Find(table, key, entry_).value_or(RowHistory::Before(std::in_place, now));
}

Result<RowMap::Value> RowsAsOf::Row(Table table, std::string_view key) {
  if (const auto now = overlay_.rows_.Find(table, key)) {
    if (const auto changed = Changed(table, key, *now)) return *changed;
  }
  if (const auto read = overlay_.ahead_.Row(table, key)) return *read;
  return stored_.Row(table, key);
}

Result<RowValues> RowsAsOf::Rows(Table table, std::span<const std::string_view> keys) {
  const RowMap::Keys wanted(keys);
  auto changed = overlay_.rows_.FindAll(table, wanted);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (changed[i].has_value()) changed[i] = Changed(table, keys[i], *changed[i]);
  }
  return overlay_.RowsOver(table, wanted, changed);
}

Result<FoundCandidates> Overlay::Candidates(Fingerprint query, const Reach& reach) {
  Find(query, reach);
  if (others_ == nullptr) return FoundCandidates{matches_, true};
  CRAWLSIEVE_ASSIGN_OR_RETURN(const bool is_whole,
                              others_->Complete(page_, query, reach, *this, matches_));
  has_asked_ = true;
  return FoundCandidates{matches_, is_whole};
}

void Overlay::Find(Fingerprint query, const Reach& reach) {
  if (const std::vector<Match>* known = ahead_.Matches(query, reach)) {
    matches_ = *known;
    if (index_.Update(query, reach, changes_before_ahead_, matches_)) return;
  }
  index_.get().Find(query, reach.max_distance, reach.limit, matches_, &lookup_work_);
}

Result<std::vector<Store::Row>> Overlay::Range(Table table, std::string_view prefix,
                                               std::string_view from, std::size_t limit) const {
  return ChangedRange(rows_, table, prefix, from, limit,
                      [&](std::string_view next, std::size_t count) {
                        return store_.Range(table, prefix, next, count);
                      });
}

void Overlay::ReadAheadFor(std::span<const log::Entry> entries, const ReadRules& rules,
                           std::size_t threads) {
  changes_before_ahead_ = index_.change_count();
  const LookupWork work = ahead_.Read(store_, index_.get(), others_, entries, rules, threads);
  lookup_work_.probes += work.probes;
  lookup_work_.candidates += work.candidates;
}

void Overlay::Commit() {
  rows_.Clear();
  index_.Commit();
}

bool Overlay::Discard() {
  ahead_.Clear();
  rows_.Clear();
  return index_.Undo();
}

}  // namespace crawlsieve

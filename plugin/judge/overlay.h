#pragma once

#include "plugin/judge/candidate_source.h"
#include "plugin/judge/changed_index.h"
#include "plugin/judge/read_ahead.h"
#include "plugin/judge/row_history.h"
#include "plugin/judge/view.h"
#include "plugin/log/entry.pb.h"
#include "plugin/state/store.h"
#include "plugin/verdict/parameters.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve {

/// The state as it is behind the last folded entry: rows that were changed since the last commit,
/// over rows that were read ahead, over those of the store; and the index with its changes.
/// Thread-compatible. Borrows the store, which mustn't change but by what is committed here.
class Overlay final : public JudgeView {
 public:
  /// `others`, where given, knows the candidates that are not in the index here.
  explicit Overlay(const Store& store, CandidateSource* others = nullptr)
      : stored_(store), store_(store), others_(others) {}

  [[nodiscard]] Result<RowMap::Value> Row(Table table, std::string_view key) override;

  [[nodiscard]] Result<RowValues> Rows(Table table,
                                       std::span<const std::string_view> keys) override;
  [[nodiscard]] Result<FoundCandidates> Candidates(Fingerprint query, const Reach& reach) override;

  /// The next Candidates are for the page that will be document `page`.
  void BeginPage(DocId page) {
    page_ = page;
    has_asked_ = false;
  }
  /// What Candidates gave since BeginPage; null: it wasn't called.
  [[nodiscard]] const std::vector<Match>* asked() const { return has_asked_ ? &matches_ : nullptr; }

  /// Reads what judging the pages among `entries` will ask for, on `threads` threads at most.
  void ReadAheadFor(std::span<const log::Entry> entries, const ReadRules& rules,
                    std::size_t threads);

  /// Reads rows together that will be asked for one by one.
  void ReadRows(Table table, std::span<const std::string> keys) {
    ahead_.ReadRows(store_, index_.get(), table, keys);
  }

  /// Forgets what was read ahead: needed before the store changes.
  void ForgetReadAhead() { ahead_.Clear(); }

  /// As Store::Range, of the state as it is.
  [[nodiscard]] Result<std::vector<Store::Row>> Range(Table table, std::string_view prefix,
                                                      std::string_view from,
                                                      std::size_t limit) const;

  /// The store has the changes.
  void Commit();

  /// Forgets the changes, in the index too. Whether documents were put back into it.
  bool Discard();

  [[nodiscard]] Changes& rows() { return rows_; }
  [[nodiscard]] ChangedIndex& index() { return index_; }
  [[nodiscard]] const ChangedIndex& index() const { return index_; }

  /// Work of all lookups in the index so far.
  [[nodiscard]] const LookupWork& lookup_work() const { return lookup_work_; }

 private:
  friend class RowsAsOf;

  /// Rows, of which `changed` is known.
  [[nodiscard]] Result<RowValues> RowsOver(
      Table table, const RowMap::Keys& keys,
      std::span<const std::optional<RowMap::Value>> changed) const;

  /// Sets matches_ to what the index answers, with its changes.
  void Find(Fingerprint query, const Reach& reach);

  Changes rows_;
  ReadAhead ahead_;
  StoredRows stored_;
  const Store& store_;
  CandidateSource* const others_;
  ChangedIndex index_;
  DocId page_;
  bool has_asked_ = false;
  std::size_t changes_before_ahead_ = 0;  ///< changes of the index that answers read ahead have
  std::vector<Match> matches_;            ///< of the last Candidates
  LookupWork lookup_work_;
};

/// The rows of an overlay as they were behind an earlier entry. Any number of threads may have one
/// each at the same time, as long as the overlay doesn't change. Borrows both.
class RowsAsOf final : public RowReader {
 public:
  RowsAsOf(const Overlay& overlay, const RowHistory& history, std::uint64_t entry)
      : overlay_(overlay), history_(history), entry_(entry), stored_(overlay.store_) {}

  [[nodiscard]] Result<RowMap::Value> Row(Table table, std::string_view key) override;

  [[nodiscard]] Result<RowValues> Rows(Table table,
                                       std::span<const std::string_view> keys) override;

 private:
  /// What is known of a row that has changed by now.
  [[nodiscard]] RowHistory::Before Changed(Table table, std::string_view key,
                                           const RowMap::Value& now) const;

  const Overlay& overlay_;
  const RowHistory& history_;
  const std::uint64_t entry_;
  StoredRows stored_;
};

}  // namespace crawlsieve

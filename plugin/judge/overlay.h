#pragma once

#include "plugin/judge/changed_index.h"
#include "plugin/judge/read_ahead.h"
#include "plugin/judge/view.h"
#include "plugin/log/entry.pb.h"
#include "plugin/state/store.h"
#include "plugin/verdict/parameters.h"

#include <cstddef>
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
  explicit Overlay(const Store& store) : stored_(store), store_(store) {}

  [[nodiscard]] Result<RowMap::Value> Row(Table table, std::string_view key) override;
  [[nodiscard]] std::span<const Match> Candidates(Fingerprint query, const Reach& reach) override;

  /// Reads what judging the pages among `entries` will ask for, on `threads` threads at most.
  void ReadAheadFor(std::span<const log::Entry> entries, const JudgeParameters& parameters,
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
  Changes rows_;
  ReadAhead ahead_;
  StoredRows stored_;
  const Store& store_;
  ChangedIndex index_;
  std::size_t changes_before_ahead_ = 0;  ///< changes of the index that answers read ahead have
  std::vector<Match> matches_;            ///< of the last Candidates
  LookupWork lookup_work_;
};

}  // namespace crawlsieve

#pragma once

#include "plugin/index/fingerprint_list.h"
#include "plugin/index/hamming_index.h"
#include "plugin/judge/view.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace crawlsieve {

/// The judge's index, with the changes to it that aren't committed and can be undone.
/// Thread-compatible.
class ChangedIndex {
 public:
  /// Takes another index in place of the one before, which is freed. Once it is filled with what is
  /// committed, Redo makes the other changes in it.
  void Replace(std::unique_ptr<HammingIndex> index) { index_ = std::move(index); }
  void Redo();

  [[nodiscard]] const HammingIndex& get() const { return *index_; }
  [[nodiscard]] HammingIndex& get() { return *index_; }

  void Insert(const IndexEntry& entry);
  void Remove(const IndexEntry& entry);

  /// What was taken out since the last commit.
  [[nodiscard]] std::vector<IndexEntry> Removed() const;

  /// What was put in since the last commit.
  [[nodiscard]] std::vector<IndexEntry> Inserted() const;

  /// How many more were put in than taken out since the last commit.
  [[nodiscard]] std::int64_t balance() const { return balance_; }

  /// Changes since the last commit.
  [[nodiscard]] std::size_t change_count() const { return changes_.size(); }

  /// The changes can no longer be undone.
  void Commit();

  /// Undoes the changes since the last commit. Whether documents were put back.
  bool Undo();

  /// Brings an answer of Find, given when there were `since` changes, to what Find would give now.
  /// False: that isn't known without asking the index.
  [[nodiscard]] bool Update(Fingerprint query, const Reach& reach, std::size_t since,
                            std::vector<Match>& answer);

 private:
  struct Change {
    bool inserted;
    IndexEntry entry;
  };

  void Note(const Change& change);

  std::unique_ptr<HammingIndex> index_;
  std::vector<Change> changes_;   ///< since the last commit
  FingerprintList fingerprints_;  ///< of each of them
  std::int64_t balance_ = 0;
  std::vector<std::size_t> nearby_;  ///< reused by Update
};

}  // namespace crawlsieve

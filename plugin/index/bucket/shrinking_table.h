#pragma once

#include "plugin/index/bucket/bucket_table.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace crawlsieve {

/// A BucketTable that gives memory back when keys have gone. A smaller table is filled beside it,
/// piece by piece in the order of the keys, and takes its place in the end. Until then all is read
/// from the one that was there, and a change of a key that was copied is made in both.
///
/// Thread-compatible: the index's locks guard it.
class ShrinkingTable {
 public:
  explicit ShrinkingTable(BucketTable&& table)
      : now_(std::make_unique<BucketTable>(std::move(table))) {}

  /// What is read. Valid until a GoOn that returns true.
  [[nodiscard]] const BucketTable& get() const { return *now_; }

  void Reserve(const TableLayout& layout, std::uint64_t last_document) {
    now_->Reserve(layout, last_document);
  }
  void Insert(std::uint64_t key, std::uint64_t document);
  bool Erase(std::uint64_t key);
  void SetDocument(std::uint64_t key, std::uint64_t document);

  [[nodiscard]] std::uint64_t size() const { return keys_; }
  /// Memory taken, in bytes.
  [[nodiscard]] std::uint64_t bytes() const;

  /// Whether so many keys have gone that a smaller table is worth its making, and none is being
  /// made.
  [[nodiscard]] bool IsTooLarge() const {
    return next_ == nullptr && most_keys_ >= kFewestKeys &&
           keys_ * kParts <= most_keys_ * (kParts - 1);
  }

  /// Begins a smaller one, laid out for the keys there are. False: most of them are in nests, which
  /// would come out larger.
  bool Begin(const TableLayout& layout);

  /// Copies about `keys` keys, a few hundred more at most. True: that was all, and the table that
  /// was there is gone. Only after Begin.
  bool GoOn(std::size_t keys);

 private:
  /// A smaller table is made when one in so many keys has gone.
  static constexpr std::uint64_t kParts = 20;
  static constexpr std::uint64_t kFewestKeys = 4096;

  [[nodiscard]] bool IsCopied(std::uint64_t key) const { return next_ != nullptr && key < begin_; }
  /// How many keys' worth of room from begin_ on to copy next, a power of two.
  [[nodiscard]] std::uint64_t NextPiece() const;

  std::unique_ptr<BucketTable> now_;
  std::unique_ptr<BucketTable> next_;
  std::uint64_t begin_ = 0;      // of what isn't in next_ yet
  std::uint64_t keys_ = 0;       // in now_
  std::uint64_t most_keys_ = 0;  // since now_ was begun
};

}  // namespace crawlsieve

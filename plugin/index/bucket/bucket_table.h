#pragma once

#include "plugin/index/base/line.h"
#include "plugin/index/base/radius.h"
#include "plugin/index/bucket/cells.h"
#include "plugin/index/bucket/document_ref.h"
#include "plugin/index/bucket/probe_queue.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace crawlsieve {

class Nest;

/// How an empty table is laid out for keys to come.
struct TableLayout {
  int address_bits = 0;
  int run = 1;                    ///< lines side by side for each bucket
  double lines_per_bucket = 1.0;  ///< in all
};

/// A set of keys of `key_bits` bits, in buckets by their leading ("address") bits.
///
///     key:      | address bits: which bucket | stored bits: in a slot of one of its lines |
///
///     lines:    | cell 0    | cell 1    | cell 2        | cell 3        |
///                 old layout, shorter   ^ frontier: from here on cells have the new layout
///
///     a cell:   | run of bucket 0 | run of bucket 1 | ... | run of bucket 15 | overflow lines |
///                 full .. full, next ------------------------------------------> open, next
///                                                                                full, next
///                                                           (or one of the FarLines) full, 0
///
/// Sixteen buckets are a cell: their first lines (runs), then the overflow lines that continue full
/// buckets, all side by side, so that a bucket is mostly read from one page of memory. Cells lie
/// side by side in one array. As keys come the table makes room cell by cell, from the last to the
/// first: it moves cells up to make each longer by an eighth, and when there are about as many
/// overflow lines as first ones, splits them in two by one more address bit (linear hashing,
/// Litwin, VLDB 1980, but in key order and with cells of any length). A change moves a few
/// kilobytes at most.
///
/// A bucket that is far longer than the others, because its keys have more bits in common than
/// chance would give them, becomes a Nest.
///
/// The table may hold a document number of 40 bits with each key. They take four bytes each, and
/// five once there are larger ones: cells are laid out anew for that one by one, as for more keys,
/// from the moment the numbers come near.
///
/// Invariants, between calls:
/// * A bucket's lines have keys in the order run, then chain of overflow lines, and all of them but
///   one are full: the last of the run that has keys, or the first of the chain.
/// * `next` of the last line of a run begins the chain. A line is in one chain at most.
/// * A line's slots 0 to count - 1 have keys, in no order; a free overflow line has count 0.
/// * Cells below the frontier have the old layout, the others the new one.
/// * The first line of a nested bucket has the count kNested, its lines have no keys, and nests_
///   has a nest at the largest first key that is not past the bucket's.
///
/// Thread-compatible: the index's locks guard it.
class BucketTable {
 public:
  /// `key_bits` < 64, `max_address_bits` <= 32 and <= key_bits. `max_distance`: of lookups.
  /// `prefix`: what lookups find in front of each key, above its bits.
  BucketTable(int key_bits, int max_address_bits, int max_distance, bool with_documents,
              std::uint64_t prefix = 0);
  ~BucketTable();
  BucketTable(BucketTable&&) noexcept;
  BucketTable& operator=(BucketTable&&) = delete;

  /// Lays an empty table out. What comes in order needs that: it fills one bucket after the other,
  /// and each of the first would seem far longer than the others. Fewer address bits than a cell's
  /// buckets need are taken for as many as that.
  void Reserve(const TableLayout& layout, std::uint64_t last_document);

  /// An empty table for the same keys and documents, laid out.
  [[nodiscard]] std::unique_ptr<BucketTable> MakeEmpty(const TableLayout& layout) const;

  /// Adds a key that isn't there. `document` < 2^40.
  void Insert(std::uint64_t key, std::uint64_t document);

  /// Takes out a key; false if it isn't there.
  bool Erase(std::uint64_t key);

  [[nodiscard]] bool Contains(std::uint64_t key) const;

  /// Where the document number of a key is; nowhere if the key isn't there. Only of a table with
  /// documents.
  [[nodiscard]] DocumentRef Find(std::uint64_t key) const;

  /// Gives a key that is there another document number.
  void SetDocument(std::uint64_t key, std::uint64_t document);

  /// Calls visit(key, document) for all keys from `first` to `last`, in any order.
  void ForEach(std::uint64_t first, std::uint64_t last,
               const std::function<void(std::uint64_t, std::uint64_t)>& visit) const;

  /// About how many keys there are from `first` to `last`: as if all buckets were as long, and
  /// nested ones as they are.
  [[nodiscard]] std::uint64_t EstimateWithin(std::uint64_t first, std::uint64_t last) const;

  /// Queues every bucket whose address differs from the key's in at most `radius` bits.
  void Enqueue(ProbeQueue& queue, std::uint16_t query, std::uint64_t key, int radius,
               int budget) const;

  /// Starts loading what an Insert, Erase or Find of the key will look at first.
  void Prefetch(std::uint64_t key) const;
  /// ... and then, when that has come, what an Insert will look at next.
  void PrefetchOverflow(std::uint64_t key) const;

  /// Memory taken, in bytes.
  [[nodiscard]] std::uint64_t bytes() const;

  [[nodiscard]] std::uint64_t size() const;

  [[nodiscard]] int key_bits() const { return key_bits_; }

  /// Keys that are in a Nest.
  [[nodiscard]] std::uint64_t nested_keys() const { return size() - keys_in_lines_; }

  /// Number of buckets that became a Nest.
  [[nodiscard]] std::size_t nests() const { return nests_.size(); }

 private:
  friend class ProbeQueue;

  /// Where a key is, or line == null.
  struct Place {
    Line* line = nullptr;
    std::uint32_t slot = 0;
  };

  static constexpr int kMaxCellBits = 4;
  // Document numbers from which on others are to be expected that take five bytes.
  static constexpr std::uint64_t kNearlyWide = 0xf000'0000;

  struct MovingKey {
    std::uint64_t key;
    std::uint64_t document;
  };
  struct MovingLine {
    Line line;
    std::array<std::uint64_t, 12> documents;
  };

  [[nodiscard]] const CellLayout& LayoutOf(bool old) const {
    return old ? cells_.old_layout() : cells_.new_layout();
  }
  /// The line of a bucket's run that is filled in a bucket as long as the others.
  [[nodiscard]] Line* UsualEnd(const Bucket& bucket) const;

  /// Calls visit(key, document) for the keys in the lines of a bucket.
  template <typename Visit>
  void ForEachInBucket(const Bucket& bucket, const Visit& visit) const;

  [[nodiscard]] Place Locate(std::uint64_t key) const;
  /// Insert, without making room.
  void Append(std::uint64_t key, std::uint64_t document);
  [[nodiscard]] bool IsTooLong(const Bucket& bucket) const;

  void NestBucket(const Bucket& bucket);
  /// Calls visit(nest, first, last) for the nests with keys of a range, with the keys in there.
  template <typename Visit>
  void ForEachNest(std::uint64_t first, std::uint64_t last, const Visit& visit) const;
  /// Writes the headers of all buckets whose keys belong, or would, to the nest that begins at a
  /// key.
  void SetHeads(std::uint64_t first_key, const Nest& nest, std::uint32_t header);
  /// The nest of a bucket whose head says it has one.
  [[nodiscard]] Nest& NestOf(std::uint64_t key) const;

  // Making room: make_room.cc.

  [[nodiscard]] CellLayout LayoutFor(int address_bits, std::uint64_t run,
                                     std::uint64_t stride) const;
  /// Whether cells are to be laid out anew, for more keys or wider document numbers.
  [[nodiscard]] bool NeedsNextLayout() const {
    return cells_.NearlyFull() || NeedsWiderDocuments();
  }
  /// The layout that makes more room than the new one, or the new one itself if there is none.
  [[nodiscard]] CellLayout NextLayout() const;
  [[nodiscard]] bool NeedsWiderDocuments() const {
    return wide_documents_ && cells_.old_layout().document_bytes != DocumentRef::kWide;
  }
  /// Notes what a document number that is to be written asks of the layout, and sees to it.
  void MakeWideEnough(std::uint64_t document);
  /// Lays out the next cell anew; false if there is no next layout.
  bool MakeRoom();
  /// Moves a cell whose buckets or document numbers are laid out anew.
  void MoveCell(std::uint64_t cell);
  void SplitCell(std::uint64_t cell);
  /// Number of documents that a line has.
  [[nodiscard]] std::uint32_t DocumentsIn(const Line& line) const {
    return with_documents_ && Count(line) != kNested ? Count(line) : 0;
  }
  /// Copies a bucket's lines behind those that are moving; the number of these then.
  std::size_t TakeLines(const Bucket& bucket, std::vector<MovingLine>& moving) const;
  /// Fills an empty bucket.
  void PutLines(const Bucket& bucket, std::span<const MovingLine> moving);

  const int key_bits_;
  const int max_address_bits_;
  const int max_distance_;
  const bool with_documents_;
  const std::uint64_t prefix_;
  bool wide_documents_ = false;  // new layouts have five bytes for each
  Cells cells_;
  std::uint64_t keys_in_lines_ = 0;
  // By the smallest key that belongs there. A nest stays as it is when cells are split: then
  // several buckets share it.
  std::map<std::uint64_t, std::unique_ptr<Nest>> nests_;
};

template <typename Visit>
void BucketTable::ForEachInBucket(const Bucket& bucket, const Visit& visit) const {
  const std::uint64_t prefix = bucket.address << bucket.layout->stored_bits;
  for (Line* line = bucket.first; line != nullptr; line = cells_.Following(bucket, line)) {
    for (std::uint32_t slot = 0; slot < Count(*line); ++slot) {
      visit(prefix | LoadKey(*line, bucket.layout->format, slot),
            with_documents_ ? cells_.DocumentAt(*bucket.layout, line, slot).Read() : 0);
    }
  }
}

inline void BucketTable::Enqueue(ProbeQueue& queue, std::uint16_t query, std::uint64_t key,
                                 int radius, int budget) const {
  if (cells_.empty()) return;
  // Copies of what the loops read: the compiler can't see that the queue's memory is none of it.
  const CellLayout& before = cells_.old_layout();
  const CellLayout& now = cells_.new_layout();
  const Line* const lines = cells_.lines();
  const std::uint64_t frontier = cells_.frontier();
  const int cell_bits = cells_.cell_bits();
  const std::uint64_t cell_mask = (std::uint64_t{1} << cell_bits) - 1;
  const std::array<std::uint64_t, 2> strides{now.stride, before.stride};
  const std::array<std::uint64_t, 2> runs{now.run, before.run};
  const std::uint64_t longest_run = std::max(runs[0], runs[1]);
  std::uint64_t probes = 0;
  // Of one layout, or of both if they have the same addresses.
  const auto enqueue = [&](const CellLayout& layout, int cell_shift, auto wanted) {
    const std::uint64_t own = key >> layout.stored_bits;
    const auto word = static_cast<std::uint32_t>(layout.StoredPart(key));
    for (int flips = 0; flips <= std::min<int>(radius, layout.address_bits); ++flips) {
      const auto reach = static_cast<std::uint32_t>(budget - flips);
      for (const std::uint32_t mask : MasksOfWeight(layout.address_bits, flips)) {
        const std::uint64_t address = own ^ mask;
        const bool is_old = (address >> cell_shift) < frontier;
        const bool here = wanted(is_old);
        const std::uint64_t line =
            (address >> cell_bits) * strides[is_old] + (address & cell_mask) * runs[is_old];
        const Line* const first = lines + (here ? line : 0);
        const ProbeQueue::Probe probe{this, static_cast<std::uint32_t>(address), query, is_old};
        if (longest_run == 1) {
          queue.Push(probe, first, word, reach, here);
        } else {
          for (std::uint64_t i = 0; here && i < runs[is_old]; ++i) {
            queue.Push(probe, first + i, word, reach);
          }
        }
        probes += here ? 1 : 0;
      }
    }
  };
  if (before.address_bits == now.address_bits) {
    enqueue(now, cell_bits, [](bool) { return true; });
  } else {
    enqueue(before, cell_bits, [](bool is_old) { return is_old; });
    enqueue(now, cell_bits + now.address_bits - before.address_bits,
            [](bool is_old) { return !is_old; });
  }
  queue.CountProbes(probes);
}

}  // namespace crawlsieve

#pragma once

#include "plugin/index/base/kernel.h"
#include "plugin/index/base/line.h"
#include "plugin/index/base/line_array.h"
#include "plugin/index/base/radius.h"
#include "plugin/index/bucket/document_ref.h"

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

class BucketTable;
class Nest;

/// A key within reach of a query.
struct Hit {
  std::uint32_t query;   ///< which query of the ProbeQueue
  std::uint64_t key;     ///< in the query's bit order
  DocumentRef document;  ///< nowhere if the table doesn't say
};

/// Number of buckets looked into and of keys compared.
struct ProbeWork {
  std::uint64_t probes = 0;
  std::uint64_t candidates = 0;
};

/// The lines a lookup is going to read. A line is prefetched when it comes in and compared when
/// dozens more have been asked for, so the memory latencies of all the probes of a lookup overlap;
/// the lines that continue a full bucket queue up behind.
///
/// Thread-compatible; lives on the stack of one lookup.
class ProbeQueue {
 public:
  /// Where a line comes from.
  struct Probe {
    const BucketTable* table;
    std::uint32_t address;  ///< of its bucket
    std::uint16_t query;
    bool old_layout;  ///< whether its cell is still laid out as the table's old ones
  };

  /// Appends to `hits` the keys that differ from queries[q] in at most `max_distance` bits, a key
  /// once for each time it is come across. Keeps references to all its arguments.
  ProbeQueue(std::span<const std::uint64_t> queries, int max_distance, std::vector<Hit>& hits)
      : kernel_(BestKernel().run), queries_(queries), max_distance_(max_distance), hits_(hits) {}

  /// Queues a line if it is `wanted`: asking that here takes no branch. `word` is the low 32 of the
  /// bits that its keys are stored with, of the query, and `budget` the number of stored bits in
  /// which a key may differ.
  void Push(const Probe& probe, const Line* line, std::uint32_t word, std::uint32_t budget,
            bool wanted = true) {
    Append(probe, line, word, budget, wanted);
    while (end_ - begin_ >= kCapacity - kBatch) ProcessBatch(kBatch);
  }

  /// Compares what is still queued.
  void Drain() {
    while (begin_ != end_) ProcessBatch(kLastBatch);
  }

  [[nodiscard]] const ProbeWork& work() const { return work_; }
  void CountProbes(std::uint64_t probes) { work_.probes += probes; }

 private:
  // Fewer than kCapacity - kBatch are queued but within Push, so a batch has room for what
  // continues its lines.
  static constexpr std::size_t kCapacity = 128;
  static constexpr std::size_t kBatch = 16;
  // When nothing else is to be asked for, what continues a bucket is asked for sooner.
  static constexpr std::size_t kLastBatch = 4;
  static_assert(kLastBatch <= kBatch && 2 * kBatch <= kCapacity);

  void Append(const Probe& probe, const Line* line, std::uint32_t word, std::uint32_t budget,
              bool wanted) {
    const std::size_t i = end_ % kCapacity;
    probes_[i] = probe;
    lines_[i] = line;
    words_[i] = word;
    budgets_[i] = budget;
    // To the second cache, which has room for more lines on their way than the first.
    __builtin_prefetch(line, 0, 2);
    end_ += wanted ? 1 : 0;
  }

  void ProcessBatch(std::size_t most);
  /// Collects what a line has within reach, whose slots are in `mask`.
  void Collect(std::size_t at, unsigned mask);
  void CollectFromNest(std::size_t at);

  const LineKernel kernel_;
  const std::span<const std::uint64_t> queries_;
  const int max_distance_;
  std::vector<Hit>& hits_;
  ProbeWork work_;
  // Counted on and on: line i is in place i % kCapacity.
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::array<Probe, kCapacity> probes_;
  std::array<const Line*, kCapacity> lines_;
  std::array<std::uint32_t, kCapacity> words_;
  std::array<std::uint32_t, kCapacity> budgets_;
};

/// A set of keys of `key_bits` bits, in buckets by their leading ("address") bits.
///
/// Sixteen buckets are a cell: their first lines, then the overflow lines that continue full
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

  /// Lays an empty table out with so many address bits, lines side by side for each bucket and
  /// lines in all. What comes in order needs that: it fills one bucket after the other, and each of
  /// the first would seem far longer than the others.
  void Reserve(int address_bits, int run, double lines_per_bucket, std::uint64_t last_document);

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

 private:
  friend class ProbeQueue;

  /// How a cell is laid out: `run` first lines of each bucket, bucket by bucket, then overflow
  /// lines to make `stride` lines in all.
  struct Layout {
    std::uint8_t address_bits = 0;
    std::uint8_t stored_bits = 0;  // of a key, below the address
    LineFormat format = LineFormat::kSlots7;
    std::uint8_t document_bytes = DocumentRef::kNarrow;
    std::uint16_t run = 1;
    std::uint16_t stride = 0;

    friend bool operator==(const Layout&, const Layout&) = default;

    /// Bytes of the document numbers of a line.
    [[nodiscard]] std::size_t DocumentBytesOfLine() const {
      return std::size_t{SlotCount(format)} * document_bytes;
    }
    [[nodiscard]] std::uint64_t StoredPart(std::uint64_t key) const {
      return key & ((std::uint64_t{1} << stored_bits) - 1);
    }
  };

  /// Where a bucket is. Valid until the table makes room.
  struct Bucket {
    Line* first;     // of its run
    Line* overflow;  // the first one of its cell
    const Layout* layout;
    std::uint64_t address;

    [[nodiscard]] Line* last() const { return first + layout->run - 1; }
  };

  /// Where a key is, or line == null.
  struct Place {
    Line* line = nullptr;
    std::uint32_t slot = 0;
  };

  // Numbers of overflow lines, as a line's `next` has them: 1.. are those of the cell, from here on
  // they are in far_.
  static constexpr std::uint32_t kFirstFar = 512;

  static constexpr std::size_t kMostSlots = 12;
  // Of the document numbers of a line elsewhere.
  static constexpr std::size_t kFarDocumentBytes = kMostSlots * DocumentRef::kWide;

  struct MovingKey {
    std::uint64_t key;
    std::uint64_t document;
  };
  struct MovingLine {
    Line line;
    std::array<std::uint64_t, kMostSlots> documents;
  };

  /// Makes an array at least so many bytes long.
  static void GrowToBytes(LineArray& array, std::size_t bytes) {
    array.Grow((bytes + kLineBytes - 1) / kLineBytes);
  }
  [[nodiscard]] static unsigned char* BytesOf(const LineArray& array) {
    return reinterpret_cast<unsigned char*>(array.data());
  }

  [[nodiscard]] std::uint64_t CellsOf(const Layout& layout) const {
    return std::uint64_t{1} << (layout.address_bits - cell_bits_);
  }
  [[nodiscard]] std::uint64_t RunsOf(const Layout& layout) const {
    return static_cast<std::uint64_t>(layout.run) << cell_bits_;
  }
  [[nodiscard]] std::uint64_t OverflowLinesOf(const Layout& layout) const {
    return layout.stride - RunsOf(layout);
  }
  [[nodiscard]] Layout LayoutFor(int address_bits, std::uint64_t run, std::uint64_t stride) const;
  [[nodiscard]] Bucket BucketAt(const Layout& layout, std::uint64_t address) const {
    const std::uint64_t in_cell = address & ((std::uint64_t{1} << cell_bits_) - 1);
    Line* const cell = lines_.data() + (address >> cell_bits_) * layout.stride;
    return {cell + in_cell * layout.run, cell + RunsOf(layout), &layout, address};
  }
  [[nodiscard]] Bucket BucketOf(std::uint64_t key) const {
    const std::uint64_t cell = key >> (old_.stored_bits + cell_bits_);
    const Layout& layout = cell < frontier_ ? old_ : new_;
    return BucketAt(layout, key >> layout.stored_bits);
  }
  [[nodiscard]] Line* OverflowLine(const Line* overflow, std::uint32_t next) const {
    return next < kFirstFar ? const_cast<Line*>(overflow) + (next - 1)
                            : far_.data() + (next - kFirstFar);
  }
  /// The line after `line` in its bucket, or null if no more have keys.
  [[nodiscard]] Line* Following(const Bucket& bucket, Line* line) const;
  /// The line of a bucket's run that is filled in a bucket as long as the others.
  [[nodiscard]] Line* UsualEnd(const Bucket& bucket) const;
  /// Where the document number of a slot of a line is that belongs to a bucket of that layout.
  [[nodiscard]] DocumentRef DocumentAt(const Layout& layout, const Line* line,
                                       std::size_t slot) const;
  /// The same, while no cell is on the move.
  [[nodiscard]] DocumentRef DocumentAt(const Line* line, std::size_t slot) const;

  /// Calls visit(key, document) for the keys in the lines of a bucket.
  template <typename Visit>
  void ForEachInBucket(const Bucket& bucket, const Visit& visit) const;

  [[nodiscard]] Place Locate(std::uint64_t key) const;
  /// Insert, without making room.
  void Append(std::uint64_t key, std::uint64_t document);
  /// Where in its cell a bucket looks for a free overflow line first.
  [[nodiscard]] std::uint64_t FirstChoiceInCell(const Bucket& bucket) const;
  /// The number of an overflow line of the bucket's cell that is free; 0: none.
  [[nodiscard]] std::uint32_t FreeLineInCell(const Bucket& bucket) const;
  [[nodiscard]] std::uint32_t TakeOverflowLine(const Bucket& bucket);
  void GiveBackOverflowLine(const Bucket& bucket, std::uint32_t next);
  /// Takes all overflow lines from a bucket.
  void Unchain(const Bucket& bucket);
  [[nodiscard]] bool IsTooLong(const Bucket& bucket) const;

  /// Whether cells are to be laid out anew, for more keys or wider document numbers.
  [[nodiscard]] bool NeedsNextLayout() const;
  /// The layout that makes more room than new_, or new_ itself if there is none.
  [[nodiscard]] Layout NextLayout() const;
  [[nodiscard]] bool NeedsWiderDocuments() const {
    return wide_documents_ && old_.document_bytes != DocumentRef::kWide;
  }
  /// Notes what a document number that is to be written asks of the layout, and sees to it.
  void MakeWideEnough(std::uint64_t document);
  /// Makes room for all cells as new_ has them.
  void GrowArrays();
  /// Lays out the next cell anew; false if there is no next layout.
  bool MakeRoom();
  /// Moves a cell that only gets more overflow lines.
  void StretchCell(std::uint64_t cell);
  /// Moves a cell whose buckets or document numbers are laid out anew.
  void MoveCell(std::uint64_t cell);
  void SplitCell(std::uint64_t cell);

  void NestBucket(const Bucket& bucket);
  /// Writes the headers of all buckets whose keys belong, or would, to the nest that begins at a
  /// key.
  void SetHeads(std::uint64_t first_key, const Nest& nest, std::uint32_t header);
  /// The nest of a bucket whose head says it has one.
  [[nodiscard]] Nest& NestOf(std::uint64_t key) const;

  // While cells are laid out anew those below the frontier, counted in old ones, are still old.
  // After that there is only new_, and old_ is the same.
  LineArray lines_;
  Layout old_;
  Layout new_;
  std::uint64_t frontier_ = 0;
  LineArray far_;        // overflow lines that their cells had no room for
  LineArray documents_;  // for each line of lines_ as many bytes as its layout says
  LineArray far_documents_;
  std::uint32_t used_far_ = 0;    // lines of far_ ever taken
  std::uint32_t free_far_ = 0;    // of these, those given back: a list linked by `next`
  std::uint64_t used_lines_ = 0;  // first lines, and overflow lines with keys
  std::uint64_t cell_lines_ = 0;  // of all cells
  std::uint64_t keys_in_lines_ = 0;
  const int key_bits_;
  const int max_address_bits_;
  const int cell_bits_;  // a cell has 2^cell_bits_ buckets
  const int max_distance_;
  const bool with_documents_;
  const std::uint64_t prefix_;
  bool wide_documents_ = false;  // new layouts have five bytes for each
  // By the smallest key that belongs there. A nest stays as it is when cells are split: then
  // several buckets share it.
  std::map<std::uint64_t, std::unique_ptr<Nest>> nests_;
};

/// The keys of one overfull bucket, indexed by their remaining bits: tables over blocks of those
/// bits, as the index has over the whole fingerprint. Its tables may have nests in turn.
///
/// Thread-compatible.
class Nest {
 public:
  Nest(int key_bits, int max_distance, bool with_documents);

  void Insert(std::uint64_t key, std::uint64_t document);
  bool Erase(std::uint64_t key);
  [[nodiscard]] bool Contains(std::uint64_t key) const { return tables_.front().Contains(key); }
  [[nodiscard]] DocumentRef Find(std::uint64_t key) const { return tables_.front().Find(key); }
  void SetDocument(std::uint64_t key, std::uint64_t document) {
    tables_.front().SetDocument(key, document);
  }

  /// Calls visit(key, document) for all keys, in any order.
  void ForEach(const std::function<void(std::uint64_t, std::uint64_t)>& visit) const {
    tables_.front().ForEach(0, OwnPart(~std::uint64_t{0}), visit);
  }

  /// Sets `keys` to those that differ from `key` in at most `max_distance` bits; adds to `work`.
  void Collect(std::uint64_t key, int max_distance, std::vector<std::uint64_t>& keys,
               ProbeWork& work) const;

  [[nodiscard]] int key_bits() const { return key_bits_; }
  /// The bits of a key of the table around that are the key in here.
  [[nodiscard]] std::uint64_t OwnPart(std::uint64_t key) const {
    return key & ((std::uint64_t{1} << key_bits_) - 1);
  }
  [[nodiscard]] std::uint64_t size() const { return tables_.front().size(); }
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  [[nodiscard]] std::uint64_t Rotate(std::uint64_t key, std::size_t table) const;
  [[nodiscard]] std::uint64_t RotateBack(std::uint64_t key, std::size_t table) const;

  const int key_bits_;
  std::vector<BucketTable> tables_;  // the second one's keys are rotated by half
};

inline void BucketTable::Enqueue(ProbeQueue& queue, std::uint16_t query, std::uint64_t key,
                                 int radius, int budget) const {
  if (lines_.size() == 0) return;
  // Copies of what the loops read: the compiler can't see that the queue's memory is none of it.
  const Line* const lines = lines_.data();
  const std::uint64_t frontier = frontier_;
  const int cell_bits = cell_bits_;
  const std::uint64_t cell_mask = (std::uint64_t{1} << cell_bits) - 1;
  const std::array<std::uint64_t, 2> strides{new_.stride, old_.stride};
  const std::array<std::uint64_t, 2> runs{new_.run, old_.run};
  const std::uint64_t longest_run = std::max(runs[0], runs[1]);
  std::uint64_t probes = 0;
  // Of one layout, or of both if they have the same addresses.
  const auto enqueue = [&](const Layout& layout, int cell_shift, auto wanted) {
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
  if (old_.address_bits == new_.address_bits) {
    enqueue(new_, cell_bits, [](bool) { return true; });
  } else {
    enqueue(old_, cell_bits, [](bool is_old) { return is_old; });
    enqueue(new_, cell_bits + new_.address_bits - old_.address_bits,
            [](bool is_old) { return !is_old; });
  }
  queue.CountProbes(probes);
}

}  // namespace crawlsieve

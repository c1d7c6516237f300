#pragma once

#include "plugin/index/kernel.h"
#include "plugin/index/line.h"
#include "plugin/index/line_arena.h"
#include "plugin/index/radius.h"

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
  std::uint32_t query;            ///< which query of the ProbeQueue
  std::uint64_t key;              ///< in the query's bit order
  const unsigned char* document;  ///< for ReadDocument; null where the table doesn't say
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
  /// Appends to `hits` the keys that differ from queries[q] in at most `max_distance` bits, a key
  /// once for each time it is come across. Keeps references to all its arguments.
  ProbeQueue(std::span<const std::uint64_t> queries, int max_distance, std::vector<Hit>& hits)
      : kernel_(BestKernel().run), queries_(queries), max_distance_(max_distance), hits_(hits) {}

  /// Queues a bucket's first line. `prefix` is what the keys in it have above the bits they are
  /// stored with, `word` the low 32 of those bits of the query, and `budget` the number of them in
  /// which a key may differ.
  void Push(const BucketTable& table, const Line& line, std::uint64_t prefix, std::uint32_t query,
            std::uint32_t word, int budget) {
    ++work_.probes;
    Append(table, line, prefix, query, word, budget);
    while (size_ > kCapacity - kBatch) ProcessBatch();
  }

  /// Compares what is still queued.
  void Drain() {
    while (size_ != 0) ProcessBatch();
  }

  [[nodiscard]] const ProbeWork& work() const { return work_; }

 private:
  // Zen 3 and Ice Lake keep 16 to 48 lines in flight per core; more only delays the first answer.
  static constexpr std::size_t kCapacity = 64;
  static constexpr std::size_t kBatch = 16;

  void Append(const BucketTable& table, const Line& line, std::uint64_t prefix, std::uint32_t query,
              std::uint32_t word, int budget) {
    __builtin_prefetch(&line);
    const std::size_t i = (first_ + size_) % kCapacity;
    tables_[i] = &table;
    lines_[i] = &line;
    prefixes_[i] = prefix;
    query_numbers_[i] = query;
    query_words_[i] = word;
    budgets_[i] = static_cast<std::uint8_t>(budget);
    ++size_;
  }

  void ProcessBatch();

  const LineKernel kernel_;
  const std::span<const std::uint64_t> queries_;
  const int max_distance_;
  std::vector<Hit>& hits_;
  ProbeWork work_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
  std::array<const BucketTable*, kCapacity> tables_;
  std::array<const Line*, kCapacity> lines_;
  std::array<std::uint64_t, kCapacity> prefixes_;
  std::array<std::uint32_t, kCapacity> query_numbers_;
  std::array<std::uint32_t, kCapacity> query_words_;
  std::array<std::uint8_t, kCapacity> budgets_;
};

/// What all tables of an index have in common.
struct TableSettings {
  int max_distance = 3;  ///< of lookups
  LineArena* arena = nullptr;
};

/// A set of keys of `key_bits` bits, in buckets by their leading ("address") bits. It takes one
/// more address bit when the buckets are full on average, so buckets stay about as long whatever
/// the number of keys. A bucket that is far longer than the others, because its keys have more bits
/// in common than chance would give them, becomes a Nest.
///
/// The table may hold a document number of 40 bits with each key.
///
/// Thread-compatible: the index's locks guard it.
class BucketTable {
 public:
  static constexpr std::size_t kDocumentBytes = 5;

  /// `max_address_bits` <= 32. `phase` in [0, 1) says how full, between one and two times the
  /// slots of a line, buckets are on average before the table doubles: tables of different phases
  /// don't double all at once.
  BucketTable(const TableSettings& settings, int key_bits, int max_address_bits,
              bool with_documents, double phase);
  ~BucketTable();
  BucketTable(BucketTable&&) noexcept = default;
  BucketTable& operator=(BucketTable&&) = delete;

  /// Adds a key that isn't there.
  void Insert(std::uint64_t key, std::uint64_t document);

  /// Takes out a key; false if it isn't there.
  bool Erase(std::uint64_t key);

  /// The bytes of the document number of a key, to be used with ReadDocument and WriteDocument;
  /// null if the key isn't there. Valid until the table changes. Only of a table with documents.
  [[nodiscard]] unsigned char* Find(std::uint64_t key) const;

  [[nodiscard]] static std::uint64_t ReadDocument(const unsigned char* bytes);
  static void WriteDocument(std::uint64_t document, unsigned char* bytes);

  /// Calls visit(key, document) for all keys, in any order.
  void ForEach(const std::function<void(std::uint64_t, std::uint64_t)>& visit) const;

  /// Queues every bucket whose address differs from the key's in at most `radius` bits. `prefix`:
  /// what the queue's keys have above this table's.
  void Enqueue(ProbeQueue& queue, std::uint32_t query, std::uint64_t key, std::uint64_t prefix,
               int radius, int budget) const;

  /// Starts loading what an Insert, Erase or Find of the key will look at first.
  void Prefetch(std::uint64_t key) const;
  /// ... and then, when that has come.
  void PrefetchOverflow(std::uint64_t key) const;

  /// Heap memory other than the arena's, in bytes.
  [[nodiscard]] std::uint64_t side_bytes() const;

  [[nodiscard]] std::uint64_t size() const;

 private:
  friend class ProbeQueue;

  /// The buckets: a first line for each, and the lines that continue full ones.
  struct Lines {
    Line* heads = nullptr;      // 2^(address_bits + run_order) lines, then as many of documents
    Line** overflow = nullptr;  // blocks of 2^block_order lines, then as many of documents
    std::uint8_t address_bits = 0;
    std::uint8_t run_order = 0;    // 2^run_order lines of each bucket lie side by side
    std::uint8_t stored_bits = 0;  // of a key, below the address
    std::uint8_t block_order = 0;
    LineFormat format = LineFormat::kSlots7;
    bool with_documents = false;

    [[nodiscard]] std::uint64_t buckets() const { return std::uint64_t{1} << address_bits; }
    [[nodiscard]] std::uint64_t head_lines() const { return buckets() << run_order; }
    [[nodiscard]] std::uint64_t BucketOf(std::uint64_t key) const { return key >> stored_bits; }
    [[nodiscard]] std::uint64_t StoredPart(std::uint64_t key) const {
      return key & ((std::uint64_t{1} << stored_bits) - 1);
    }
    [[nodiscard]] Line* First(std::uint64_t bucket) const { return heads + (bucket << run_order); }
    [[nodiscard]] Line* LastOfRun(std::uint64_t bucket) const { return First(bucket + 1) - 1; }
    [[nodiscard]] Line* Overflow(std::uint32_t next) const {
      return overflow[(next - 1) >> block_order] + ((next - 1) & ((1u << block_order) - 1));
    }
    [[nodiscard]] bool IsHead(const Line* line) const {
      return std::less_equal<>()(heads, line) && std::less<>()(line, heads + head_lines());
    }
    /// The line after `line` in its bucket, or null if no more have keys.
    template <typename AnyLine>
    [[nodiscard]] AnyLine* Following(AnyLine* line) const {
      if (IsHead(line) && (line - heads + 1) % (std::ptrdiff_t{1} << run_order) != 0) {
        return Count(line[1]) != 0 ? line + 1 : nullptr;
      }
      const std::uint32_t next = Next(*line, format);
      return next != 0 ? Overflow(next) : nullptr;
    }
    /// The document numbers of any line of the table.
    template <typename AnyLine>
    [[nodiscard]] AnyLine* DocumentsOf(AnyLine* line) const {
      return line + (IsHead(line) ? head_lines() : std::uint64_t{1} << block_order);
    }
  };

  /// Where a key is, or line == null.
  struct Place {
    Line* line = nullptr;
    std::uint32_t slot = 0;
  };

  [[nodiscard]] unsigned char* DocumentAt(Line* line, std::size_t slot) const {
    return reinterpret_cast<unsigned char*>(lines_.DocumentsOf(line)) + slot * kDocumentBytes;
  }
  [[nodiscard]] const unsigned char* DocumentAt(const Line* line, std::size_t slot) const {
    return reinterpret_cast<const unsigned char*>(lines_.DocumentsOf(line)) + slot * kDocumentBytes;
  }

  /// What lookups don't read.
  struct Side {
    TableSettings settings;
    int key_bits;
    int max_address_bits;
    double fill;  // how many lines of keys a bucket may have on average
    std::uint64_t keys_in_lines = 0;
    std::vector<Line*> blocks;        // what lines_.overflow points at
    std::uint32_t used_overflow = 0;  // lines ever taken from the blocks
    std::uint32_t free_overflow = 0;  // of these, those given back: a list linked by `next`
    // By the smallest key that belongs there. A nest stays as it is when the table grows: then
    // several buckets share it.
    std::map<std::uint64_t, std::unique_ptr<Nest>> nests;
  };

  [[nodiscard]] Lines AllocateLines(int address_bits, int run_order) const;
  void FreeLines(const Lines& lines, const std::vector<Line*>& blocks) const;
  [[nodiscard]] std::uint32_t TakeOverflowLine();
  void GiveBackOverflowLine(std::uint32_t next);
  void Append(Line& line, std::uint64_t key, std::uint64_t document);
  [[nodiscard]] Place Locate(std::uint64_t key) const;
  [[nodiscard]] bool IsTooLong(std::uint64_t bucket) const;
  [[nodiscard]] bool IsFull() const;
  [[nodiscard]] bool CanGrow() const;
  void Grow();
  void NestBucket(std::uint64_t bucket);
  /// Writes the headers of all buckets whose keys belong, or would, to the nest that begins at a
  /// key.
  void SetHeads(std::uint64_t first_key, const Nest& nest, std::uint32_t header);
  /// The nest of a bucket whose head says it has one.
  [[nodiscard]] Nest& NestOf(std::uint64_t key) const;

  /// Calls visit(key, document) for the keys in the lines of a bucket.
  template <typename Visit>
  static void ForEachInBucket(const Lines& lines, std::uint64_t bucket, const Visit& visit);

  // A lookup visits dozens of tables at random, thousands of times a second: these 32 bytes of each
  // should stay in the cache.
  Lines lines_;
  std::unique_ptr<Side> side_;
};

/// The keys of one overfull bucket, indexed by their remaining bits: tables over blocks of those
/// bits, as the index has over the whole fingerprint. Its tables may have nests in turn.
///
/// Thread-compatible.
class Nest {
 public:
  Nest(const TableSettings& settings, int key_bits, bool with_documents);

  void Insert(std::uint64_t key, std::uint64_t document);
  bool Erase(std::uint64_t key);
  [[nodiscard]] unsigned char* Find(std::uint64_t key) const;

  /// Calls visit(key, document) for all keys, in any order.
  void ForEach(const std::function<void(std::uint64_t, std::uint64_t)>& visit) const {
    tables_.front().ForEach(visit);
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
  [[nodiscard]] std::uint64_t side_bytes() const;

 private:
  [[nodiscard]] std::uint64_t Rotate(std::uint64_t key, std::size_t table) const;
  [[nodiscard]] std::uint64_t RotateBack(std::uint64_t key, std::size_t table) const;

  const int key_bits_;
  std::vector<BucketTable> tables_;  // the second one's keys are rotated by half
};

inline void BucketTable::Enqueue(ProbeQueue& queue, std::uint32_t query, std::uint64_t key,
                                 std::uint64_t prefix, int radius, int budget) const {
  if (lines_.heads == nullptr) return;
  const std::uint64_t bucket = lines_.BucketOf(key);
  const auto word = static_cast<std::uint32_t>(lines_.StoredPart(key));
  const int most = std::min<int>(radius, lines_.address_bits);
  for (int flips = 0; flips <= most; ++flips) {
    for (const std::uint32_t mask : MasksOfWeight(lines_.address_bits, flips)) {
      const std::uint64_t probed = bucket ^ mask;
      const Line* lines = lines_.First(probed);
      const std::uint64_t probed_prefix = prefix | probed << lines_.stored_bits;
      for (std::size_t i = 0; i < std::size_t{1} << lines_.run_order; ++i) {
        queue.Push(*this, lines[i], probed_prefix, query, word, budget - flips);
      }
    }
  }
}

}  // namespace crawlsieve

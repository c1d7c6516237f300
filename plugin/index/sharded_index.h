#pragma once

#include "plugin/base/result.h"
#include "plugin/index/bucket/shrinking_table.h"
#include "plugin/index/hamming_index.h"
#include "plugin/index/options.h"
#include "plugin/index/slice_lock.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

namespace crawlsieve {

/// In-memory index by blocks. The fingerprint is cut into blocks, each with a table of all
/// fingerprints by the block's leading bits, and a lookup searches each table within a small radius
/// of the query's block: if a fingerprint is within max_distance of the query, then one of its
/// blocks is within that block's radius (general pigeonhole; see BlockRadius). Equal fingerprints
/// are stored once, with the list of their documents. docs/index.md explains the design.
///
/// Thread-safe. Each table is in shards; a change locks one shard of each table for writing, a
/// lookup those that it may read for reading, all at once and until it has compared everything.
class ShardedIndex final : public HammingIndex {
 public:
  /// Errors: kInvalidConfig for an option out of its range.
  [[nodiscard]] static Result<std::unique_ptr<ShardedIndex>> Create(const IndexOptions& options);

  [[nodiscard]] int max_distance() const override { return max_distance_; }
  void Reserve(std::uint64_t fingerprints, DocId last) override;
  bool Insert(Fingerprint fingerprint, DocId document) override;
  /// On several threads: a piece of the entries at a time, for which everything is locked. Each
  /// thread has shards of its own.
  void InsertAll(std::span<const IndexEntry> entries, unsigned threads) override;
  bool Remove(Fingerprint fingerprint, DocId document) override;
  void Find(Fingerprint query, int max_distance, std::size_t limit, std::vector<Match>& matches,
            LookupWork* work = nullptr) const override;
  [[nodiscard]] IndexStats Stats() const override;

  /// Find for many queries at once: matches[i] answers queries[i]. Faster than one at a time, as
  /// the memory accesses of several queries overlap. For the judge's read-ahead, which knows a
  /// batch of pages at once; so far only the benchmark calls it.
  void FindBatch(std::span<const Fingerprint> queries, int max_distance, std::size_t limit,
                 std::vector<std::vector<Match>>& matches, LookupWork* work = nullptr) const;

  /// As in HammingIndex, a 1024th of the fingerprint space at a time; only the shard of that piece
  /// is locked, and only while it is copied.
  [[nodiscard]] EntrySource Entries() const override;

  /// Widths of the blocks, first to last.
  [[nodiscard]] std::vector<int> block_bits() const;

 private:
  /// What is known of the fingerprints of one shard of the first table.
  struct Shard {
    std::uint64_t fingerprints = 0;
    std::uint64_t documents = 0;
    /// Documents of fingerprints that have several; the table says 0 for these.
    std::unordered_map<std::uint64_t, std::set<std::uint64_t>> lists;
  };

  /// All fingerprints, rotated so that one block comes first.
  struct Table {
    int rotation = 0;
    std::vector<ShrinkingTable> shards;  // by the shard_bits_ leading bits
  };

  /// Where a table keeps a fingerprint.
  struct Spot {
    std::size_t shard;
    std::uint64_t key;
  };

  struct Found {
    std::uint32_t query;
    int distance;
    Fingerprint fingerprint;
    std::uint64_t document;  // 0: to be looked up, if documents are kept
  };

  /// Where each table keeps a fingerprint.
  using Spots = std::array<Spot, 8>;

  ShardedIndex(const IndexOptions& options, const std::vector<int>& block_bits);

  [[nodiscard]] Spot SpotOf(std::size_t table, Fingerprint fingerprint) const;
  [[nodiscard]] SliceLock::Set SliceOf(std::size_t table, std::size_t shard) const;
  [[nodiscard]] Spots SpotsOf(Fingerprint fingerprint) const;
  [[nodiscard]] SliceLock::Set SlicesOf(const Spots& spots) const;
  [[nodiscard]] ShrinkingTable& ShardOf(std::size_t table, const Spot& spot) {
    return tables_[table].shards[spot.shard];
  }
  void Prefetch(const Spots& spots);
  void PrefetchOverflow(const Spots& spots);
  /// How a shard of a table is laid out, if the index has so many fingerprints.
  [[nodiscard]] TableLayout LayoutFor(std::size_t table, std::uint64_t fingerprints) const;

  /// Remove, with the slices of `spots` locked.
  bool RemoveAt(const Spots& spots, Fingerprint fingerprint, DocId document);
  /// Begins to make one of the shards smaller if keys enough have gone from it, and no other is
  /// being made smaller: two tables of a shard are there meanwhile. With the slices locked.
  void BeginShrinking(const Spots& spots);
  /// Goes on with that, a little with every change. With nothing locked.
  void GoOnShrinking();

  // Adding: insert.cc.

  enum class Added { kNothing, kDocument, kFingerprint };
  /// Adds a pair to the first table and to the documents of its shard.
  Added AddToFirst(const Spot& spot, Fingerprint fingerprint, DocId document);
  /// Insert, with the slices of `spots` locked.
  bool InsertAt(const Spots& spots, Fingerprint fingerprint, DocId document);
  /// InsertAll on this thread.
  void InsertOverlapped(std::span<const IndexEntry> entries);
  /// InsertAll of a few thousand entries.
  void InsertPiece(std::span<const IndexEntry> entries, unsigned threads);
  void Collect(std::span<const Fingerprint> queries, int max_distance, std::vector<Found>& found,
               LookupWork* work) const;
  void Answer(std::span<const Found> found, std::size_t limit, std::vector<Match>& matches) const;

  const int max_distance_;
  const int shard_bits_;  // > 0
  const int key_bits_;    // below the shard's
  const bool keep_documents_;
  mutable SliceLock lock_;  // slice t * shards + s: shard s of table t
  std::vector<Table> tables_;
  std::vector<Shard> shards_;
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::atomic<std::size_t> shrinking_ = kNone;  // slice of a shard
};

}  // namespace crawlsieve

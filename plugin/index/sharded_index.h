#pragma once

#include "plugin/base/result.h"
#include "plugin/index/bucket/bucket_table.h"
#include "plugin/index/hamming_index.h"
#include "plugin/index/slice_lock.h"

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

namespace crawlsieve {

struct IndexOptions {
  /// Largest distance that lookups can ask for, in bits, 0..7. Each bit more makes a lookup two to
  /// five times as expensive, or takes another copy of the fingerprints (docs/index.md).
  int max_distance = 3;
  /// Slices of each table with a lock of their own, 1..32, rounded up to a power of two from 2 on;
  /// fewer where all tables together would have more than 64. With more of them writers wait less
  /// often for readers and for each other.
  std::uint32_t shards = 16;
  /// Number of distinct fingerprints to lay the index out for. It grows beyond, exact as ever, but
  /// with another number of tables than would be best then.
  std::uint64_t expected_entries = 10'000'000;
  /// Memory that `expected_entries` may take, bytes each; the smallest design if none fits. The
  /// fastest takes 23 to 38 at distances up to 4 and 28 to 45 beyond; half as much makes lookups
  /// several to thirty times slower.
  std::uint32_t max_bytes_per_entry = 40;
  /// Whether the documents of fingerprints are kept. Without them the index is a set of
  /// fingerprints, for those who look documents up elsewhere by fingerprint, and takes four bytes
  /// and more less for each in the same design (the memory may also do for another table, then). It
  /// takes no notice of the documents it is given and says 0 for each: a fingerprint is inserted
  /// once, Remove takes it out whatever the document, answers are ordered by distance, then
  /// fingerprint, and there are no restart snapshots of it.
  bool keep_documents = true;
};

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
  void InsertAll(std::span<const IndexEntry> entries) override;
  bool Remove(Fingerprint fingerprint, DocId document) override;
  void Find(Fingerprint query, int max_distance, std::size_t limit, std::vector<Match>& matches,
            LookupWork* work = nullptr) const override;
  [[nodiscard]] IndexStats Stats() const override;

  /// Find for many queries at once: matches[i] answers queries[i]. Faster than one at a time, as
  /// the memory accesses of several queries overlap.
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
    std::vector<BucketTable> shards;  // by the shard_bits_ leading bits
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
  [[nodiscard]] BucketTable& ShardOf(std::size_t table, const Spot& spot) {
    return tables_[table].shards[spot.shard];
  }
  void Prefetch(const Spots& spots);
  void PrefetchOverflow(const Spots& spots);
  /// Insert, with the slices of `spots` locked.
  bool InsertAt(const Spots& spots, Fingerprint fingerprint, DocId document);
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
};

}  // namespace crawlsieve

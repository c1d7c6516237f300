#pragma once

#include "plugin/base/mutex.h"
#include "plugin/base/result.h"
#include "plugin/index/hamming_index.h"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace crawlsieve {

struct IndexOptions {
  /// Largest distance that lookups can ask for, in bits, 0..7. The fingerprint is cut into one
  /// block more than this, so a larger one means shorter blocks, fuller buckets and more tables.
  int max_distance = 3;
  /// Parts with a lock of their own, 1..4096. More let more threads work side by side; each costs
  /// a few hundred bytes. Answers don't depend on it.
  std::uint32_t shards = 64;
};

/// In-memory index by blocks: fingerprints at distance k or less agree in at least one of k + 1
/// blocks, so there is a table per block from its value to the fingerprints that have it (the
/// pigeonhole design of Manku et al. section 3.1). Equal fingerprints are stored once, with the
/// list of their documents.
///
/// Thread-safe: a change holds the lock of its fingerprint's shard throughout and one of a table's
/// at a time; a lookup holds one lock at a time.
class ShardedIndex final : public HammingIndex {
 public:
  /// Errors: kInvalidConfig for an option out of its range.
  [[nodiscard]] static Result<std::unique_ptr<ShardedIndex>> Create(const IndexOptions& options);

  [[nodiscard]] int max_distance() const override { return max_distance_; }
  bool Insert(Fingerprint fingerprint, DocId document) override;
  bool Remove(Fingerprint fingerprint, DocId document) override;
  void Find(Fingerprint query, int max_distance, std::size_t limit, std::vector<Match>& matches,
            LookupWork* work = nullptr) const override;
  [[nodiscard]] IndexStats Stats() const override;

 private:
  /// The bits first..first + count - 1 of a fingerprint.
  struct Block {
    int first = 0;
    int count = 0;
  };

  /// The documents of the fingerprints of one shard, each list in ascending order.
  struct DocumentShard {
    mutable Mutex mutex;
    std::unordered_map<std::uint64_t, std::vector<DocId>> lists GUARDED_BY(mutex);
  };

  /// A part of one block's table.
  struct TableShard {
    mutable Mutex mutex;
    std::unordered_map<std::uint64_t, std::vector<Fingerprint>> buckets GUARDED_BY(mutex);
  };

  explicit ShardedIndex(const IndexOptions& options);

  [[nodiscard]] std::size_t ShardOf(std::uint64_t key) const;
  [[nodiscard]] DocumentShard& DocumentsOf(Fingerprint fingerprint) const;
  [[nodiscard]] static std::uint64_t BlockValue(Fingerprint fingerprint, Block block);
  [[nodiscard]] TableShard& TableOf(std::size_t block, std::uint64_t value) const;

  const int max_distance_;
  const std::size_t shards_;
  std::vector<Block> blocks_;
  std::unique_ptr<DocumentShard[]> documents_;  // shards_ of them
  std::unique_ptr<TableShard[]> tables_;        // shards_ for each block
};

}  // namespace crawlsieve

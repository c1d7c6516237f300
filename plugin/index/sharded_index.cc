#include "plugin/index/sharded_index.h"

#include "plugin/index/nearest.h"

#include <algorithm>
#include <cassert>
#include <string>

namespace crawlsieve {
namespace {

constexpr int kMaxDistance = 7;
constexpr std::uint32_t kMaxShards = 4096;

}  // namespace

Result<std::unique_ptr<ShardedIndex>> ShardedIndex::Create(const IndexOptions& options) {
  if (options.max_distance < 0 || options.max_distance > kMaxDistance) {
    return MakeError(ErrorCode::kInvalidConfig, "index: max_distance must be in 0..7, not " +
                                                    std::to_string(options.max_distance));
  }
  if (options.shards < 1 || options.shards > kMaxShards) {
    return MakeError(ErrorCode::kInvalidConfig,
                     "index: shards must be in 1..4096, not " + std::to_string(options.shards));
  }
  return std::unique_ptr<ShardedIndex>(new ShardedIndex(options));
}

ShardedIndex::ShardedIndex(const IndexOptions& options)
    : max_distance_(options.max_distance),
      shards_(options.shards),
      documents_(std::make_unique<DocumentShard[]>(shards_)) {
  const int blocks = max_distance_ + 1;
  for (int i = 0; i < blocks; ++i) {
    const int first = 64 * i / blocks;
    blocks_.push_back({.first = first, .count = 64 * (i + 1) / blocks - first});
  }
  tables_ = std::make_unique<TableShard[]>(shards_ * blocks_.size());
}

std::size_t ShardedIndex::ShardOf(std::uint64_t key) const {
  // Fibonacci hashing: neighbouring keys, which clusters of near-duplicates have, go apart.
  return (key * 0x9e3779b97f4a7c15 >> 32) % shards_;
}

ShardedIndex::DocumentShard& ShardedIndex::DocumentsOf(Fingerprint fingerprint) const {
  return documents_[ShardOf(fingerprint.bits)];
}

std::uint64_t ShardedIndex::BlockValue(Fingerprint fingerprint, Block block) {
  const std::uint64_t shifted = fingerprint.bits >> block.first;
  return block.count == 64 ? shifted : shifted & ((std::uint64_t{1} << block.count) - 1);
}

ShardedIndex::TableShard& ShardedIndex::TableOf(std::size_t block, std::uint64_t value) const {
  return tables_[block * shards_ + ShardOf(value)];
}

bool ShardedIndex::Insert(Fingerprint fingerprint, DocId document) {
  DocumentShard& shard = DocumentsOf(fingerprint);
  MutexLock lock(shard.mutex);
  std::vector<DocId>& list = shard.lists[fingerprint.bits];
  const auto position = std::lower_bound(list.begin(), list.end(), document);
  if (position != list.end() && *position == document) return false;
  const bool is_new = list.empty();
  list.insert(position, document);
  if (!is_new) return true;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const std::uint64_t value = BlockValue(fingerprint, blocks_[i]);
    TableShard& table = TableOf(i, value);
    MutexLock table_lock(table.mutex);
    table.buckets[value].push_back(fingerprint);
  }
  return true;
}

bool ShardedIndex::Remove(Fingerprint fingerprint, DocId document) {
  DocumentShard& shard = DocumentsOf(fingerprint);
  MutexLock lock(shard.mutex);
  const auto entry = shard.lists.find(fingerprint.bits);
  if (entry == shard.lists.end()) return false;
  std::vector<DocId>& list = entry->second;
  const auto position = std::lower_bound(list.begin(), list.end(), document);
  if (position == list.end() || *position != document) return false;
  list.erase(position);
  if (!list.empty()) return true;
  shard.lists.erase(entry);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const std::uint64_t value = BlockValue(fingerprint, blocks_[i]);
    TableShard& table = TableOf(i, value);
    MutexLock table_lock(table.mutex);
    const auto bucket = table.buckets.find(value);
    assert(bucket != table.buckets.end());
    std::vector<Fingerprint>& fingerprints = bucket->second;
    *std::find(fingerprints.begin(), fingerprints.end(), fingerprint) = fingerprints.back();
    fingerprints.pop_back();
    if (fingerprints.empty()) table.buckets.erase(bucket);
  }
  return true;
}

void ShardedIndex::Find(Fingerprint query, int max_distance, std::size_t limit,
                        std::vector<Match>& matches, LookupWork* work) const {
  assert(max_distance >= 0 && max_distance <= max_distance_);
  matches.clear();
  LookupWork done;
  std::vector<Fingerprint> found;
  // Of k + 1 blocks one is free of the differing bits, of which there are at most `max_distance`;
  // so any max_distance + 1 of the blocks are enough.
  for (std::size_t i = 0; i <= static_cast<std::size_t>(max_distance); ++i) {
    const std::uint64_t value = BlockValue(query, blocks_[i]);
    const TableShard& table = TableOf(i, value);
    MutexLock lock(table.mutex);
    ++done.probes;
    const auto bucket = table.buckets.find(value);
    if (bucket == table.buckets.end()) continue;
    done.candidates += bucket->second.size();
    for (const Fingerprint candidate : bucket->second) {
      if (HammingDistance(query, candidate) <= max_distance) found.push_back(candidate);
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  for (const Fingerprint fingerprint : found) {
    const DocumentShard& shard = DocumentsOf(fingerprint);
    MutexLock lock(shard.mutex);
    const auto entry = shard.lists.find(fingerprint.bits);
    if (entry == shard.lists.end()) continue;  // removed since
    const int distance = HammingDistance(query, fingerprint);
    const std::size_t count = std::min(limit, entry->second.size());
    for (std::size_t i = 0; i < count; ++i) {
      matches.push_back({entry->second[i], fingerprint, distance});
    }
  }
  KeepNearest(matches, limit);
  if (work != nullptr) {
    work->probes += done.probes;
    work->candidates += done.candidates;
  }
}

IndexStats ShardedIndex::Stats() const {
  // A hash node is its pair, a pointer and, rounded up, a share of the bucket array.
  constexpr std::uint64_t kNodeBytes = sizeof(std::uint64_t) + sizeof(std::vector<DocId>) + 16;
  IndexStats stats;
  for (std::size_t i = 0; i < shards_; ++i) {
    const DocumentShard& shard = documents_[i];
    MutexLock lock(shard.mutex);
    stats.fingerprints += shard.lists.size();
    stats.bytes += sizeof(DocumentShard) + shard.lists.size() * kNodeBytes;
    for (const auto& [fingerprint, list] : shard.lists) {
      stats.documents += list.size();
      stats.bytes += list.capacity() * sizeof(DocId);
    }
  }
  for (std::size_t i = 0; i < shards_ * blocks_.size(); ++i) {
    const TableShard& table = tables_[i];
    MutexLock lock(table.mutex);
    stats.bytes += sizeof(TableShard) + table.buckets.size() * kNodeBytes;
    for (const auto& [value, fingerprints] : table.buckets) {
      stats.bytes += fingerprints.capacity() * sizeof(Fingerprint);
    }
  }
  return stats;
}

}  // namespace crawlsieve

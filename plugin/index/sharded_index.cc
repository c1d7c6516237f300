#include "plugin/index/sharded_index.h"

#include "plugin/index/base/radius.h"
#include "plugin/index/design.h"
#include "plugin/index/nearest.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <string>
#include <tuple>

namespace crawlsieve {
namespace {

constexpr int kMaxDistance = 7;
constexpr std::uint32_t kMaxShards = 32;
constexpr int kMaxSliceBits = 6;  // of a SliceLock
constexpr std::size_t kMaxTables = kMaxDistance + 1;

/// Bits of the numbers below `count`.
int BitsToCount(std::uint64_t count) { return static_cast<int>(std::bit_width(count - 1)); }

// Entries are given in so many pieces.
constexpr int kPieceBits = 10;

// Keys that a change copies while a shard becomes smaller. A twentieth of the keys that go pays for
// the others of all tables three times over.
constexpr std::size_t kKeysForAChange = 96;

// Queries that share the probe queue.
constexpr std::size_t kBatch = 32;
static_assert(kBatch * kMaxTables <= 0x10000, "a ProbeQueue numbers queries with 16 bits");

}  // namespace

Result<std::unique_ptr<ShardedIndex>> ShardedIndex::Create(const IndexOptions& options) {
  if (options.max_distance < 0 || options.max_distance > kMaxDistance) {
    return MakeError(ErrorCode::kInvalidConfig, "index: max_distance must be in 0..7, not " +
                                                    std::to_string(options.max_distance));
  }
  if (options.shards < 1 || options.shards > kMaxShards) {
    return MakeError(ErrorCode::kInvalidConfig,
                     "index: shards must be in 1..32, not " + std::to_string(options.shards));
  }
  const IndexDesign design = ChooseDesign(options.max_distance, options.expected_entries,
                                          options.max_bytes_per_entry, options.keep_documents);
  return std::unique_ptr<ShardedIndex>(new ShardedIndex(options, design.block_bits));
}

ShardedIndex::ShardedIndex(const IndexOptions& options, const std::vector<int>& block_bits)
    : max_distance_(options.max_distance),
      shard_bits_(std::min(std::max(BitsToCount(options.shards), 1),
                           kMaxSliceBits - BitsToCount(block_bits.size()))),
      key_bits_(64 - shard_bits_),
      keep_documents_(options.keep_documents),
      shards_(std::size_t{1} << shard_bits_) {
  int first_bit = 0;
  for (const int bits : block_bits) {
    Table& table = tables_.emplace_back();
    table.rotation = first_bit;
    first_bit += bits;
    for (std::size_t shard = 0; shard < shards_.size(); ++shard) {
      table.shards.emplace_back(BucketTable(key_bits_, std::min(bits, 32) - shard_bits_,
                                            max_distance_, keep_documents_ && tables_.size() == 1,
                                            std::uint64_t{shard} << key_bits_));
    }
  }
}

std::vector<int> ShardedIndex::block_bits() const {
  std::vector<int> bits;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const int end = i + 1 < tables_.size() ? tables_[i + 1].rotation : 64;
    bits.push_back(end - tables_[i].rotation);
  }
  return bits;
}

ShardedIndex::Spot ShardedIndex::SpotOf(std::size_t table, Fingerprint fingerprint) const {
  const std::uint64_t rotated = std::rotl(fingerprint.bits, tables_[table].rotation);
  return {.shard = rotated >> key_bits_, .key = rotated & ((std::uint64_t{1} << key_bits_) - 1)};
}

SliceLock::Set ShardedIndex::SliceOf(std::size_t table, std::size_t shard) const {
  return SliceLock::Set{1} << ((table << shard_bits_) + shard);
}

ShardedIndex::Spots ShardedIndex::SpotsOf(Fingerprint fingerprint) const {
  Spots spots;
  for (std::size_t t = 0; t < tables_.size(); ++t) spots[t] = SpotOf(t, fingerprint);
  return spots;
}

SliceLock::Set ShardedIndex::SlicesOf(const Spots& spots) const {
  SliceLock::Set set = 0;
  for (std::size_t t = 0; t < tables_.size(); ++t) set |= SliceOf(t, spots[t].shard);
  return set;
}

void ShardedIndex::Prefetch(const Spots& spots) {
  for (std::size_t t = 0; t < tables_.size(); ++t)
    ShardOf(t, spots[t]).get().Prefetch(spots[t].key);
}

void ShardedIndex::PrefetchOverflow(const Spots& spots) {
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    ShardOf(t, spots[t]).get().PrefetchOverflow(spots[t].key);
  }
}

void ShardedIndex::Reserve(std::uint64_t fingerprints, DocId last) {
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const TableLayout layout = LayoutFor(t, fingerprints);
    for (std::size_t s = 0; s < shards_.size(); ++s) {
      const UniqueSliceLock lock(lock_, SliceOf(t, s));
      tables_[t].shards[s].Reserve(layout, last.sequence);
    }
  }
}

TableLayout ShardedIndex::LayoutFor(std::size_t table, std::uint64_t fingerprints) const {
  const TableCost cost = CostOfTable(block_bits()[table], fingerprints);
  return {.address_bits = cost.address_bits - shard_bits_,
          .run = cost.lines_per_run,
          .lines_per_bucket = cost.lines_per_bucket};
}

bool ShardedIndex::Remove(Fingerprint fingerprint, DocId document) {
  const Spots spots = SpotsOf(fingerprint);
  bool was_there = false;
  {
    const UniqueSliceLock lock(lock_, SlicesOf(spots));
    Prefetch(spots);
    was_there = RemoveAt(spots, fingerprint, document);
    BeginShrinking(spots);
  }
  GoOnShrinking();
  return was_there;
}

bool ShardedIndex::RemoveAt(const Spots& spots, Fingerprint fingerprint, DocId document) {
  Shard& shard = shards_[spots[0].shard];
  if (!keep_documents_) {
    if (!ShardOf(0, spots[0]).Erase(spots[0].key)) return false;
    for (std::size_t t = 1; t < tables_.size(); ++t) ShardOf(t, spots[t]).Erase(spots[t].key);
    --shard.fingerprints;
    --shard.documents;
    return true;
  }
  const DocumentRef stored = ShardOf(0, spots[0]).get().Find(spots[0].key);
  if (!stored) return false;
  const std::uint64_t known = stored.Read();
  if (known == 0) {
    const auto entry = shard.lists.find(fingerprint.bits);
    if (entry->second.erase(document.sequence) == 0) return false;
    if (entry->second.size() == 1) {
      ShardOf(0, spots[0]).SetDocument(spots[0].key, *entry->second.begin());
      shard.lists.erase(entry);
    }
  } else {
    if (known != document.sequence) return false;
    for (std::size_t t = 0; t < tables_.size(); ++t) ShardOf(t, spots[t]).Erase(spots[t].key);
    --shard.fingerprints;
  }
  --shard.documents;
  return true;
}

void ShardedIndex::BeginShrinking(const Spots& spots) {
  if (shrinking_ != kNone) return;
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    ShrinkingTable& table = ShardOf(t, spots[t]);
    if (!table.IsTooLarge()) continue;
    std::size_t none = kNone;
    if (!shrinking_.compare_exchange_strong(none, (t << shard_bits_) + spots[t].shard)) return;
    if (table.Begin(LayoutFor(t, table.size() << shard_bits_))) return;
    shrinking_ = kNone;
  }
}

void ShardedIndex::GoOnShrinking() {
  const std::size_t slice = shrinking_;
  if (slice == kNone) return;
  const std::size_t table = slice >> shard_bits_;
  const std::size_t shard = slice & (shards_.size() - 1);
  const UniqueSliceLock lock(lock_, SliceOf(table, shard));
  if (shrinking_ != slice) return;  // done since
  if (tables_[table].shards[shard].GoOn(kKeysForAChange)) shrinking_ = kNone;
}

void ShardedIndex::Collect(std::span<const Fingerprint> queries, int max_distance,
                           std::vector<Found>& found, LookupWork* work) const {
  const std::size_t tables = tables_.size();
  std::array<std::uint64_t, kBatch * kMaxTables>
      rotated;  // of query q and table t: [q * tables + t]
  SliceLock::Set slices = 0;
  std::array<int, kMaxTables> radii{};
  for (std::size_t t = 0; t < tables; ++t) {
    radii[t] = BlockRadius(max_distance, static_cast<int>(tables), static_cast<int>(t));
    for (std::size_t q = 0; q < queries.size(); ++q) {
      rotated[q * tables + t] = std::rotl(queries[q].bits, tables_[t].rotation);
      const std::uint64_t own = rotated[q * tables + t] >> key_bits_;
      for (int flips = 0; flips <= std::min(radii[t], shard_bits_); ++flips) {
        for (const std::uint32_t mask : MasksOfWeight(shard_bits_, flips)) {
          slices |= SliceOf(t, own ^ mask);
        }
      }
    }
  }
  found.clear();
  std::vector<Hit> hits;
  ProbeQueue queue(std::span<const std::uint64_t>(rotated).first(queries.size() * tables),
                   max_distance, hits);
  {
    const SharedSliceLock lock(lock_, slices);
    for (std::size_t i = 0; i < queries.size() * tables; ++i) {
      const Table& table = tables_[i % tables];
      const int radius = radii[i % tables];
      const std::uint64_t own = rotated[i] >> key_bits_;
      const std::uint64_t key = rotated[i] & ((std::uint64_t{1} << key_bits_) - 1);
      for (int flips = 0; flips <= std::min(radius, shard_bits_); ++flips) {
        for (const std::uint32_t mask : MasksOfWeight(shard_bits_, flips)) {
          const std::uint64_t shard = own ^ mask;
          table.shards[shard].get().Enqueue(queue, static_cast<std::uint16_t>(i), key,
                                            radius - flips, max_distance - flips);
        }
      }
    }
    queue.Drain();
    for (const Hit& hit : hits) {
      const Fingerprint fingerprint{std::rotr(hit.key, tables_[hit.query % tables].rotation)};
      const auto query = static_cast<std::uint32_t>(hit.query / tables);
      found.push_back({query, HammingDistance(queries[query], fingerprint), fingerprint,
                       hit.document ? hit.document.Read() : 0});
    }
  }
  if (work != nullptr) {
    work->probes += queue.work().probes;
    work->lines += queue.work().lines;
    work->candidates += queue.work().candidates;
  }
  // Several tables may have found the same; one that knows the document comes first, and stays.
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return std::tuple(a.query, a.distance, a.fingerprint, a.document == 0) <
           std::tuple(b.query, b.distance, b.fingerprint, b.document == 0);
  });
  const auto same = [](const Found& a, const Found& b) {
    return a.query == b.query && a.fingerprint == b.fingerprint;
  };
  found.erase(std::unique(found.begin(), found.end(), same), found.end());
}

void ShardedIndex::Answer(std::span<const Found> found, std::size_t limit,
                          std::vector<Match>& matches) const {
  matches.clear();
  if (limit == 0) return;
  for (std::size_t i = 0; i < found.size(); ++i) {
    // Nearer ones go first; at one distance all have to be looked at, as sequence decides.
    if (matches.size() >= limit && found[i].distance > found[i - 1].distance) break;
    const Fingerprint fingerprint = found[i].fingerprint;
    if (found[i].document != 0 || !keep_documents_) {
      matches.push_back({{found[i].document}, fingerprint, found[i].distance});
      continue;
    }
    const Spot spot = SpotOf(0, fingerprint);
    const SharedSliceLock lock(lock_, SliceOf(0, spot.shard));
    const DocumentRef stored = tables_[0].shards[spot.shard].get().Find(spot.key);
    if (!stored) continue;  // removed since
    if (const std::uint64_t document = stored.Read(); document != 0) {
      matches.push_back({{document}, fingerprint, found[i].distance});
      continue;
    }
    std::size_t taken = 0;
    for (const std::uint64_t document : shards_[spot.shard].lists.at(fingerprint.bits)) {
      if (taken++ == limit) break;
      matches.push_back({{document}, fingerprint, found[i].distance});
    }
  }
  KeepNearest(matches, limit);
}

void ShardedIndex::Find(Fingerprint query, int max_distance, std::size_t limit,
                        std::vector<Match>& matches, LookupWork* work) const {
  assert(max_distance >= 0 && max_distance <= max_distance_);
  std::vector<Found> found;
  Collect({&query, 1}, max_distance, found, work);
  Answer(found, limit, matches);
}

void ShardedIndex::FindBatch(std::span<const Fingerprint> queries, int max_distance,
                             std::size_t limit, std::vector<std::vector<Match>>& matches,
                             LookupWork* work) const {
  assert(max_distance >= 0 && max_distance <= max_distance_);
  matches.resize(queries.size());
  std::vector<Found> found;
  for (std::size_t start = 0; start < queries.size(); start += kBatch) {
    const auto batch = queries.subspan(start, std::min(kBatch, queries.size() - start));
    Collect(batch, max_distance, found, work);
    auto next = found.begin();
    for (std::size_t q = 0; q < batch.size(); ++q) {
      const auto end =
          std::find_if(next, found.end(), [&](const Found& f) { return f.query != q; });
      Answer({next, end}, limit, matches[start + q]);
      next = end;
    }
  }
}

EntrySource ShardedIndex::Entries() const {
  return [this, next = std::uint64_t{0}](std::vector<IndexEntry>& entries) mutable {
    entries.clear();
    while (entries.empty() && next < std::uint64_t{1} << kPieceBits) {
      const std::uint64_t first = next++ << (64 - kPieceBits);
      const std::uint64_t last = first | ~std::uint64_t{0} >> kPieceBits;
      const Spot spot = SpotOf(0, {first});
      {
        const SharedSliceLock lock(lock_, SliceOf(0, spot.shard));
        const auto visit = [&](std::uint64_t key, std::uint64_t document) {
          const std::uint64_t bits = std::uint64_t{spot.shard} << key_bits_ | key;
          if (document != 0 || !keep_documents_) {
            entries.push_back({{bits}, {document}});
            return;
          }
          for (const std::uint64_t one : shards_[spot.shard].lists.at(bits)) {
            entries.push_back({{bits}, {one}});
          }
        };
        tables_[0].shards[spot.shard].get().ForEach(spot.key, SpotOf(0, {last}).key, visit);
      }
      std::ranges::sort(entries);
    }
    return !entries.empty();
  };
}

IndexStats ShardedIndex::Stats() const {
  IndexStats stats;
  stats.bytes = sizeof(ShardedIndex) + shards_.size() * sizeof(Shard);
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    for (std::size_t s = 0; s < shards_.size(); ++s) {
      const SharedSliceLock lock(lock_, SliceOf(t, s));
      stats.bytes += tables_[t].shards[s].bytes();
      if (t != 0) continue;
      stats.fingerprints += shards_[s].fingerprints;
      stats.documents += shards_[s].documents;
      for (const auto& [fingerprint, list] : shards_[s].lists) {
        // A node of the map and one of the set for each document, as libstdc++ lays them out.
        stats.bytes += 80 + list.size() * 40;
      }
    }
  }
  return stats;
}

}  // namespace crawlsieve

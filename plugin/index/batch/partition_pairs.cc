#include "plugin/index/batch/partition_pairs.h"

#include "plugin/fingerprint/simhash.h"
#include "plugin/index/batch/batch_query.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tuple>

namespace crawlsieve {
namespace {

/// Entries that go to a partition together.
constexpr std::size_t kPiece = 4096;
/// Neighbours up to which each is compared with each; more are a batch of queries.
constexpr std::size_t kFewNeighbours = 1024;
/// Matches that are held at a time, or those of one fingerprint.
constexpr std::size_t kMostMatches = 5'000'000;

/// Keeps what goes to each partition until it is worth handing on.
class Scatterer {
 public:
  Scatterer(const PermutedTables& tables, const PartitionVisitor& visit)
      : tables_(tables), visit_(visit), pending_(tables.partitions() + 1) {}

  Status Add(std::span<const IndexEntry> entries) {
    for (const IndexEntry& entry : entries) {
      if (!last_ || last_->fingerprint != entry.fingerprint) {
        for (std::size_t table = 0; table < tables_.tables(); ++table) {
          CRAWLSIEVE_RETURN_IF_ERROR(
              Put(tables_.PartitionOf(table, entry.fingerprint), std::array{entry}));
        }
      } else {
        CRAWLSIEVE_RETURN_IF_ERROR(Put(tables_.partitions(), std::array{*last_, entry}));
      }
      last_ = entry;
    }
    return {};
  }

  /// The entry in front of those that will be added, which is another part's.
  void GoOnBehind(const IndexEntry& entry) { last_ = entry; }

  Status Finish() {
    for (std::size_t partition = 0; partition < pending_.size(); ++partition) {
      CRAWLSIEVE_RETURN_IF_ERROR(HandOn(partition));
    }
    return {};
  }

 private:
  Status Put(std::size_t partition, std::span<const IndexEntry> entries) {
    std::vector<IndexEntry>& pending = pending_[partition];
    pending.insert(pending.end(), entries.begin(), entries.end());
    return pending.size() < kPiece ? Status() : HandOn(partition);
  }

  Status HandOn(std::size_t partition) {
    if (pending_[partition].empty()) return {};
    CRAWLSIEVE_RETURN_IF_ERROR(visit_(partition, pending_[partition]));
    pending_[partition].clear();
    return {};
  }

  const PermutedTables& tables_;
  const PartitionVisitor& visit_;
  std::vector<std::vector<IndexEntry>> pending_;
  std::optional<IndexEntry> last_;
};

/// Finds pairs among entries that agree in the blocks of a table.
class NeighbourPairs {
 public:
  NeighbourPairs(const PermutedTables& tables, std::size_t table,
                 const std::function<Status(std::span<const NearPair>)>& visit)
      : tables_(tables), table_(table), visit_(visit) {}

  /// `neighbours`: ascending, no two of one fingerprint.
  Status Compare(std::span<const IndexEntry> neighbours) {
    if (neighbours.size() <= kFewNeighbours) {
      CompareEach(neighbours);
    } else {
      CRAWLSIEVE_RETURN_IF_ERROR(CompareBatch(neighbours, neighbours));
    }
    return pairs_.size() < kPiece ? Status() : HandOn();
  }

  Status HandOn() {
    if (pairs_.empty()) return {};
    CRAWLSIEVE_RETURN_IF_ERROR(visit_(pairs_));
    pairs_.clear();
    return {};
  }

 private:
  void CompareEach(std::span<const IndexEntry> neighbours) {
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      for (std::size_t j = i + 1; j < neighbours.size(); ++j) {
        const int distance = HammingDistance(neighbours[i].fingerprint, neighbours[j].fingerprint);
        if (distance <= tables_.max_distance()) {
          AddIfFirst({neighbours[i], neighbours[j], distance});
        }
      }
    }
  }

  /// Compares `left`, a part of `neighbours`, with all that are behind each.
  Status CompareBatch(std::span<const IndexEntry> left, std::span<const IndexEntry> neighbours) {
    std::vector<Fingerprint> queries;
    queries.reserve(left.size());
    for (const IndexEntry& entry : left) queries.push_back(entry.fingerprint);
    const BatchQueries batch(queries, tables_.max_distance(), neighbours.size(),
                             BatchScope::kGreater);
    const bool may_be_halved = left.size() > 1;
    // One more than may be held, so that it is seen when there are more.
    BatchQuery pass(batch,
                    may_be_halved ? kMostMatches + 1 : std::numeric_limits<std::size_t>::max());
    pass.Compare(neighbours);
    std::vector<BatchMatch> matches = pass.TakeMatches();
    if (may_be_halved && matches.size() > kMostMatches) {
      matches = {};  // the halves need the memory
      const auto first = left.first(left.size() / 2);
      CRAWLSIEVE_RETURN_IF_ERROR(CompareBatch(first, neighbours));
      return CompareBatch(left.subspan(first.size()), neighbours);
    }
    for (const auto& [query, match] : matches) {
      AddIfFirst({left[query], {match.fingerprint, match.document}, match.distance});
      if (pairs_.size() >= kPiece) {
        CRAWLSIEVE_RETURN_IF_ERROR(HandOn());
      }
    }
    return {};
  }

  void AddIfFirst(const NearPair& pair) {
    if (tables_.IsFirst(table_, pair.a.fingerprint.bits ^ pair.b.fingerprint.bits)) {
      pairs_.push_back(pair);
    }
  }

  const PermutedTables& tables_;
  const std::size_t table_;
  const std::function<Status(std::span<const NearPair>)>& visit_;
  std::vector<NearPair> pairs_;
};

Status VisitLinks(std::span<const IndexEntry> entries,
                  const std::function<Status(std::span<const NearPair>)>& visit) {
  if (entries.size() % 2 != 0) {
    return MakeError(ErrorCode::kInvalidInput,
                     std::to_string(entries.size()) + " ends of links: one is missing");
  }
  std::vector<NearPair> links;
  for (std::size_t i = 0; i < entries.size(); i += 2) {
    links.push_back({entries[i], entries[i + 1], 0});
    if (links.size() < kPiece && i + 2 < entries.size()) continue;
    CRAWLSIEVE_RETURN_IF_ERROR(visit(links));
    links.clear();
  }
  return {};
}

}  // namespace

Status ScatterPart(const SnapshotFile& store, const SnapshotPart& part,
                   const PermutedTables& tables, const PartitionVisitor& visit) {
  Scatterer scatterer(tables, visit);
  Status added;
  if (part.first_block > 0 && part.first_block < part.last_block) {
    const auto take_last = [&](std::span<const IndexEntry> entries) {
      if (!entries.empty()) scatterer.GoOnBehind(entries.back());
    };
    const auto read = store.ForEachIn(part.first_block - 1, part.first_block, take_last);
    if (!read) return tl::unexpected(read.error());
  }
  for (std::uint64_t block = part.first_block; block < part.last_block; ++block) {
    const auto read = store.ForEachIn(block, block + 1, [&](std::span<const IndexEntry> entries) {
      added = scatterer.Add(entries);
    });
    if (!read) return tl::unexpected(read.error());
    if (!added) return added;
  }
  return scatterer.Finish();
}

Status ForEachPairInPartition(const PermutedTables& tables, std::size_t partition,
                              std::vector<IndexEntry>& entries,
                              const std::function<Status(std::span<const NearPair>)>& visit) {
  if (partition == tables.partitions()) return VisitLinks(entries, visit);
  const std::size_t table = tables.TableOf(partition);
  const std::uint64_t mask = tables.MaskOf(table);
  const auto in_table = [mask](const IndexEntry& entry) {
    return std::tuple(entry.fingerprint.bits & mask, entry);
  };
  std::ranges::sort(entries, {}, in_table);
  NeighbourPairs finder(tables, table, visit);
  for (std::size_t first = 0; first < entries.size();) {
    const std::uint64_t key = entries[first].fingerprint.bits & mask;
    std::size_t end = first + 1;
    while (end < entries.size() && (entries[end].fingerprint.bits & mask) == key) ++end;
    CRAWLSIEVE_RETURN_IF_ERROR(finder.Compare(std::span(entries).subspan(first, end - first)));
    first = end;
  }
  return finder.HandOn();
}

}  // namespace crawlsieve

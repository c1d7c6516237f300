#pragma once

#include "plugin/base/result.h"
#include "plugin/index/base/entry.h"
#include "plugin/index/batch/near_pairs.h"
#include "plugin/index/batch/permuted_tables.h"
#include "plugin/index/batch/snapshot_pass.h"
#include "plugin/index/snapshot/file.h"

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace crawlsieve {

/// Gets what a part of a set puts into one partition of its permuted tables.
using PartitionVisitor =
    std::function<Status(std::size_t partition, std::span<const IndexEntry> entries)>;

/// Puts the first document of each fingerprint in `part` into a partition of each table, some
/// thousand at a time. The number behind those of the tables' partitions is that of the links of
/// chains (ForEachNearPair): two entries each, the document and the one before it.
///
/// Parts together put each entry once. Errors: kCorruption, and what `visit` returns.
[[nodiscard]] Status ScatterPart(const SnapshotFile& store, const SnapshotPart& part,
                                 const PermutedTables& tables, const PartitionVisitor& visit);

/// Visits the near pairs within `entries`, all that the parts of a set have put into `partition`,
/// in whatever order, of which it changes: each as ForEachNearPair has it. So the pairs of all
/// partitions, that of links included, are those of the set, each once.
///
/// Errors: kInvalidInput where a link has lost its other end, and what `visit` returns. Memory: as
/// NearPairOptions::most_pairs has it, 16 bytes an entry besides.
[[nodiscard]] Status ForEachPairInPartition(
    const PermutedTables& tables, std::size_t partition, std::vector<IndexEntry>& entries,
    const std::function<Status(std::span<const NearPair>)>& visit);

}  // namespace crawlsieve

#pragma once

#include "plugin/base/result.h"
#include "plugin/index/batch/batch_query.h"
#include "plugin/index/snapshot/file.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace crawlsieve {

/// Blocks of a snapshot.
struct SnapshotPart {
  std::uint64_t first_block = 0;
  std::uint64_t last_block = 0;  ///< not in it

  /// The whole of it.
  [[nodiscard]] static SnapshotPart Of(const SnapshotFile& store) { return {0, store.blocks()}; }
  /// Chunk `number`, from 1, of `count` chunks of about as many blocks. Together they are the
  /// whole, each block in one.
  [[nodiscard]] static SnapshotPart Chunk(const SnapshotFile& store, std::uint64_t number,
                                          std::uint64_t count);
};

/// Compares the queries with all that is in a part of a snapshot, on `threads` threads. Returns
/// what each has found. `read` is told how many entries more have been read, by one thread at a
/// time.
///
/// Errors: kCorruption.
[[nodiscard]] Result<std::vector<std::vector<BatchMatch>>> PassOverSnapshot(
    const SnapshotFile& store, const SnapshotPart& part, const BatchQueries& queries, int threads,
    const std::function<void(std::uint64_t entries)>& read);

}  // namespace crawlsieve

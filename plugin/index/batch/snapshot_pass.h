#pragma once

#include "plugin/base/result.h"
#include "plugin/index/batch/batch_query.h"
#include "plugin/index/snapshot/file.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
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

/// What a pass is to do besides comparing.
struct PassOptions {
  int threads = 1;
  /// The pass ends early once there are so many matches; each thread may find as many.
  std::size_t most_matches = std::numeric_limits<std::size_t>::max();
  /// Is told how many entries more have been read, by one thread at a time.
  std::function<void(std::uint64_t entries)> read = [](std::uint64_t) {};
};

struct PassResult {
  std::vector<std::vector<BatchMatch>> found;  ///< of each thread
  bool complete = true;                        ///< false: there were too many matches
};

/// Compares the queries with all that is in a part of a snapshot. Errors: kCorruption.
[[nodiscard]] Result<PassResult> PassOverSnapshot(const SnapshotFile& store,
                                                  const SnapshotPart& part,
                                                  const BatchQueries& queries,
                                                  const PassOptions& options);

}  // namespace crawlsieve

#pragma once

#include "plugin/base/result.h"
#include "plugin/fingerprint/simhash.h"
#include "plugin/index/snapshot/file.h"
#include "plugin/index/snapshot/info.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

namespace crawlsieve {

/// A part of a set that is a snapshot of its own.
struct SnapshotChunk {
  SnapshotInfo info;
  std::filesystem::path file;
  Fingerprint first;
};

/// Writes `store` as chunks of its kind and origin, of about as many entries each, to the files
/// that `file_of` names, from number 1 on: WriteSnapshot. Each chunk continues the one before it,
/// and no fingerprint is in two of them; so there may be fewer than `count`, which is at least 1.
/// Errors: kCorruption; those of WriteSnapshot. Chunks that were written stay.
[[nodiscard]] Result<std::vector<SnapshotChunk>> SplitSnapshot(
    const SnapshotFile& store, std::uint64_t count,
    const std::function<std::filesystem::path(std::uint64_t number)>& file_of);

}  // namespace crawlsieve

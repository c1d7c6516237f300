#pragma once

#include "plugin/base/result.h"
#include "plugin/index/base/entry.h"
#include "plugin/index/snapshot/info.h"

#include <cstdint>
#include <filesystem>

namespace crawlsieve {

struct SnapshotRequest {
  SnapshotKind kind = SnapshotKind::kRestart;
  SnapshotOrigin origin;
  /// Of restart snapshots: no document number is larger. Decides how many bits each takes.
  std::uint64_t max_document = (std::uint64_t{1} << 40) - 1;
};

/// Writes a snapshot in place of `file`, atomically: to `file`.tmp, synced, renamed, the directory
/// synced. After a crash or an error the old file is as it was. Kinds without documents store equal
/// fingerprints once.
///
/// Errors: kIo with the path; kInvalidInput if the entries aren't ascending or a document number is
/// out of range. Memory: some MiB; for searchable snapshots 8 bytes an entry, up to 24 where the
/// low halves of fingerprints are much alike.
[[nodiscard]] Result<SnapshotInfo> WriteSnapshot(const std::filesystem::path& file,
                                                 const SnapshotRequest& request,
                                                 const EntrySource& source);

}  // namespace crawlsieve

#pragma once

#include <cstdint>
#include <string>

namespace crawlsieve {

/// What a snapshot is for; docs/snapshot_format.md has the sizes.
enum class SnapshotKind : std::uint8_t {
  kArchive = 1,     ///< the fingerprints once: smallest
  kSearchable = 2,  ///< the fingerprints twice, by either half: SnapshotFile::Find works
  kRestart = 3,     ///< the fingerprints with their documents: an index can be filled from it
};

/// "archive", "searchable" or "restart".
[[nodiscard]] const char* SnapshotKindName(SnapshotKind kind);

/// What a snapshot is of. Both are checked by whoever loads it.
struct SnapshotOrigin {
  /// SchemeId of the fingerprints, at most 32 bytes.
  std::string scheme;
  /// Offset of the last entry of the admission log that the snapshot covers; -1: before the first.
  std::int64_t log_offset = -1;

  friend bool operator==(const SnapshotOrigin&, const SnapshotOrigin&) = default;
};

struct SnapshotInfo {
  SnapshotKind kind = SnapshotKind::kRestart;
  SnapshotOrigin origin;
  std::uint64_t entries = 0;       ///< pairs, or fingerprints where there are no documents
  std::uint64_t fingerprints = 0;  ///< distinct ones
  std::uint64_t bytes = 0;         ///< of the file
  int document_bits = 0;           ///< that each document number takes
};

}  // namespace crawlsieve

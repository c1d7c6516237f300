#pragma once

#include "plugin/base/result.h"
#include "plugin/base/timestamp.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve {

/// A file of a checkpoint.
struct CheckpointFile {
  std::string name;  ///< in the state directory
  std::uint64_t bytes = 0;
  std::string sha256;  ///< of its content, 64 lower-case hexadecimal digits

  /// Its name in the repository's folder of files, which is that of every file with this content.
  [[nodiscard]] std::string StoredName() const;

  friend bool operator==(const CheckpointFile&, const CheckpointFile&) = default;
};

/// What a checkpoint is a copy of, and its files. Value type.
struct CheckpointManifest {
  std::int64_t log_offset = -1;  ///< of the last entry that is folded
  std::uint64_t sequence = 0;    ///< entries folded
  std::string entry_checksum;    ///< RawChecksum of that entry, in hexadecimal; empty without a log
  std::uint32_t state_format = 0;     ///< `format` of state.proto's Position
  std::uint32_t fold_version = 0;     ///< in force at the position
  std::string scheme;                 ///< of the fingerprints
  std::string parameters_sha256;      ///< of the judging parameters' row
  Timestamp created;                  ///< when its files were taken
  bool uploaded = false;              ///< whether the upload command took all of its files
  std::vector<CheckpointFile> files;  ///< in the order of their names

  /// Of the files in the state directory; equal ones count each.
  [[nodiscard]] std::uint64_t bytes() const;

  friend bool operator==(const CheckpointManifest&, const CheckpointManifest&) = default;
};

/// The manifest as JSON, with the SHA-256 of the rest as its last member. A manifest has one
/// rendering.
[[nodiscard]] std::string RenderManifest(const CheckpointManifest& manifest);

/// The name of a manifest's file: log offset in 20 digits, and 16 digits of the checksum in it.
[[nodiscard]] std::string ManifestNameOf(std::string_view rendered);

/// Reads what RenderManifest wrote; every other text is an error. `where` is named in errors.
/// Errors: kCorruption; kMismatch for a format that this version doesn't know.
[[nodiscard]] Result<CheckpointManifest> ParseManifest(std::string_view text,
                                                       std::string_view where);

}  // namespace crawlsieve

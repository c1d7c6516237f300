#pragma once

#include "plugin/base/result.h"
#include "plugin/checkpoint/manifest.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace crawlsieve {

/// How fast a file is read, and until when.
struct Pace {
  std::stop_token stop = {};
  /// After each piece the reader rests so many times as long as the piece took, or a fifth of a
  /// second: others have the disk and the processors meanwhile.
  unsigned rests = 0;
};

/// Calls `visit` with the content of a file, some bytes at a time, until it returns an error, which
/// is handed on. Errors: kIo, also when it is stopped.
[[nodiscard]] Status ReadPieces(const std::filesystem::path& path, const Pace& pace,
                                const std::function<Status(std::string_view)>& visit);

/// Copies `from` to `to`, under another name until it is synced, and makes sure that it is what
/// `file` says. The caller syncs the directory. Errors: kIo, also when it is stopped; kCorruption
/// if it is something else, with both checksums. `to` isn't there then.
[[nodiscard]] Status CopyChecked(const std::filesystem::path& from, const CheckpointFile& file,
                                 const std::filesystem::path& to, const Pace& pace);

/// Makes sure that neither directory is in the other: a store removes folders of its own, and a
/// repository files that it doesn't know. Errors: kInvalidInput.
[[nodiscard]] Status CheckApart(const std::filesystem::path& state,
                                const std::filesystem::path& repository);

/// A checkpoint in a repository.
struct StoredCheckpoint {
  std::string name;
  CheckpointManifest manifest;
};

/// The checkpoints of a repository, and the manifests that can't be used.
struct CheckpointList {
  std::vector<StoredCheckpoint> checkpoints;  ///< by log offset, then time; the newest last
  std::vector<Error> refused;
};

/// A directory with checkpoints:
///
///     manifests/NAME.json          a checkpoint: its position and its files
///     files/SHA256-BYTES           a file's content, once for all checkpoints that have it
///     lock                         held while a checkpoint is made
///
/// A manifest is written after its files and removed before them, so it is never there without
/// them. Files whose names end in ".new" are being written. Thread-compatible.
class CheckpointRepository {
 public:
  /// Errors: kInvalidInput (it isn't a repository).
  [[nodiscard]] static Result<CheckpointRepository> Open(std::filesystem::path directory);

  /// Makes one in a directory that is absent or empty. Errors: as Open, kIo.
  [[nodiscard]] static Result<CheckpointRepository> OpenOrMake(std::filesystem::path directory);

  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }
  [[nodiscard]] std::filesystem::path files() const { return directory_ / kFiles; }
  [[nodiscard]] std::filesystem::path manifests() const { return directory_ / kManifests; }
  [[nodiscard]] std::filesystem::path LockPath() const { return directory_ / "lock"; }

  /// Where the content of a file is, or would be.
  [[nodiscard]] std::filesystem::path PathOf(const CheckpointFile& file) const {
    return files() / file.StoredName();
  }

  /// Reads all manifests. Errors: kIo.
  [[nodiscard]] Result<CheckpointList> List() const;

  /// The checkpoint of that name, or the newest one where it is empty. Errors: kInvalidInput (there
  /// is none), those of ParseManifest, kIo.
  [[nodiscard]] Result<StoredCheckpoint> Find(const std::string& name) const;

  static constexpr const char* kFiles = "files";
  static constexpr const char* kManifests = "manifests";
  static constexpr const char* kManifestSuffix = ".json";
  static constexpr const char* kNewSuffix = ".new";

 private:
  explicit CheckpointRepository(std::filesystem::path directory)
      : directory_(std::move(directory)) {}

  std::filesystem::path directory_;
};

}  // namespace crawlsieve

#pragma once

#include "plugin/base/result.h"
#include "plugin/checkpoint/manifest.h"
#include "plugin/fingerprint/checksum.h"
#include "plugin/state/store.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace crawlsieve {

/// The files of a judge's state at one committed position, in a folder of the state directory that
/// is gone when this is. They are hard links, so taking them costs next to nothing, and they stay
/// what they are while the judge goes on. Movable; thread-compatible.
class StateCopy {
 public:
  /// Takes the files of `store`, whose directory is `directory`, and the restart snapshots that
  /// count for them. What is in no file yet is left out: Flush before. Any thread may call this
  /// beside the one that commits; one copy of a store at a time. Errors: kInvalidInput (nothing was
  /// folded yet that came to files), kIo, kCorruption, kMismatch (a state of another format).
  [[nodiscard]] static Result<StateCopy> Take(const Store& store,
                                              const std::filesystem::path& directory);

  StateCopy(StateCopy&& other) noexcept
      : folder_(std::exchange(other.folder_, {})),
        manifest_(std::move(other.manifest_)),
        snapshots_(std::move(other.snapshots_)) {}
  StateCopy& operator=(StateCopy&&) = delete;
  ~StateCopy();

  /// Where the files are.
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

  /// What it is a copy of; without files.
  [[nodiscard]] const CheckpointManifest& origin() const { return manifest_; }

  /// The names of the files, in order, without restart snapshots that aren't intact or don't count:
  /// a judge does without them. Reads the snapshots to the end. Errors: kIo.
  [[nodiscard]] Result<std::vector<std::string>> Files() const;

 private:
  explicit StateCopy(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::filesystem::path folder_;  ///< empty: moved from
  CheckpointManifest manifest_;
  std::vector<Checksum> snapshots_;  ///< that count
};

}  // namespace crawlsieve

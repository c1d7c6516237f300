#pragma once

#include "plugin/base/result.h"
#include "plugin/checkpoint/repository.h"
#include "plugin/checkpoint/state_copy.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>

namespace crawlsieve {

struct CheckpointOptions {
  std::filesystem::path repository = {};
  /// Checkpoints that stay, the newest; 0: all. The one that is made always stays.
  std::uint64_t keep = 0;
  std::string upload = {};                       ///< program to run for each new file; empty: none
  std::chrono::seconds upload_time_limit{3600};  ///< for each file
  std::stop_token stop = {};                     ///< ends it early, with an error
  unsigned rests = 0;                            ///< of Pace

  /// `rests` where a judge folds meanwhile: a third of the time is worked.
  static constexpr unsigned kBesideAJudge = 2;
};

/// What making a checkpoint brought.
struct CheckpointReport {
  StoredCheckpoint made;
  std::uint64_t new_files = 0;  ///< that the repository didn't have
  std::uint64_t new_bytes = 0;
  std::uint64_t removed = 0;  ///< checkpoints, because of `keep`
  Status cleaned;             ///< an error where older ones could not be removed
};

/// Makes a checkpoint of `state` in a repository, which is made where there is none. Reads the
/// files of the state, but for tables of `known`, an earlier checkpoint by this process of the same
/// store; copies files that the repository doesn't have. A crash leaves the repository with this
/// checkpoint or without it, and the others as they were.
/// Errors: kBusy (another one is being made there), kInvalidInput (no repository), kMismatch
/// (checkpoints of another scheme), kIo (nothing was made; the others are as they were),
/// kCorruption.
[[nodiscard]] Result<CheckpointReport> CreateCheckpoint(const StateCopy& state,
                                                        const CheckpointOptions& options,
                                                        const CheckpointManifest& known = {});

/// The same for the state in a directory, whose judge isn't running. Errors: also kBusy (it is
/// running), kInvalidInput (there is no state).
[[nodiscard]] Result<CheckpointReport> CreateCheckpointOf(const std::filesystem::path& state,
                                                          const CheckpointOptions& options);

}  // namespace crawlsieve

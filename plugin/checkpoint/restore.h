#pragma once

#include "plugin/base/result.h"
#include "plugin/checkpoint/repository.h"

#include <filesystem>
#include <stop_token>

namespace crawlsieve {

/// Reads every byte of a checkpoint's files and compares their sizes and checksums. Errors:
/// kCorruption for the first that is missing or another, kIo.
[[nodiscard]] Status VerifyCheckpoint(const CheckpointRepository& repository,
                                      const StoredCheckpoint& checkpoint);

/// Makes `state` a state directory with what the checkpoint holds; it must be absent or empty, and
/// no mount point. All files are checked while they are copied, into a directory beside it whose
/// name ends in ".restoring"; that is renamed when everything is synced. So a crash leaves nothing
/// that a judge would open, or the whole; the next call removes what was left.
/// Errors: kIo if it was stopped; kInvalidInput (`state` can't be used), kBusy (another process
/// restores it), kCorruption (the checkpoint is damaged), kMismatch (the state isn't what the
/// manifest says, or this version can't read it), kIo. `state` is as it was then.
[[nodiscard]] Status RestoreCheckpoint(const CheckpointRepository& repository,
                                       const StoredCheckpoint& checkpoint,
                                       const std::filesystem::path& state,
                                       const std::stop_token& stop = {});

}  // namespace crawlsieve

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

/// Makes `state` a state directory with what the checkpoint holds; it must be absent, or have
/// nothing in it but a lock and notes of pages in progress. All files are checked while they are
/// copied, into a folder of it. That is renamed when everything is synced, and the files move to
/// their place. A crash before leaves no state, and the next call begins anew. A crash after leaves
/// a state that Store::Open puts in its place.
/// Errors: kIo if it was stopped; kInvalidInput (`state` can't be used), kBusy (another process
/// has it), kCorruption (the checkpoint is damaged), kMismatch (the state isn't what the
/// manifest says, or this version can't read it), kIo. There is no state in `state` then.
[[nodiscard]] Status RestoreCheckpoint(const CheckpointRepository& repository,
                                       const StoredCheckpoint& checkpoint,
                                       const std::filesystem::path& state,
                                       const std::stop_token& stop = {});

}  // namespace crawlsieve

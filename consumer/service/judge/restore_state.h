#pragma once

#include "consumer/service/options.h"
#include "plugin/base/result.h"
#include "plugin/checkpoint/repository.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

namespace crawlsieve::consumer {

/// What a start knows of the log that checkpoints are to be of.
struct LogToRestore {
  std::string scheme;    ///< of its fingerprints
  std::int64_t low = 0;  ///< its first offset
  /// Errors: kMismatch: the checkpoint is of another log; kIo.
  std::function<Status(const StoredCheckpoint&)> check;
};

/// Where there is no state, restores the newest checkpoint of the repository that is whole, and
/// says so in the log. One that is damaged, or that the log begins behind, is passed over, which
/// costs folding more of the log. Where there is no checkpoint, nothing is restored, and `find_log`
/// isn't asked. `tell` is told what is being done.
///
/// Errors: kMismatch (checkpoints of another scheme or log; none can be used, and the log's first
/// entries are gone), kInvalidInput (`state` has other files in it, or isn't apart from the
/// repository), kBusy (another process has `state`), kIo. Returns early when it is stopped. There
/// is no state in all these cases.
[[nodiscard]] Status RestoreLostState(const ServiceCheckpoints& checkpoints,
                                      const std::filesystem::path& state,
                                      const std::function<Result<LogToRestore>()>& find_log,
                                      const std::function<void(const std::string&)>& tell,
                                      const std::stop_token& stop);

}  // namespace crawlsieve::consumer

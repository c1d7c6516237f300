#pragma once

#include "consumer/service/options.h"
#include "plugin/base/result.h"

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

namespace crawlsieve::consumer {

/// Where there is no state, restores the newest checkpoint of the repository that is whole, and
/// says so in the log. One that is damaged is passed over, which costs folding more of the log.
/// Where there is no checkpoint, nothing is restored. `tell` is told what is being done.
///
/// Errors: kMismatch (checkpoints of another scheme than `scheme`), kInvalidInput (`state` has
/// other files in it, or can't be replaced), kIo. Returns early when it is stopped; there is no
/// state then.
[[nodiscard]] Status RestoreLostState(const ServiceCheckpoints& checkpoints,
                                      const std::filesystem::path& state, const std::string& scheme,
                                      const std::function<void(const std::string&)>& tell,
                                      const std::stop_token& stop);

}  // namespace crawlsieve::consumer

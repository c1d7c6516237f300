#pragma once

#include "plugin/base/result.h"
#include "plugin/judge/judge_ends.h"
#include "plugin/log/log_reader.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

namespace crawlsieve {

/// Makes a reader of the log.
using OpenLog = std::function<BrokerResult<std::unique_ptr<LogSource>>()>;

/// Folds the log up to entry `last` into `fold`, from its first entry if `fold` is empty: a judge
/// that never gets past warming, with `last` + 1 as the committed place. `progress` is told how
/// many entries are folded, from time to time. Errors: kMismatch (the log begins behind what `fold`
/// has, or ends earlier), kIo (nothing came for `patience`), kCorruption, kInvalidInput, and those
/// of the fold.
[[nodiscard]] Status Refold(const LogDescription& log, const OpenLog& open, std::int64_t last,
                            JudgeFold& fold, const std::function<void(std::int64_t)>& progress,
                            std::chrono::milliseconds patience = std::chrono::seconds(30));

}  // namespace crawlsieve

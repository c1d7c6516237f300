#pragma once

#include "plugin/base/result.h"
#include "plugin/log/log_source.h"

#include <cstdint>
#include <optional>
#include <string>

namespace crawlsieve {

/// What a judge knows of state, group and log when it begins.
struct StartFacts {
  std::string log_topic;     ///< for messages
  std::string judge_group;   ///< for messages
  std::int64_t folded = -1;  ///< offset of the last entry that the state covers; -1: none
  std::optional<std::int64_t> committed;  ///< the group's: the first entry without a verdict
  LogBounds bounds;
  bool is_exactly_once = true;
};

/// The first entry whose verdict is still to be published; the state folds everything before it
/// without publishing. Pure.
///
///     the state covers the log up to    the group has committed    the first to publish is
///     f, and the log ends before f+1    anything                   refused: log lost its end
///     anything                          past the log's end         refused: log lost its end
///     f, and the log begins after f     anything                   refused: entries are gone
///     nothing                           nothing                    0
///     f                                 nothing                    refused; f + 1 (at least once)
///     f                                 c > f                      c
///     f                                 c <= f                     refused; f + 1 (at least once)
///
/// Errors: kMismatch, with what to do.
[[nodiscard]] Result<std::int64_t> FirstToPublish(const StartFacts& facts);

}  // namespace crawlsieve

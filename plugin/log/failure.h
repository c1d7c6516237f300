#pragma once

#include "plugin/base/error.h"

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace crawlsieve {

/// What a failed call to the log, to the verdicts or to the judges' group means for its caller.
enum class LogFault {
  kRetriable,  ///< nothing is broken yet: the same call may succeed later
  kAborted,    ///< the open batch can't be published: begin again at the committed offset
  kFenced,     ///< another judge took over: begin again as a standby
  kUnknown,    ///< nobody knows whether the call took effect: the committed offset tells
  kFinal,      ///< no further attempt helps: a person has to change something
};

/// A failure of the log or of what is published. Value type.
struct LogFailure {
  Error error;
  LogFault fault = LogFault::kFinal;

  /// Whether a new beginning, with new clients, can do better.
  [[nodiscard]] bool may_pass() const { return fault != LogFault::kFinal; }
};

template <typename T>
using LogResult = tl::expected<T, LogFailure>;
using LogStatus = LogResult<void>;

[[nodiscard]] inline tl::unexpected<LogFailure> MakeFailure(LogFault fault, ErrorCode code,
                                                            std::string message) {
  return tl::unexpected<LogFailure>(LogFailure{Error{code, std::move(message)}, fault});
}

/// For errors that no new beginning mends.
[[nodiscard]] inline tl::unexpected<LogFailure> FinalLogFailure(Error error) {
  return tl::unexpected<LogFailure>(LogFailure{std::move(error), LogFault::kFinal});
}

}  // namespace crawlsieve

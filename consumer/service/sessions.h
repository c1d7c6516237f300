#pragma once

#include "consumer/kafka/error.h"
#include "plugin/base/result.h"

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// Why a stage's session with the broker ended before it was asked to.
struct SessionFailure {
  Error error;
  bool may_pass = false;    ///< another session, with new clients, may do better
  bool progressed = false;  ///< it got work done before it failed
};

/// Whether another session can help is told by the class of the error.
[[nodiscard]] SessionFailure FailureFrom(const KafkaError& error, bool progressed);
/// For errors that no session can mend.
[[nodiscard]] SessionFailure FinalFailure(Error error);

using SessionResult = tl::expected<void, SessionFailure>;

struct BackOff {
  std::chrono::milliseconds first{250};
  std::chrono::milliseconds longest{10'000};
  int attempts = 10;  ///< failures in a row, without progress between them, before giving up
};

/// Runs one session after the other until one ends well, `stop` is requested, or it is of no use to
/// go on; waits between them, longer each time. Each failure is logged under `stage`.
[[nodiscard]] Status RunSessions(std::string_view stage, const std::stop_token& stop,
                                 const BackOff& back_off,
                                 const std::function<SessionResult()>& session);

}  // namespace crawlsieve::consumer

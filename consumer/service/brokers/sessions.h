#pragma once

#include "consumer/kafka/error.h"
#include "consumer/observability/metrics.h"
#include "plugin/base/result.h"

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// Why a stage's session with the brokers ended early.
struct SessionFailure {
  Error error;
  bool may_pass = false;    ///< another session, with new clients, may succeed
  bool progressed = false;  ///< it got work done before it failed
};

/// The class of the error says whether another session can help.
[[nodiscard]] SessionFailure FailureFrom(const KafkaError& error, bool progressed);
/// For errors that no further session can fix.
[[nodiscard]] SessionFailure FinalFailure(Error error);

using SessionResult = tl::expected<void, SessionFailure>;

struct BackOff {
  std::chrono::milliseconds first{250};
  std::chrono::milliseconds longest{10'000};
  int attempts = 10;  ///< failures in a row, without progress between them, before giving up
};

/// Runs sessions until one ends well, `stop` is requested, a failure is final, or
/// `back_off.attempts` failed in a row. Waits between sessions, longer each time. Each failure is
/// counted and logged as the stage's.
[[nodiscard]] Status RunSessions(std::string_view stage, const std::stop_token& stop,
                                 const BackOff& back_off, Metrics& metrics,
                                 const std::function<SessionResult()>& session);

}  // namespace crawlsieve::consumer

#pragma once

#include "consumer/observability/metrics.h"
#include "plugin/base/broker_error.h"
#include "plugin/base/result.h"

#include <chrono>
#include <functional>
#include <stop_token>
#include <string_view>

namespace crawlsieve::consumer {

/// How a stage's session with the brokers ended.
struct SessionEnd {
  BrokerStatus status;      ///< failed: whether another session can help is its may_pass()
  bool progressed = false;  ///< it got work done before it failed
};

/// Makes a refusal one that may pass: people mend permissions and missing topics while the process
/// waits.
[[nodiscard]] BrokerError Passing(BrokerError error);

/// An error of ours, as one that ends the process unless it `may_pass`.
[[nodiscard]] tl::unexpected<BrokerError> SessionError(Error error, bool may_pass);

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
                                 const std::function<SessionEnd()>& session);

}  // namespace crawlsieve::consumer

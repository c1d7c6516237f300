#include "consumer/service/brokers/sessions.h"

#include "consumer/observability/logging.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace crawlsieve::consumer {
namespace {

/// False when `stop` was requested before `duration` was over.
bool WaitUnlessStopped(const std::stop_token& stop, std::chrono::milliseconds duration) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_for(lock, stop, duration, [] { return false; });
  return !stop.stop_requested();
}

}  // namespace

BrokerError Passing(BrokerError error) {
  if (!error.may_pass()) error.error_class = ErrorClass::kFatal;
  return error;
}

tl::unexpected<BrokerError> SessionError(Error error, bool may_pass) {
  const ErrorClass error_class = may_pass ? ErrorClass::kFatal : ErrorClass::kRefused;
  return tl::unexpected(BrokerError{std::move(error), error_class});
}

Status RunSessions(std::string_view stage, const std::stop_token& stop, const BackOff& back_off,
                   Metrics& metrics, const std::function<SessionEnd()>& session) {
  int failures = 0;
  auto pause = back_off.first;
  while (!stop.stop_requested()) {
    const SessionEnd ended = session();
    if (ended.status) return {};
    metrics.Errors(stage).Add();
    const BrokerError& failure = ended.status.error();
    if (ended.progressed) {
      failures = 0;
      pause = back_off.first;
    }
    ++failures;
    if (!failure.may_pass() || failures >= back_off.attempts) return tl::unexpected(failure);
    LogRepeating(LogLevel::kWarn, "stage.retry", stage, failure.message,
                 {{"stage", stage},
                  {"error", failure.message},
                  {"failures", failures},
                  {"pause_ms", pause.count()}});
    if (!WaitUnlessStopped(stop, pause)) break;
    pause = std::min(pause * 2, back_off.longest);
  }
  return {};
}

}  // namespace crawlsieve::consumer

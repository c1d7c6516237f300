#include "consumer/service/brokers/sessions.h"

#include "consumer/observability/logging.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

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

SessionFailure FailureFrom(const KafkaError& error, bool progressed) {
  return {ToError(error), error.error_class != KafkaErrorClass::kRefused, progressed};
}

SessionFailure FinalFailure(Error error) { return {std::move(error), false, false}; }

Status RunSessions(std::string_view stage, const std::stop_token& stop, const BackOff& back_off,
                   Metrics& metrics, const std::function<SessionResult()>& session) {
  int failures = 0;
  auto pause = back_off.first;
  while (!stop.stop_requested()) {
    const SessionResult ended = session();
    if (ended.has_value()) return {};
    metrics.Errors(stage).Add();
    const SessionFailure& failure = ended.error();
    if (failure.progressed) {
      failures = 0;
      pause = back_off.first;
    }
    ++failures;
    if (!failure.may_pass || failures >= back_off.attempts) return tl::unexpected(failure.error);
    Log(LogLevel::kWarn, "stage.retry",
        {{"stage", stage},
         {"error", failure.error.message},
         {"failures", failures},
         {"pause_ms", pause.count()}});
    if (!WaitUnlessStopped(stop, pause)) break;
    pause = std::min(pause * 2, back_off.longest);
  }
  return {};
}

}  // namespace crawlsieve::consumer

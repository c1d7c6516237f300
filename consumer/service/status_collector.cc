#include "consumer/service/status_collector.h"

#include "consumer/commit.h"
#include "consumer/observability/logging.h"
#include "consumer/observability/recent_problems.h"
#include "consumer/status/resources.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace crawlsieve::consumer {
namespace {

Timestamp Now() {
  return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

}  // namespace

StatusCollector::StatusCollector(Facts facts, Metrics& metrics)
    : facts_(std::move(facts)),
      metrics_(metrics),
      thread_([this](const std::stop_token& done) { Collect(done); }) {}

void StatusCollector::Collect(const std::stop_token& done) {
  using Clock = std::chrono::steady_clock;
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  Clock::time_point last = Clock::now();
  for (int sample = 0; !done.stop_requested(); ++sample) {
    if (sample % kSamplesAStorage == 0 && !facts_.state_directory.empty()) {
      if (const auto storage = ReadStorage(facts_.state_directory)) metrics_.SetStorage(*storage);
    }
    wake.wait_for(lock, done, kSamples, [] { return false; });
    const Clock::time_point now = Clock::now();
    recorder_.Sample(metrics_.Read(), Now(), now - std::exchange(last, now));
    EndOutages();
  }
}

StatusReport StatusCollector::Report(const Health& health, const std::string& scheme) const {
  StatusReport report;
  const MetricsIdentity& identity = metrics_.identity();
  report.instance = identity.instance;
  report.version = identity.version;
  report.commit = Commit();
  report.scheme = scheme;
  for (const Role role : identity.roles) {
    report.roles.emplace_back(NameOf(role));
  }
  report.inputs = facts_.inputs;
  report.brokers = facts_.brokers;
  report.log_topic = facts_.log_topic;
  report.verdict_topic = facts_.verdict_topic;
  report.time = Now();
  report.started_at = identity.started_at;
  report.health = !health.live   ? StatusReport::Health::kNotLive
                  : health.ready ? StatusReport::Health::kReady
                                 : StatusReport::Health::kNotReady;
  report.reason = health.reason;
  const MetricsReading reading = metrics_.Read();
  TakeUp(reading, recorder_.Read(), report);
  if (report.HasRole("judge") || report.HasRole("index")) {
    report.index = StatusReport::Index{reading.index.entries,      reading.index.fingerprints,
                                       reading.index.bytes,        facts_.index_expected_entries,
                                       facts_.index_planned_bytes, reading.index.last_snapshot};
  }
  report.memory = ReadMemory();
  for (RecentProblem& problem : RecentProblems()) {
    report.problems.push_back({problem.level == LogLevel::kError, std::move(problem.event),
                               std::move(problem.text), problem.count, problem.last});
  }
  return report;
}

}  // namespace crawlsieve::consumer

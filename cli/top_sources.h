#pragma once

#include "config/config.h"
#include "consumer/observability/http_client.h"
#include "consumer/status/status_report.h"
#include "plugin/base/result.h"

#include <memory>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

/// Processes as they were seen last.
struct SeenProcesses {
  std::vector<StatusReport> reports;
  std::vector<std::string> failures;  ///< of others: who doesn't answer, and why
};

/// Where `crawlsieve top` learns of processes. Thread-compatible.
class TopSource {
 public:
  virtual ~TopSource() = default;
  /// Waits for answers, a few seconds at most.
  [[nodiscard]] virtual SeenProcesses Read() = 0;
};

/// Asks processes for /status.json, all at a time. `addresses` are of the form "http://host:port",
/// "https://host:port" or "host:port"; the reports come in their order.
[[nodiscard]] std::unique_ptr<TopSource> HttpTopSource(std::vector<std::string> addresses,
                                                       HttpAccess access);

/// Reads the metrics topic of a deployment, whose processes report every `metrics.interval`. One
/// that has not reported for six intervals is among the failures, and after an hour forgotten.
/// Errors: kInvalidConfig (no metrics topic, or Kafka options that don't go together), kIo (the
/// brokers don't answer, no such topic).
[[nodiscard]] Result<std::unique_ptr<TopSource>> MetricsTopicSource(const config::Config& config);

}  // namespace crawlsieve::consumer

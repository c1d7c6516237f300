#pragma once

#include "consumer/observability/metrics.h"
#include "consumer/service/options.h"

#include <stop_token>
#include <string>

namespace crawlsieve::consumer {

/// Publishes a record to the metrics topic at every interval until `stop` is requested, and a last
/// one then. Best effort: a record that no broker accepts is lost, and nothing waits for it.
/// Blocks.
void ReportMetrics(const KafkaOptions& kafka, const MetricsOptions& options,
                   const std::string& instance, Metrics& metrics, const std::stop_token& stop);

}  // namespace crawlsieve::consumer

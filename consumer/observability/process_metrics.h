#pragma once

#include "plugin/base/timestamp.h"

#include <vector>

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

namespace crawlsieve::consumer {

/// What the operating system knows of this process, read at each scrape, under the names that
/// Prometheus' own client libraries give them: processor time (s), resident and virtual memory
/// (bytes), open files and their limit. With them when it started (s since 1970). What can't be
/// read is left out. Linux only. Thread-safe.
class ProcessMetrics final : public prometheus::Collectable {
 public:
  explicit ProcessMetrics(Timestamp started_at) : started_at_(started_at) {}

  [[nodiscard]] std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const Timestamp started_at_;
};

}  // namespace crawlsieve::consumer

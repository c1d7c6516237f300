#pragma once

#include "consumer/observability/metrics.h"
#include "consumer/status/status_recorder.h"
#include "consumer/status/status_report.h"
#include "plugin/base/timestamp.h"

#include <string>
#include <vector>

namespace crawlsieve::testing {

/// Addresses and other texts that try to be markup, to leave an attribute or the document, to hide
/// or reorder text, or to act on a terminal.
[[nodiscard]] const std::vector<std::string>& HostileTexts();

/// A judge and extract process after a day's work, without Kafka: 24 hours of verdicts in every
/// minute, 10,000 hosts with duplicates, near-duplicate pairs.
class SampleProcess {
 public:
  struct Options {
    bool is_hostile = false;  ///< its texts are HostileTexts()
    bool is_restoring = false;
    int hosts = 10'000;
    int minutes = 24 * 60;
  };

  /// The last minute is that of `now`.
  SampleProcess(Timestamp now, const Options& options);

  /// At the moment that was given. Problems are left out.
  [[nodiscard]] consumer::StatusReport Report() const;

  [[nodiscard]] consumer::Metrics& metrics() { return metrics_; }

 private:
  const Timestamp now_;
  const Options options_;
  consumer::Metrics metrics_;
  consumer::StatusRecorder recorder_;
};

}  // namespace crawlsieve::testing

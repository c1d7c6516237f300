#pragma once

#include "consumer/observability/http.h"
#include "consumer/observability/metrics.h"
#include "consumer/status/status_recorder.h"
#include "consumer/status/status_report.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace crawlsieve::consumer {

/// Collects what the status page shows. A thread of its own reads the metrics every five seconds,
/// and adds up the files of the state directory every half minute. Thread-safe.
class StatusCollector {
 public:
  static constexpr std::chrono::seconds kSamples{5};
  static constexpr int kSamplesAStorage = 6;

  /// What doesn't change.
  struct Facts {
    std::string brokers;
    std::vector<std::string> inputs;
    std::string log_topic;
    std::string verdict_topic;
    std::uint64_t index_expected_entries = 0;
    std::uint64_t index_planned_bytes = 0;
    std::filesystem::path state_directory;  ///< empty: none
  };

  /// `metrics` is borrowed.
  StatusCollector(Facts facts, Metrics& metrics);

  /// As things stand now.
  [[nodiscard]] StatusReport Report(const Health& health, const std::string& scheme) const;

  /// For the stages.
  [[nodiscard]] StatusRecorder& recorder() { return recorder_; }

 private:
  void Collect(const std::stop_token& done);

  const Facts facts_;
  Metrics& metrics_;
  StatusRecorder recorder_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace crawlsieve::consumer

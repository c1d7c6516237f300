#pragma once

#include "consumer/observability/metrics.h"
#include "plugin/judge/detector.h"

#include <array>
#include <cstdint>

namespace crawlsieve::consumer {

/// Counts the results of a batch of folded entries. They are added to the metrics only after the
/// commit, so an aborted batch leaves no trace. Thread-compatible.
class BatchCounts {
 public:
  void Add(const Folded& folded, const log::Page& page);

  /// An entry that was skipped (kafka.log.skip).
  void AddSkipped() { ++skipped_; }

  /// Adds everything to `metrics`.
  void AddTo(Metrics& metrics) const;

 private:
  std::array<std::uint64_t, kReasonCount> verdicts_{};
  std::uint64_t folded_ = 0;
  std::uint64_t redelivered_ = 0;
  std::uint64_t ran_ahead_ = 0;
  std::uint64_t stale_generation_ = 0;
  std::uint64_t other_topic_ = 0;
  std::uint64_t questions_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t recovered_ = 0;
  std::uint64_t skipped_ = 0;
  std::uint64_t bytes_saved_ = 0;
  DistanceCounts distances_{};
};

}  // namespace crawlsieve::consumer

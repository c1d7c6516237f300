#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace crawlsieve::consumer {

/// Quantiles of the durations of one window. All zero where there were none.
struct LatencySummary {
  std::uint64_t count = 0;
  std::chrono::microseconds p50{};
  std::chrono::microseconds p95{};
  std::chrono::microseconds p99{};
  std::chrono::microseconds max{};
};

/// Durations of the current window, in buckets 1/32 of their value wide.
///
/// A quantile is the upper end of the bucket it falls into: never less than the true value, and at
/// most 1/32 (3.2 %) more; exact up to 63 microseconds. The maximum is exact. Quantiles are by
/// nearest rank. Durations are taken as microseconds, negative ones as 0, those past 2^40
/// microseconds (12 days) as that.
///
/// Thread-safe; Observe takes no lock. An event that is observed while Take runs counts once, in
/// this window or in the next. 9 KiB of memory, whatever is observed.
class LatencyWindow {
 public:
  void Observe(std::chrono::nanoseconds duration);

  /// Ends the window: what was observed since the last call.
  [[nodiscard]] LatencySummary Take();

 private:
  static constexpr int kPrecisionBits = 5;
  static constexpr int kMaxBits = 40;
  static constexpr std::size_t kBuckets = (kMaxBits - kPrecisionBits + 1) << kPrecisionBits;

  [[nodiscard]] static std::size_t BucketOf(std::uint64_t micros);
  [[nodiscard]] static std::uint64_t LowestIn(std::size_t bucket);

  std::array<std::atomic<std::uint64_t>, kBuckets> counts_{};
  std::atomic<std::uint64_t> max_{0};
};

}  // namespace crawlsieve::consumer

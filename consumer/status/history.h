#pragma once

#include "consumer/observability/metrics.h"
#include "plugin/base/timestamp.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace crawlsieve::consumer {

/// Reasons that History counts apart. There are 15 of them; more would share the last number.
inline constexpr std::size_t kMaxReasons = 24;

/// What a process did in a stretch of time.
struct Activity {
  std::uint64_t consumed = 0;  ///< page records
  std::uint64_t bytes = 0;     ///< of them
  std::uint64_t kept = 0;
  std::uint64_t dropped = 0;
  std::uint64_t dead_letters = 0;
  std::uint64_t errors = 0;
  std::array<std::uint64_t, kMaxReasons> reasons{};  ///< verdicts, by the number of the reason
  std::array<LatencyCounts, kLatencies> latencies{};

  Activity& operator+=(const Activity& other);
  [[nodiscard]] std::uint64_t verdicts() const { return kept + dropped; }
};

/// Seconds that a share `quantile` (0 to 1) of the durations doesn't exceed, interpolated within
/// the bucket, as histogram_quantile of Prometheus does. Durations above the last bound count as
/// that. nullopt where there are none.
[[nodiscard]] std::optional<double> Quantile(const LatencyCounts& counts, double quantile);

/// Activity of the last half minute and of each of the last 1440 minutes.
///
/// Memory: 1 MiB, taken at once. Thread-compatible.
class History {
 public:
  static constexpr std::size_t kMinutes = 1440;
  static constexpr std::size_t kRecent = 6;  ///< samples that Recent() is about

  struct Stretch {
    Activity activity;
    double seconds = 0;
  };

  /// A part of the history. Parts begin at whole multiples of their length.
  struct Point {
    Timestamp begin;
    std::uint64_t consumed = 0;
    std::uint64_t kept = 0;
    std::uint64_t dropped = 0;
  };

  History();

  /// What happened since the last call, which was `passed` ago. It counts for the minute of `now`.
  /// A clock that was set back goes on in the newest minute until it has caught up.
  void Add(Timestamp now, std::chrono::duration<double> passed, const Activity& activity);

  /// The last kRecent samples.
  [[nodiscard]] Stretch Recent() const;

  /// The newest `minutes` minutes, this one included. `seconds` is 0.
  [[nodiscard]] Activity Last(std::size_t minutes) const;

  /// All of it in parts of `minutes` minutes, oldest first, from the first sample on. Parts without
  /// activity are there with zeros.
  [[nodiscard]] std::vector<Point> Points(std::size_t minutes) const;

 private:
  [[nodiscard]] Activity& MinuteAt(std::int64_t minute) {
    return minutes_[static_cast<std::size_t>(minute) % kMinutes];
  }
  [[nodiscard]] const Activity& MinuteAt(std::int64_t minute) const {
    return minutes_[static_cast<std::size_t>(minute) % kMinutes];
  }

  std::array<Stretch, kRecent> recent_{};
  std::size_t next_recent_ = 0;
  std::vector<Activity> minutes_;  ///< by minute since 1970, modulo kMinutes
  std::int64_t first_ = 0;         ///< minute since 1970; above last_ while there is no sample
  std::int64_t last_ = -1;
};

}  // namespace crawlsieve::consumer

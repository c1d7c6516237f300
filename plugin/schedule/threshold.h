#pragma once

#include "plugin/schedule/visit_value.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace crawlsieve::schedule {

/// How many URLs change at which rate. A URL is in one bucket; buckets are a quarter of a power of
/// two wide. Value type.
class RateHistogram {
 public:
  using Bucket = std::uint8_t;
  static constexpr std::size_t kBuckets = 96;

  [[nodiscard]] static Bucket BucketOf(LogRate rate);
  /// The rate in the middle of a bucket.
  [[nodiscard]] static LogRate RateOf(Bucket bucket);

  void Add(Bucket bucket);
  /// Takes back an Add. A bucket never goes below zero.
  void Remove(Bucket bucket);
  /// For a histogram that comes back from bytes.
  void Set(Bucket bucket, std::uint64_t count) { counts_.at(bucket) = count; }

  [[nodiscard]] std::uint64_t count(Bucket bucket) const { return counts_.at(bucket); }
  [[nodiscard]] std::uint64_t total() const;

  friend bool operator==(const RateHistogram&, const RateHistogram&) = default;

 private:
  std::array<std::uint64_t, kBuckets> counts_{};
};

/// Fetches of all URLs a day if each is fetched when it is worth `threshold`, in thousandths.
[[nodiscard]] std::uint64_t FetchesADay(const RateHistogram& histogram, LogValue threshold,
                                        const IntervalBounds& bounds);

/// Mean share of URLs whose copy is the current one under `threshold`. 0 for no URLs.
[[nodiscard]] Score FreshnessUnder(const RateHistogram& histogram, LogValue threshold,
                                   const IntervalBounds& bounds);

/// What the fetches should come to. Exactly one of the two counts: a fetch rate unless it is 0.
struct ScheduleGoal {
  std::uint64_t fetches_a_day_thousandths = 0;
  Score freshness{9'000};

  friend bool operator==(const ScheduleGoal&, const ScheduleGoal&) = default;
};

/// The lowest threshold that takes no more fetches a day than the goal, or the highest one that is
/// as fresh. Solved to a 256th of a power of two. Takes some milliseconds: meant for every few
/// thousand entries. Without URLs: what keeps one with a mean time of 60 days as fresh as the goal.
[[nodiscard]] LogValue SolveThreshold(const RateHistogram& histogram, const ScheduleGoal& goal,
                                      const IntervalBounds& bounds);

}  // namespace crawlsieve::schedule

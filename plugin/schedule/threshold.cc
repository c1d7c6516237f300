#include "plugin/schedule/threshold.h"

#include <algorithm>
#include <numeric>

namespace crawlsieve::schedule {
namespace {

__extension__ using Uint128 = unsigned __int128;

constexpr Log2 kWidth = kLogOne / 4;
constexpr std::uint64_t kSecondsOfDay = 86'400;
/// The mean of a rate that nothing is known of.
constexpr std::uint64_t kUsualMean = 60 * kSecondsOfDay;

constexpr LogValue kResolution = kLogOne / 256;
constexpr LogValue kLowest = 0;              // one second of freshness
constexpr LogValue kHighest = 31 * kLogOne;  // 68 years

LogRate LowestRate() { return RateOfMean(kMaxMeanSeconds); }

/// The lowest threshold above which `holds` is true, if it is false below one and true above.
template <typename Holds>
LogValue FirstThreshold(const Holds& holds) {
  LogValue low = kLowest / kResolution;
  LogValue high = kHighest / kResolution;
  while (high - low > 1) {
    const LogValue middle = low + (high - low) / 2;
    (holds(middle * kResolution) ? high : low) = middle;
  }
  return high * kResolution;
}

}  // namespace

RateHistogram::Bucket RateHistogram::BucketOf(LogRate rate) {
  const Log2 above = std::max(rate - LowestRate(), 0);
  return static_cast<Bucket>(
      std::min<std::size_t>(static_cast<std::size_t>(above / kWidth), kBuckets - 1));
}

LogRate RateHistogram::RateOf(Bucket bucket) { return LowestRate() + bucket * kWidth + kWidth / 2; }

void RateHistogram::Add(Bucket bucket) { ++counts_.at(bucket); }

void RateHistogram::Remove(Bucket bucket) {
  if (counts_.at(bucket) > 0) --counts_[bucket];
}

std::uint64_t RateHistogram::total() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

std::uint64_t FetchesADay(const RateHistogram& histogram, LogValue threshold,
                          const IntervalBounds& bounds) {
  Uint128 sum = 0;
  for (std::size_t i = 0; i < RateHistogram::kBuckets; ++i) {
    const auto bucket = static_cast<RateHistogram::Bucket>(i);
    if (histogram.count(bucket) == 0) continue;
    const std::uint64_t interval = FetchInterval(RateHistogram::RateOf(bucket), threshold, bounds);
    sum += Uint128{histogram.count(bucket)} * (kSecondsOfDay * 1000) /
           std::max<std::uint64_t>(interval, 1);
  }
  return static_cast<std::uint64_t>(std::min<Uint128>(sum, ~std::uint64_t{0}));
}

Score FreshnessUnder(const RateHistogram& histogram, LogValue threshold,
                     const IntervalBounds& bounds) {
  const std::uint64_t total = histogram.total();
  if (total == 0) return Score{0};
  Uint128 sum = 0;
  for (std::size_t i = 0; i < RateHistogram::kBuckets; ++i) {
    const auto bucket = static_cast<RateHistogram::Bucket>(i);
    if (histogram.count(bucket) == 0) continue;
    const LogRate rate = RateHistogram::RateOf(bucket);
    sum +=
        Uint128{histogram.count(bucket)} * ShareFresh(rate, FetchInterval(rate, threshold, bounds));
  }
  return Score{static_cast<std::uint32_t>(sum * Score::kOne / total >> 32)};
}

LogValue SolveThreshold(const RateHistogram& histogram, const ScheduleGoal& goal,
                        const IntervalBounds& bounds) {
  if (histogram.total() == 0) {
    // Of how many URLs there will be nothing is known. Each is expected to be like any other.
    RateHistogram usual;
    usual.Add(RateHistogram::BucketOf(RateOfMean(kUsualMean)));
    return SolveThreshold(usual, {0, goal.freshness}, bounds);
  }
  if (goal.fetches_a_day_thousandths > 0) {
    return FirstThreshold([&](LogValue threshold) {
      return FetchesADay(histogram, threshold, bounds) <= goal.fetches_a_day_thousandths;
    });
  }
  return FirstThreshold([&](LogValue threshold) {
           return FreshnessUnder(histogram, threshold, bounds) < goal.freshness;
         }) -
         kResolution;
}

}  // namespace crawlsieve::schedule

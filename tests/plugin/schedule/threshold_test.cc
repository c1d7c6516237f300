#include "plugin/schedule/threshold.h"

#include <cstdint>
#include <random>

#include <gtest/gtest.h>

namespace crawlsieve::schedule {
namespace {

constexpr std::uint64_t kDay = 86'400;

RateHistogram ManyRates() {
  std::mt19937_64 random(7);
  RateHistogram histogram;
  for (int i = 0; i < 10'000; ++i) {
    histogram.Add(RateHistogram::BucketOf(RateOfMean(3'600 << random() % 14)));
  }
  return histogram;
}

TEST(RateHistogram, EveryRateHasABucketWhoseMiddleIsNear) {
  for (std::uint64_t mean = kMinMeanSeconds; mean < kMaxMeanSeconds; mean = mean * 11 / 10) {
    const LogRate rate = RateOfMean(mean);
    const RateHistogram::Bucket bucket = RateHistogram::BucketOf(rate);
    EXPECT_LT(bucket, RateHistogram::kBuckets);
    EXPECT_LE(std::abs(RateHistogram::RateOf(bucket) - rate), kLogOne / 8);
  }
}

TEST(RateHistogram, CountsWhatIsAddedAndNeverGoesBelowZero) {
  RateHistogram histogram;
  histogram.Add(3);
  histogram.Add(3);
  histogram.Remove(3);
  histogram.Remove(5);
  EXPECT_EQ(histogram.count(3), 1U);
  EXPECT_EQ(histogram.count(5), 0U);
  EXPECT_EQ(histogram.total(), 1U);
}

TEST(SolveThreshold, MakesAsManyFetchesAsConfigured) {
  const RateHistogram histogram = ManyRates();
  const IntervalBounds bounds;
  for (const std::uint64_t period : {2, 7, 30, 90}) {
    ScheduleGoal goal;
    goal.fetches_a_day_thousandths = 10'000'000 / period;
    const LogValue threshold = SolveThreshold(histogram, goal, bounds);
    const std::uint64_t fetches = FetchesADay(histogram, threshold, bounds);
    EXPECT_LE(fetches, goal.fetches_a_day_thousandths);
    // Rates are in buckets, and those that change too often are left out at once.
    EXPECT_GT(static_cast<double>(fetches),
              0.9 * static_cast<double>(goal.fetches_a_day_thousandths))
        << period;
  }
}

TEST(SolveThreshold, KeepsAsManyFreshAsConfigured) {
  const RateHistogram histogram = ManyRates();
  const IntervalBounds bounds{60, 365 * kDay};
  for (const std::uint32_t freshness : {5'000U, 7'000U, 9'000U}) {
    const ScheduleGoal goal{0, Score{freshness}};
    const LogValue threshold = SolveThreshold(histogram, goal, bounds);
    const Score reached = FreshnessUnder(histogram, threshold, bounds);
    EXPECT_GE(reached.ten_thousandths, freshness);
    EXPECT_LT(reached.ten_thousandths, freshness + 50);
  }
}

TEST(SolveThreshold, HasAnAnswerForGoalsThatCanNotBeReached) {
  const RateHistogram histogram = ManyRates();
  const IntervalBounds bounds;
  ScheduleGoal one_fetch;
  one_fetch.fetches_a_day_thousandths = 1;
  ScheduleGoal any_number;
  any_number.fetches_a_day_thousandths = ~std::uint64_t{0};
  EXPECT_GT(SolveThreshold(histogram, one_fetch, bounds),
            SolveThreshold(histogram, any_number, bounds));
  const ScheduleGoal all_fresh{0, Score{Score::kOne}};
  EXPECT_LE(SolveThreshold(histogram, all_fresh, bounds),
            SolveThreshold(histogram, any_number, bounds));
  EXPECT_GE(SolveThreshold(RateHistogram(), all_fresh, bounds), 0);
  const LogValue of_none = SolveThreshold(RateHistogram(), {0, Score{9'000}}, bounds);
  const double days =
      static_cast<double>(FetchInterval(RateOfMean(60 * 86'400), of_none, bounds)) / 86'400;
  EXPECT_NEAR(days, 12.9, 0.7) << "fresh nine tenths of the time";
}

}  // namespace
}  // namespace crawlsieve::schedule

#include "plugin/schedule/visit_value.h"

#include <cmath>
#include <cstdint>
#include <random>

#include <gtest/gtest.h>

namespace crawlsieve::schedule {
namespace {

constexpr std::uint64_t kDay = 86'400;
constexpr double kStep = 1.0 / kLogOne;

double Exact(LogRate rate, double seconds) {
  const double lambda = std::exp2(rate * kStep);
  const double x = lambda * seconds;
  // 1 - (1 + x) e^-x, without cancellation for small x.
  const double gain =
      x < 1e-3 ? x * x / 2 - x * x * x / 3 + x * x * x * x / 8 : -std::expm1(-x) - x * std::exp(-x);
  return gain / lambda;
}

TEST(ValueOfFetch, AgreesWithDoublePrecisionForAnyRateAndTime) {
  for (std::uint64_t mean = kMinMeanSeconds; mean < kMaxMeanSeconds; mean = mean * 5 / 3) {
    for (std::uint64_t elapsed = 1; elapsed < 20 * 365 * kDay; elapsed = elapsed * 7 / 4 + 1) {
      const LogRate rate = RateOfMean(mean);
      EXPECT_NEAR(ValueOfFetch(rate, elapsed) * kStep,
                  std::log2(Exact(rate, static_cast<double>(elapsed))), 3e-4)
          << mean << ' ' << elapsed;
    }
  }
}

TEST(ValueOfFetch, IsNothingAtOnceAndNeverMoreThanTheMeanTime) {
  EXPECT_EQ(ValueOfFetch(RateOfMean(kDay), 0), kNoValue);
  EXPECT_LE(ValueOfFetch(RateOfMean(kDay), ~std::uint64_t{0}), Log2Of(kDay));
}

TEST(FetchInterval, IsTheFirstSecondWorthTheThreshold) {
  std::mt19937_64 random(5);
  const IntervalBounds bounds;
  for (int i = 0; i < 2'000; ++i) {
    const LogRate rate = RateOfMean(kMinMeanSeconds + random() % (2'000 * kDay));
    const auto threshold = static_cast<LogValue>(random() % (26 * kLogOne));
    const std::uint64_t seconds = FetchInterval(rate, threshold, bounds);
    ASSERT_GE(seconds, bounds.min_seconds);
    ASSERT_LE(seconds, bounds.max_seconds);
    if (seconds > bounds.min_seconds) {
      EXPECT_LT(ValueOfFetch(rate, seconds - 1), threshold);
    }
    if (seconds < bounds.max_seconds) {
      EXPECT_GE(ValueOfFetch(rate, seconds), threshold);
    }
  }
}

std::uint64_t IntervalByBisection(LogRate rate, LogValue threshold, const IntervalBounds& bounds) {
  const auto is_due = [&](std::uint64_t seconds) {
    return ValueOfFetch(rate, seconds) >= threshold;
  };
  std::uint64_t early = bounds.min_seconds;
  std::uint64_t late = std::max(bounds.max_seconds, early);
  if (is_due(early)) return early;
  if (!is_due(late)) return late;
  while (late - early > 1) {
    const std::uint64_t middle = early + (late - early) / 2;
    (is_due(middle) ? late : early) = middle;
  }
  return late;
}

TEST(FetchInterval, AgreesWithBisectionForAnyRateThresholdAndBounds) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 50'000; ++i) {
    const auto rate = static_cast<LogRate>(random() % (38 * kLogOne)) - 36 * kLogOne;
    const auto threshold = static_cast<LogValue>(random() % (70 * kLogOne)) - 35 * kLogOne;
    IntervalBounds bounds;
    if (i % 2 == 0) {
      bounds.min_seconds = random() % (std::uint64_t{1} << (random() % 30));
      bounds.max_seconds = random() >> (random() % 64);
    }
    ASSERT_EQ(FetchInterval(rate, threshold, bounds), IntervalByBisection(rate, threshold, bounds))
        << rate << ' ' << threshold << ' ' << bounds.min_seconds << ' ' << bounds.max_seconds;
  }
}

TEST(FetchInterval, PagesThatChangeAllTheTimeAreFetchedLessThanThoseThatKeepAFetchFresh) {
  const IntervalBounds bounds;
  const LogValue threshold = Log2Of(3 * kDay);
  const std::uint64_t frantic = FetchInterval(RateOfMean(kDay), threshold, bounds);
  const std::uint64_t usual = FetchInterval(RateOfMean(20 * kDay), threshold, bounds);
  const std::uint64_t still = FetchInterval(RateOfMean(2'000 * kDay), threshold, bounds);
  EXPECT_EQ(frantic, bounds.max_seconds) << "no fetch of it is worth three days of freshness";
  EXPECT_LT(usual, still);
  EXPECT_LT(usual, 30 * kDay);
}

TEST(FetchInterval, HoldsItsBoundsWhereTheyAreOneOrTheWrongWayRound) {
  EXPECT_EQ(FetchInterval(RateOfMean(kDay), kLogOne, {500, 500}), 500U);
  EXPECT_EQ(FetchInterval(RateOfMean(kDay), 60 * kLogOne, {500, 20}), 500U);
}

TEST(ScoreOfFetch, ReachesOneHalfExactlyAtTheInterval) {
  std::mt19937_64 random(6);
  const IntervalBounds bounds;
  for (int i = 0; i < 2'000; ++i) {
    const LogRate rate = RateOfMean(kMinMeanSeconds + random() % (2'000 * kDay));
    const auto threshold = static_cast<LogValue>(random() % (26 * kLogOne));
    const std::uint64_t due = FetchInterval(rate, threshold, bounds);
    EXPECT_GE(ScoreOfFetch(rate, threshold, bounds, due).ten_thousandths, 5'000U);
    EXPECT_LT(ScoreOfFetch(rate, threshold, bounds, due - 1).ten_thousandths, 5'000U);
  }
}

TEST(ScoreOfFetch, RisesWithTimeAndStaysBelowOne) {
  const LogRate rate = RateOfMean(30 * kDay);
  Score before;
  for (std::uint64_t elapsed = 0; elapsed < 2'000 * kDay; elapsed += kDay) {
    const Score score = ScoreOfFetch(rate, Log2Of(5 * kDay), IntervalBounds(), elapsed);
    EXPECT_GE(score, before);
    EXPECT_LE(score.ten_thousandths, Score::kOne);
    before = score;
  }
}

TEST(ShareFresh, AgreesWithDoublePrecision) {
  for (std::uint64_t mean = 600; mean < kMaxMeanSeconds; mean = mean * 5 / 3) {
    for (std::uint64_t interval = 60; interval < 5'000 * kDay; interval = interval * 7 / 4) {
      const LogRate rate = RateOfMean(mean);
      const double x = std::exp2(rate * kStep) * static_cast<double>(interval);
      EXPECT_NEAR(static_cast<double>(ShareFresh(rate, interval)) / static_cast<double>(kQ32One),
                  -std::expm1(-x) / x, 2e-4)
          << x;
    }
  }
}

}  // namespace
}  // namespace crawlsieve::schedule

#include "plugin/site/share.h"

#include <cmath>
#include <cstdint>
#include <utility>

#include <gtest/gtest.h>

namespace crawlsieve::site {
namespace {

std::pair<double, double> Wilson(double hits, double trials) {
  const double z = 1.644854;
  const double share = hits / trials;
  const double centre = share + z * z / (2 * trials);
  const double reach = z * std::sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials));
  const double divisor = 1 + z * z / trials;
  return {(centre - reach) / divisor, (centre + reach) / divisor};
}

TEST(WilsonBounds, AgreeWithDoublePrecision) {
  for (std::uint64_t trials = 1; trials < 4'000'000; trials += 1 + trials / 3) {
    for (std::uint64_t hits = 0; hits <= trials; hits += 1 + trials / 17) {
      const auto [low, high] = Wilson(static_cast<double>(hits), static_cast<double>(trials));
      EXPECT_NEAR(LowerBound(hits, trials), low * kWhole, 4) << hits << " of " << trials;
      EXPECT_NEAR(UpperBound(hits, trials), high * kWhole, 4) << hits << " of " << trials;
    }
  }
}

TEST(WilsonBounds, WithoutTrialsSayNothing) {
  EXPECT_EQ(LowerBound(0, 0), 0U);
  EXPECT_EQ(UpperBound(0, 0), kWhole);
}

TEST(WilsonBounds, TwentyFiveCleanPairsReachNinetyPercent) {
  EXPECT_LT(LowerBound(24, 24), Percent(90));
  EXPECT_GE(LowerBound(25, 25), Percent(90));
}

TEST(WilsonBounds, OfHugeCountsStayInBounds) {
  const std::uint64_t huge = ~std::uint64_t{0};
  EXPECT_GT(LowerBound(huge, huge), Percent(99));
  EXPECT_LE(UpperBound(huge, huge), kWhole);
  EXPECT_LT(UpperBound(0, huge), Percent(1));
}

}  // namespace
}  // namespace crawlsieve::site

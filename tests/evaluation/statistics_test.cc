#include "evaluation/statistics.h"

#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

TEST(WilsonInterval, IsThatOfTheLiterature) {
  // Newcombe, Statistics in Medicine 17 (1998), table I: 81 of 263 and 0 of 20.
  const Interval common = WilsonInterval({81, 263});
  EXPECT_NEAR(common.low, 0.2553, 1e-4);
  EXPECT_NEAR(common.high, 0.3662, 1e-4);
  const Interval none = WilsonInterval({0, 20});
  EXPECT_NEAR(none.low, 0.0, 1e-4);
  EXPECT_NEAR(none.high, 0.1611, 1e-4);
}

TEST(WilsonInterval, OfNothingIsEverything) {
  EXPECT_EQ(WilsonInterval({0, 0}).low, 0);
  EXPECT_EQ(WilsonInterval({0, 0}).high, 1);
}

TEST(Counts, GivePrecisionRecallAndTheirMean) {
  const Counts counts{
      .true_duplicates = 8, .false_duplicates = 2, .missed = 12, .true_different = 78};
  EXPECT_DOUBLE_EQ(counts.precision().value(), 0.8);
  EXPECT_DOUBLE_EQ(counts.recall().value(), 0.4);
  EXPECT_DOUBLE_EQ(counts.f1(), 2 * 0.8 * 0.4 / 1.2);
  EXPECT_DOUBLE_EQ(counts.false_rate().value(), 0.025);
  EXPECT_DOUBLE_EQ(Counts().precision().value(), 1) << "nothing dropped, nothing dropped wrongly";
}

TEST(ClusterBootstrap, IsWiderWhenMistakesCluster) {
  const auto precision = [](const Counts& counts) { return counts.precision().value(); };
  // 10 mistakes in 100: one in each of ten sites, or all in one.
  std::vector<Counts> spread(10, Counts{.true_duplicates = 9, .false_duplicates = 1});
  std::vector<Counts> clustered(9, Counts{.true_duplicates = 10});
  clustered.push_back(Counts{.false_duplicates = 10});
  const Interval even = ClusterBootstrap(spread, precision);
  EXPECT_DOUBLE_EQ(even.low, 0.9);
  EXPECT_DOUBLE_EQ(even.high, 0.9);
  const Interval wide = ClusterBootstrap(clustered, precision);
  EXPECT_LE(wide.low, 0.75);
  EXPECT_EQ(wide.high, 1.0);
}

}  // namespace
}  // namespace crawlsieve::consumer

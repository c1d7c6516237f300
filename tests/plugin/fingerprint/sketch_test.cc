#include "plugin/fingerprint/sketch.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

using Set = std::vector<std::uint64_t>;

Set RandomSet(std::size_t size, std::mt19937_64& random) {
  Set set(size);
  for (std::uint64_t& hash : set) hash = random();
  return set;
}

TEST(Sketch, OfNothingIsZero) { EXPECT_EQ(ComputeSketch({}), Sketch()); }

TEST(Sketch, IgnoresOrderAndRepeats) {
  std::mt19937_64 random(1);
  Set set = RandomSet(300, random);
  const Sketch sketch = ComputeSketch(set);
  std::reverse(set.begin(), set.end());
  set.insert(set.end(), set.begin(), set.begin() + 100);
  EXPECT_EQ(ComputeSketch(set), sketch);
}

TEST(Sketch, DependsOnEveryBitOfAHash) {
  for (int bit = 0; bit < 64; ++bit) {
    const Set one{0};
    const Set other{std::uint64_t{1} << bit};
    // Two sets without a common element: equal bits are chance, 448 of them.
    EXPECT_LT(EstimateResemblance(ComputeSketch(one), ComputeSketch(other)), 3000U) << bit;
  }
}

TEST(Sketch, HasAsManyOnesAsZeros) {
  std::mt19937_64 random(2);
  for (const std::size_t size : {1U, 10U, 100U, 1000U, 10'000U}) {
    int ones = 0;
    constexpr int kSketches = 50;
    for (int i = 0; i < kSketches; ++i) {
      for (const std::uint64_t word : ComputeSketch(RandomSet(size, random)).words) {
        ones += std::popcount(word);
      }
    }
    const double bits = kSketches * static_cast<double>(Sketch::kBits);
    EXPECT_NEAR(ones / bits, 0.5, 5 * 0.5 / std::sqrt(bits)) << size;
  }
}

TEST(EstimateResemblance, OfEqualSetsIsOne) {
  std::mt19937_64 random(3);
  for (const std::size_t size : {1U, 2U, 50U, 5000U}) {
    const Sketch sketch = ComputeSketch(RandomSet(size, random));
    EXPECT_EQ(EstimateResemblance(sketch, sketch), 10'000U);
  }
}

TEST(EstimateResemblance, IsNeverBelowZero) {
  Sketch ones;
  ones.words.fill(~std::uint64_t{0});
  EXPECT_EQ(EstimateResemblance(Sketch(), ones), 0U);
}

struct Sets {
  std::size_t common;
  std::size_t only_a;
  std::size_t only_b;
};

class SketchAccuracyTest : public ::testing::TestWithParam<Sets> {};

/// The oracle is the resemblance itself, as the sets are made to have it.
TEST_P(SketchAccuracyTest, EstimatesWithoutBiasAndWithinTheStatedDeviation) {
  constexpr std::uint64_t kSeed = 1997;
  constexpr int kTrials = 400;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  const Sets& sets = GetParam();
  const double exact = static_cast<double>(sets.common) /
                       static_cast<double>(sets.common + sets.only_a + sets.only_b);
  const double equal = (1 + exact) / 2;
  const double stated = 2 * std::sqrt(equal * (1 - equal) / Sketch::kBits);
  double sum = 0;
  double squares = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    Set a = RandomSet(sets.common, random);
    Set b = a;
    for (const std::uint64_t hash : RandomSet(sets.only_a, random)) a.push_back(hash);
    for (const std::uint64_t hash : RandomSet(sets.only_b, random)) b.push_back(hash);
    const double error = EstimateResemblance(ComputeSketch(a), ComputeSketch(b)) / 10'000.0 - exact;
    sum += error;
    squares += error * error;
  }
  // Four deviations of the mean, and what rounding down takes away.
  EXPECT_NEAR(sum / kTrials, 0, 4 * stated / std::sqrt(kTrials) + 1e-4);
  // The deviation of 400 trials is itself off by 3.5 %, thrice that by chance.
  EXPECT_LE(std::sqrt(squares / kTrials), stated * 1.11 + 1e-4);
}

INSTANTIATE_TEST_SUITE_P(SmallAndLargeSets, SketchAccuracyTest,
                         ::testing::Values(Sets{3, 1, 0}, Sets{7, 1, 2}, Sets{20, 5, 5},
                                           Sets{60, 10, 15}, Sets{90, 5, 5}, Sets{300, 60, 90},
                                           Sets{700, 150, 150}, Sets{950, 0, 50},
                                           Sets{1800, 300, 300}, Sets{5000, 2500, 2500}));

}  // namespace
}  // namespace crawlsieve

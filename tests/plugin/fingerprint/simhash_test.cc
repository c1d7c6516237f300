#include "plugin/fingerprint/simhash.h"

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

/// The formula of the paper, word for word; 128 bits so that nothing can overflow.
Fingerprint NaiveSimhash(const std::vector<Feature>& features) {
  std::uint64_t bits = 0;
  for (int bit = 0; bit < 64; ++bit) {
    __extension__ __int128 sum = 0;
    for (const Feature& feature : features) {
      const bool one = (feature.hash >> bit & 1) != 0;
      sum += one ? static_cast<std::int64_t>(feature.weight)
                 : -static_cast<std::int64_t>(feature.weight);
    }
    if (sum > 0) bits |= std::uint64_t{1} << bit;
  }
  return {bits};
}

std::vector<Feature> RandomFeatures(std::size_t count, std::uint32_t max_weight,
                                    std::mt19937_64& random) {
  std::uniform_int_distribution<std::uint32_t> weight(0, max_weight);
  std::vector<Feature> features(count);
  for (Feature& feature : features) feature = {.hash = random(), .weight = weight(random)};
  return features;
}

TEST(Simhash, OfNothingIsZero) { EXPECT_EQ(ComputeSimhash({}), Fingerprint{0}); }

TEST(Simhash, OfOneFeatureIsItsHash) {
  for (const std::uint32_t weight : {1u, 2u, 15u, 16u, std::numeric_limits<std::uint32_t>::max()}) {
    const std::vector<Feature> features{{.hash = 0x123456789abcdef0, .weight = weight}};
    EXPECT_EQ(ComputeSimhash(features), Fingerprint{0x123456789abcdef0}) << weight;
  }
}

TEST(Simhash, GivesZeroOnATie) {
  const std::vector<Feature> features{{.hash = 0b0011, .weight = 7}, {.hash = 0b0101, .weight = 7}};
  EXPECT_EQ(ComputeSimhash(features), Fingerprint{0b0001});
}

TEST(Simhash, IgnoresFeaturesWithoutWeight) {
  const std::vector<Feature> features{{.hash = 0xff, .weight = 0}, {.hash = 0x0f, .weight = 1}};
  EXPECT_EQ(ComputeSimhash(features), Fingerprint{0x0f});
}

TEST(Simhash, EqualsTheFormula) {
  constexpr std::uint64_t kSeed = 20070508;
  std::mt19937_64 random(kSeed);
  for (const std::uint32_t max_weight : {1u, 2u, 3u, 15u, 255u, 70'000u, 0xffff'ffffu}) {
    for (std::size_t count = 0; count < 70; ++count) {
      const std::vector<Feature> features = RandomFeatures(count, max_weight, random);
      ASSERT_EQ(ComputeSimhash(features), NaiveSimhash(features))
          << "seed " << kSeed << ", " << count << " features, weights up to " << max_weight;
    }
    const std::vector<Feature> features = RandomFeatures(5'000, max_weight, random);
    ASSERT_EQ(ComputeSimhash(features), NaiveSimhash(features)) << "seed " << kSeed;
  }
}

TEST(Simhash, EqualsTheFormulaWhereOneFeatureDecides) {
  std::mt19937_64 random(1);
  for (std::size_t count = 1; count < 200; ++count) {
    // Pairs of opposite hashes cancel out, and what is left is the last feature.
    std::vector<Feature> features = RandomFeatures(count, 0xffff'ffff, random);
    for (std::size_t i = 0; i < count; ++i) {
      features.push_back({.hash = ~features[i].hash, .weight = features[i].weight});
    }
    EXPECT_EQ(ComputeSimhash(features), Fingerprint{0}) << count;
    features.push_back({.hash = 0xfedcba9876543210, .weight = 1});
    EXPECT_EQ(ComputeSimhash(features), Fingerprint{0xfedcba9876543210}) << count;
  }
}

TEST(Simhash, IsExactForAMillionFeaturesOfTheLargestWeight) {
  constexpr std::uint32_t kMax = std::numeric_limits<std::uint32_t>::max();
  std::vector<Feature> features(500'000, {.hash = 0x00ff'00ff'00ff'00ff, .weight = kMax});
  features.resize(1'000'000, {.hash = 0x0f0f'0f0f'0f0f'0f0f, .weight = kMax});
  EXPECT_EQ(ComputeSimhash(features), Fingerprint{0x000f'000f'000f'000f});
  features.push_back({.hash = 0x0ff0'0000'0000'0000, .weight = 1});
  // 000f where both agree; a tie elsewhere, which the last feature's ones win.
  EXPECT_EQ(ComputeSimhash(features), NaiveSimhash(features));
}

TEST(Simhash, IsIndependentOfTheOrder) {
  std::mt19937_64 random(2);
  std::vector<Feature> features = RandomFeatures(777, 100, random);
  const Fingerprint fingerprint = ComputeSimhash(features);
  for (int round = 0; round < 20; ++round) {
    std::shuffle(features.begin(), features.end(), random);
    EXPECT_EQ(ComputeSimhash(features), fingerprint);
  }
}

TEST(Simhash, AWeightCountsAsManyFeaturesOfWeightOne) {
  std::mt19937_64 random(3);
  const std::vector<Feature> weighted = RandomFeatures(300, 20, random);
  std::vector<Feature> repeated;
  for (const Feature& feature : weighted) {
    repeated.insert(repeated.end(), feature.weight, {.hash = feature.hash, .weight = 1});
  }
  EXPECT_EQ(ComputeSimhash(weighted), ComputeSimhash(repeated));
}

/// Mean distance of pages of 400 features with the given share of features in common.
double MeanDistance(double shared) {
  constexpr int kPairs = 200;
  constexpr std::size_t kFeatures = 400;
  FeatureHasher hasher("statistics");
  int sum = 0;
  for (int pair = 0; pair < kPairs; ++pair) {
    std::vector<Feature> a;
    std::vector<Feature> b;
    for (std::size_t i = 0; i < kFeatures; ++i) {
      const std::string word = std::to_string(pair) + " " + std::to_string(i);
      const bool common = static_cast<double>(i) < shared * kFeatures;
      a.push_back({.hash = hasher.Hash(word), .weight = 1});
      b.push_back({.hash = hasher.Hash(common ? word : word + "b"), .weight = 1});
    }
    sum += HammingDistance(ComputeSimhash(a), ComputeSimhash(b));
  }
  return static_cast<double>(sum) / kPairs;
}

// Expected: 64 arccos(s) / pi, the angle between the vectors (Charikar, STOC 2002, section 3).
TEST(Simhash, DistanceIsTheAngleBetweenThePages) {
  EXPECT_NEAR(MeanDistance(1.0), 0, 0);
  EXPECT_NEAR(MeanDistance(0.95), 6.5, 0.8);
  EXPECT_NEAR(MeanDistance(0.5), 21.3, 1.5);
  EXPECT_NEAR(MeanDistance(0.0), 32, 1.5);
}

}  // namespace
}  // namespace crawlsieve

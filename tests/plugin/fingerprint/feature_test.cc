#include "plugin/fingerprint/feature.h"

#include "plugin/fingerprint/checksum.h"

#include <array>
#include <bit>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

TEST(FeatureHasher, IsTheSameForTheSameKey) {
  const FeatureHasher hasher("key");
  const FeatureHasher copy = hasher;
  EXPECT_EQ(hasher.Hash("word"), FeatureHasher("key").Hash("word"));
  EXPECT_EQ(hasher.Hash("word"), copy.Hash("word"));
}

TEST(FeatureHasher, DependsOnTheKeyAtEveryLength) {
  std::string feature;
  for (int length = 0; length < 300; ++length) {
    const std::set<std::uint64_t> hashes{
        FeatureHasher("").Hash(feature), FeatureHasher("a").Hash(feature),
        FeatureHasher("b").Hash(feature), FeatureHasher(std::string("a\0", 2)).Hash(feature)};
    EXPECT_EQ(hashes.size(), 4u) << length;
    feature.push_back('x');
  }
}

TEST(FeatureHasher, SharesNoSecretWithTheContentChecksum) {
  // XXH3-64 is the low half of XXH3-128 for 240 bytes and more under one secret.
  const std::string text(1000, 'x');
  EXPECT_NE(FeatureHasher("key").Hash(text), KeyedChecksum("key")(text).low);
}

TEST(FeatureHasher, AcceptsAKeyOfAnyLength) {
  std::set<std::uint64_t> hashes;
  for (std::size_t length = 0; length < 500; ++length) {
    hashes.insert(FeatureHasher(std::string(length, 'k')).Hash("word"));
  }
  EXPECT_EQ(hashes.size(), 500u);
}

// Every bit of the hash is a coin of its own: simhash's estimate rests on that.
TEST(FeatureHasher, BitsAreBalancedAndUncorrelated) {
  constexpr int kFeatures = 20'000;
  const FeatureHasher hasher("balance");
  std::array<int, 64> ones{};
  std::array<int, 64> equal_to_next{};
  for (int i = 0; i < kFeatures; ++i) {
    const std::uint64_t hash = hasher.Hash("w" + std::to_string(i));
    const std::uint64_t same = ~(hash ^ std::rotr(hash, 1));
    for (std::size_t bit = 0; bit < 64; ++bit) {
      ones[bit] += static_cast<int>(hash >> bit & 1);
      equal_to_next[bit] += static_cast<int>(same >> bit & 1);
    }
  }
  // Six standard deviations of kFeatures coin flips: sqrt(20000) / 2 = 71.
  for (std::size_t bit = 0; bit < 64; ++bit) {
    EXPECT_NEAR(ones[bit], kFeatures / 2, 430) << bit;
    EXPECT_NEAR(equal_to_next[bit], kFeatures / 2, 430) << bit;
  }
}

}  // namespace
}  // namespace crawlsieve

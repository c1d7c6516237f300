#include "plugin/fingerprint/feature.h"

#include "plugin/fingerprint/checksum.h"

#include <array>
#include <bit>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

std::uint64_t HashRun(FeatureHasher& hasher, const std::vector<Feature>& run) {
  std::uint64_t hash = 0;
  hasher.HashRuns(run, run.size(), &hash);
  return hash;
}

TEST(FeatureHasher, IsTheSameForTheSameKey) {
  FeatureHasher hasher("key");
  FeatureHasher copy = hasher;
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

TEST(FeatureHasher, OfVersion1SharesNoSecretWithTheContentChecksum) {
  // XXH3-64 is the low half of XXH3-128 for 240 bytes and more under one secret.
  const std::string text(1000, 'x');
  EXPECT_NE(FeatureHasher("key", SchemeVersion::k1).Hash(text), KeyedChecksum("key")(text).low);
}

// Logs that were begun with version 1 go on with it.
TEST(FeatureHasher, OfVersion1StaysTheSame) {
  FeatureHasher hasher("key", SchemeVersion::k1);
  EXPECT_EQ(hasher.Hash("word"), 0x4d315dc2d48fd779u);
  EXPECT_EQ(HashRun(hasher, {{1, 1}, {2, 1}, {3, 1}}), 0xb5fb4abf45995f6bu);
}

// A change here is a change of the scheme.
TEST(FeatureHasher, OfVersion2StaysTheSame) {
  FeatureHasher hasher("key");
  EXPECT_EQ(hasher.Hash("word"), 0xc05c84c533610166u);
  EXPECT_EQ(hasher.Hash(std::string(1000, 'x')), 0x116ba76399e64b64u);
  EXPECT_EQ(HashRun(hasher, {{1, 1}, {2, 1}, {3, 1}}), 0x70b375bdc5eac86bu);
}

TEST(FeatureHasher, HashesManyAsItHashesOne) {
  std::string text;
  for (int i = 0; text.size() < 2'000; ++i) text += static_cast<char>('a' + i * i % 26);
  std::vector<std::string_view> features;
  for (std::size_t length = 0; length < 600; ++length) {
    features.push_back(std::string_view(text).substr(length, length));
  }
  features.push_back(std::string_view(text).substr(text.size() - 5));
  for (const SchemeVersion version : {SchemeVersion::k1, SchemeVersion::k2}) {
    FeatureHasher hasher("key", version);
    std::vector<std::uint64_t> hashes(features.size());
    hasher.HashAll(features, text.data() + text.size(), hashes.data());
    for (std::size_t i = 0; i < features.size(); ++i) {
      EXPECT_EQ(hashes[i], hasher.Hash(features[i])) << i;
    }
  }
}

TEST(FeatureHasher, TellsZerosAndLengthsApart) {
  FeatureHasher hasher("key");
  std::set<std::uint64_t> hashes;
  for (std::size_t length = 0; length < 1'000; ++length) {
    hashes.insert(hasher.Hash(std::string(length, '\0')));
  }
  EXPECT_EQ(hashes.size(), 1'000U);
}

TEST(FeatureHasher, TellsRunsApartByOrderAndLength) {
  FeatureHasher hasher("key");
  const std::vector<std::vector<Feature>> runs = {
      {{1, 1}}, {{1, 1}, {2, 1}}, {{2, 1}, {1, 1}}, {{1, 1}, {2, 1}, {0, 1}}, {{1, 1}, {1, 1}}};
  std::set<std::uint64_t> hashes;
  for (const auto& run : runs) hashes.insert(HashRun(hasher, run));
  EXPECT_EQ(hashes.size(), runs.size());
}

TEST(FeatureHasher, HashesEachRunAsIfItWereAlone) {
  std::vector<Feature> features;
  for (std::uint32_t i = 0; i < 200; ++i) features.push_back({i * i, 1});
  for (const SchemeVersion version : {SchemeVersion::k1, SchemeVersion::k2}) {
    FeatureHasher hasher("key", version);
    for (const std::size_t size : {1, 2, 3, 16, 30, 31, 200}) {
      std::vector<std::uint64_t> hashes(features.size() - size + 1);
      hasher.HashRuns(features, size, hashes.data());
      for (std::size_t i = 0; i < hashes.size(); ++i) {
        const auto begin = features.begin() + static_cast<std::ptrdiff_t>(i);
        EXPECT_EQ(hashes[i], HashRun(hasher, {begin, begin + static_cast<std::ptrdiff_t>(size)}));
      }
    }
  }
}

// Who reads the simhash of a page of one word knows that word's hash, but not that of a run.
TEST(FeatureHasher, ARunOfOneIsNotItsFeature) {
  FeatureHasher hasher("key");
  const std::uint64_t word = hasher.Hash("word");
  EXPECT_NE(HashRun(hasher, {{word, 1}}), word);
  const std::string bytes(reinterpret_cast<const char*>(&word), sizeof(word));
  EXPECT_NE(HashRun(hasher, {{word, 1}}), hasher.Hash(bytes));
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
  FeatureHasher hasher("balance");
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

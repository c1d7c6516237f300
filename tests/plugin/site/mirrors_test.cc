#include "plugin/site/mirrors.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace crawlsieve::site {
namespace {

constexpr std::uint64_t kSeed = 20;

TEST(OriginOf, IsSchemeAndHostAndThePathIsTheRest) {
  EXPECT_EQ(OriginOf("https://b.example:81/a/b?c=d"), "https://b.example:81");
  EXPECT_EQ(PathOf("https://b.example:81/a/b?c=d"), "/a/b?c=d");
  EXPECT_EQ(OriginOf("http://b.example?c"), "http://b.example");
  EXPECT_EQ(OriginOf("no URL"), "");
  EXPECT_EQ(PathOf("no URL"), "no URL");
}

MirrorEvidence Evidence(std::uint32_t same_bytes, std::uint32_t pairs, std::uint64_t same,
                        std::uint64_t pages) {
  return {{same_bytes, pairs - same_bytes}, same, pages};
}

TEST(MirrorEvidence, NeedsPairsTheirBytesAndMostOfThePages) {
  EXPECT_TRUE(Evidence(20, 20, 20, 20).IsMirror(false));
  EXPECT_FALSE(Evidence(19, 19, 19, 19).IsMirror(false)) << "too few";
  EXPECT_TRUE(Evidence(90, 100, 100, 100).IsMirror(false));
  EXPECT_FALSE(Evidence(80, 100, 100, 100).IsMirror(false)) << "the bound of 0.8 is lower";
  EXPECT_TRUE(Evidence(80, 100, 100, 100).IsMirror(true));
  EXPECT_FALSE(Evidence(70, 100, 100, 100).IsMirror(true));
  EXPECT_TRUE(Evidence(100, 100, 80, 100).IsMirror(false));
  EXPECT_FALSE(Evidence(100, 100, 79, 100).IsMirror(false));
  EXPECT_TRUE(Evidence(100, 100, 70, 100).IsMirror(true));
  EXPECT_FALSE(Evidence(100, 100, 69, 100).IsMirror(true));
}

TEST(MirrorEvidence, IsWhatBothSidesSaw) {
  const Mirror own{"http://b.example", {10, 2}, 12, 0, 0, false};
  const Mirror other{"http://a.example", {20, 1}, 25, 3, 7, true};
  const MirrorEvidence evidence = EvidenceOf(own, other, 40);
  EXPECT_EQ(evidence.pairs, (PairCounts{30, 3}));
  EXPECT_EQ(evidence.same, 37U);
  EXPECT_EQ(evidence.coverage(), Share{37 * kWhole / 40});
  EXPECT_EQ(EvidenceOf(own, other, 20).coverage(), kWhole) << "never more than all";
  EXPECT_EQ(MirrorEvidence().coverage(), 0U);
  EXPECT_FALSE(MirrorEvidence().IsMirror(true));
}

TEST(Mirror, IsProbedWhenTwoPagesAreTheSameAndUntilThereAreNone) {
  Mirror mirror;
  EXPECT_FALSE(mirror.is_probed());
  mirror.same = 2;
  EXPECT_TRUE(mirror.is_probed());
  for (std::uint32_t i = 0; i < 100; ++i) AddMiss(mirror);
  EXPECT_EQ(mirror.misses, Mirror::kMaxMisses);
  EXPECT_FALSE(mirror.is_probed());
  Add(Likewise::kUnlike, mirror);
  EXPECT_TRUE(mirror.is_probed());
  EXPECT_EQ(mirror.pairs, (PairCounts{0, 1}));
}

TEST(Mirror, OfAPairTheBytesCount) {
  Mirror mirror;
  Add(Likewise::kSameBytes, mirror);
  Add(Likewise::kSameContent, mirror);
  Add(Likewise::kUnlike, mirror);
  EXPECT_EQ(mirror.pairs, (PairCounts{1, 2}));
}

std::set<std::string> OriginsIn(const Mirrors& mirrors) {
  std::set<std::string> origins;
  for (const auto& [hash, mirror] : mirrors.mirrors()) origins.insert(mirror.origin);
  return origins;
}

TEST(Mirrors, TheOneWithTheFewestPagesInCommonMakesRoom) {
  Mirrors mirrors;
  for (const std::uint32_t i : {5U, 1U, 3U, 2U}) {
    mirrors.FindOrAdd(fmt::format("http://{}.example", i))->same = i;
  }
  mirrors.Find("http://1.example")->in_use = true;
  const Mirror* const added = mirrors.FindOrAdd("http://new.example");
  ASSERT_NE(added, nullptr);
  EXPECT_EQ(added->inherited, 2U);
  EXPECT_EQ(added->same, 0U);
  EXPECT_EQ(OriginsIn(mirrors), (std::set<std::string>{"http://1.example", "http://3.example",
                                                       "http://5.example", "http://new.example"}));
  EXPECT_EQ(mirrors.FindOrAdd("http://new.example"), added);
}

TEST(Mirrors, LongOriginsAreNotTaken) {
  Mirrors mirrors;
  EXPECT_EQ(mirrors.FindOrAdd("http://" + std::string(94, 'a')), nullptr);
  EXPECT_NE(mirrors.FindOrAdd("http://" + std::string(93, 'a')), nullptr);
}

TEST(Mirrors, SumOfAHostIsThatOfItsSchemes) {
  Mirrors mirrors;
  *mirrors.FindOrAdd("http://b.example") = {"http://b.example", {3, 1}, 4, 0, 0, false};
  *mirrors.FindOrAdd("https://b.example") = {"https://b.example", {5, 0}, 6, 0, 0, true};
  *mirrors.FindOrAdd("https://b.example:81") = {"https://b.example:81", {7, 7}, 8, 0, 0, true};
  const Mirror sum = mirrors.SumOf("b.example");
  EXPECT_EQ(sum.pairs, (PairCounts{8, 1}));
  EXPECT_EQ(sum.same, 10U);
  EXPECT_EQ(mirrors.SumOf("c.example").pairs.pairs(), 0U);
}

/// Mirrors of random use.
Mirrors RandomMirrors(std::mt19937_64& random) {
  Mirrors mirrors;
  const std::uint64_t steps = random() % 400;
  for (std::uint64_t i = 0; i < steps; ++i) {
    const std::string name(random() % 80, 'x');
    Mirror* const mirror =
        mirrors.FindOrAdd(fmt::format("https://{}{}.example", random() % 6, name));
    if (mirror == nullptr) continue;
    mirror->same += static_cast<std::uint32_t>(random() % 1000);
    mirror->in_use = random() % 8 == 0;
    if (random() % 4 == 0) {
      AddMiss(*mirror);
    } else {
      Add(static_cast<Likewise>(random() % 3), *mirror);
    }
  }
  return mirrors;
}

TEST(Mirrors, AreWhatTheyWereOnceTheyAreReadAndNeverTooLong) {
  std::mt19937_64 random(kSeed);
  for (int round = 0; round < 300; ++round) {
    const Mirrors mirrors = RandomMirrors(random);
    const std::string bytes = mirrors.Encode();
    ASSERT_LE(bytes.size(), Mirrors::kMaxEncodedBytes);
    ASSERT_EQ(bytes.empty(), mirrors.mirrors().size() == 0);
    Mirrors read;
    ASSERT_TRUE(read.Decode(bytes)) << "seed " << kSeed << ", round " << round;
    ASSERT_EQ(read, mirrors);
  }
}

TEST(Mirrors, DamagedBytesAreRefusedOrReadAsWhatTheyAre) {
  std::mt19937_64 random(kSeed);
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = RandomMirrors(random).Encode();
    if (bytes.empty()) continue;
    if (random() % 2 == 0) {
      bytes.resize(random() % bytes.size());
    } else {
      bytes[random() % bytes.size()] ^= static_cast<char>(1 + random() % 255);
    }
    Mirrors read;
    if (read.Decode(bytes)) {
      Mirrors again;
      ASSERT_TRUE(again.Decode(read.Encode()));
      ASSERT_EQ(again, read);
    } else {
      ++refused;
    }
  }
  EXPECT_GT(refused, 500);
  EXPECT_FALSE(Mirrors().Decode(std::string(1, '\0'))) << "none is written as nothing";
  EXPECT_FALSE(Mirrors().Decode(std::string(Mirrors::kMaxEncodedBytes + 1, '\1')));
}

}  // namespace
}  // namespace crawlsieve::site

#include "plugin/schedule/pattern_set.h"

#include <map>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace crawlsieve::schedule {
namespace {

constexpr Seconds kDay = 86'400;
constexpr Seconds kStart = 20'000 * kDay;
constexpr Seconds kHalfLife = 365 * kDay;

TEST(PatternSet, AddsVisitsToTheirPattern) {
  PatternSet set;
  set.AddVisit("/a", kStart, kDay, true, kHalfLife);
  set.AddVisit("/b", kStart, 2 * kDay, false, kHalfLife);
  EXPECT_EQ(set.Find("/a")->changes.evidence, (ChangeEvidence{256, kDay, 0}));
  EXPECT_EQ(set.Find("/b")->changes.evidence, (ChangeEvidence{0, 0, 2 * kDay}));
  EXPECT_EQ(set.Find("/c"), nullptr);
}

TEST(PatternSet, VisitsFade) {
  PatternSet set;
  for (int i = 0; i < 100; ++i) set.AddVisit("/a", kStart, kDay, true, kHalfLife);
  set.AddVisit("/a", kStart + kHalfLife, kDay, false, kHalfLife);
  EXPECT_NEAR(static_cast<double>(set.Find("/a")->changes.evidence.changes), 50.0 * 256, 256);
}

TEST(PatternSet, ASuccessorTakesRankOverButNoEvidence) {
  PatternSet set;
  for (int i = 0; i < 4; ++i) {
    for (int visit = 0; visit < 3; ++visit) {
      set.AddVisit("/" + std::to_string(i), kStart, kDay, true, kHalfLife);
    }
  }
  set.AddVisit("/new", kStart, kDay, false, kHalfLife);
  EXPECT_EQ(set.size(), PatternSet::kMaxPatterns);
  EXPECT_EQ(set.Find("/0"), nullptr) << "of equals the first makes room";
  EXPECT_EQ(set.Find("/new")->changes.evidence, (ChangeEvidence{0, 0, kDay}));
  EXPECT_EQ(set.Find("/new")->inherited, 3U);
}

/// All sets of a host.
using Host = std::map<std::uint8_t, PatternSet>;

void AddVisit(Host& host, const std::string& pattern, bool changed = false) {
  host[PatternSet::SetOf(pattern)].AddVisit(pattern, kStart, kDay, changed, kHalfLife);
}

TEST(PatternSet, PatternsThatCountSurviveAFloodOfOthers) {
  Host host;
  for (int i = 0; i < 3'000; ++i) {
    AddVisit(host, "/news", true);
    for (int j = 0; j < 3; ++j) AddVisit(host, "/flood/" + std::to_string(3 * i + j));
  }
  const PatternSchedule* news = host[PatternSet::SetOf("/news")].Find("/news");
  ASSERT_NE(news, nullptr);
  EXPECT_EQ(news->visits, 3'000U);
}

TEST(PatternSet, AHostThatMakesUpPatternsWithoutEndStaysBelow64KiB) {
  Host host;
  std::mt19937_64 random(10);
  for (int i = 0; i < 100'000; ++i) {
    std::string pattern = "/" + std::to_string(random());
    pattern.resize(400, 'x');
    host[PatternSet::SetOf(pattern)].AddVisit(pattern, ~std::uint64_t{0} >> 24, ~std::uint64_t{0},
                                              i % 2 == 0, kHalfLife);
  }
  EXPECT_EQ(host.size(), PatternSet::kSets) << "every set has some";
  std::size_t bytes = 0;
  for (const auto& [number, set] : host) {
    EXPECT_EQ(set.size(), PatternSet::kMaxPatterns);
    const std::string encoded = set.Encode();
    EXPECT_LE(encoded.size(), PatternSet::kMaxEncodedBytes);
    bytes += encoded.size() + 255;
  }
  EXPECT_LE(bytes, 64U * 1024 - 2 * 1024);
}

TEST(PatternSet, OrdinaryPatternsAreSpreadOverAllSets) {
  std::map<std::uint8_t, int> counts;
  for (int i = 0; i < 6'400; ++i)
    ++counts[PatternSet::SetOf("/section-" + std::to_string(i) + "/*")];
  EXPECT_EQ(counts.size(), PatternSet::kSets);
  for (const auto& [set, count] : counts) EXPECT_LT(count, 150) << static_cast<int>(set);
}

TEST(PatternSet, ComesBackFromItsBytesAndGoesOnAlike) {
  PatternSet set;
  for (int i = 0; i < 7; ++i) {
    set.AddVisit("/" + std::to_string(i % 5), kStart + i * kDay, kDay, i % 2 == 0, kHalfLife);
  }
  PatternSet again = PatternSet::Decode(set.Encode()).value();
  EXPECT_EQ(again, set);
  for (PatternSet* one : {&set, &again}) one->AddVisit("/later", kStart, kDay, true, kHalfLife);
  EXPECT_EQ(again.Encode(), set.Encode());
}

TEST(PatternSet, DamagedBytesAreAnErrorOrAnotherSetAndNeverACrash) {
  PatternSet set;
  set.AddVisit("/a", kStart, kDay, true, kHalfLife);
  set.AddVisit("/b", kStart, kDay, false, kHalfLife);
  const std::string bytes = set.Encode();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto decoded = PatternSet::Decode(bytes.substr(0, size));
    ASSERT_FALSE(decoded.has_value()) << size;
    EXPECT_EQ(decoded.error().code, ErrorCode::kCorruption);
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ 1 << bit);
      if (auto decoded = PatternSet::Decode(damaged)) {
        decoded->AddVisit("/c", kStart, ~std::uint64_t{0}, true, kHalfLife);
        EXPECT_LE(decoded->Encode().size(), PatternSet::kMaxEncodedBytes);
      }
    }
  }
  EXPECT_FALSE(PatternSet::Decode(bytes + "x").has_value());
  EXPECT_FALSE(PatternSet::Decode("").has_value());
}

}  // namespace
}  // namespace crawlsieve::schedule

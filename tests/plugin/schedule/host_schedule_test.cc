#include "plugin/schedule/host_schedule.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace crawlsieve::schedule {
namespace {

constexpr Seconds kHour = 3'600;
constexpr Seconds kDay = 24 * kHour;
constexpr Seconds kStart = 20'000 * kDay;
constexpr Seconds kHalfLife = 365 * kDay;

TEST(HostSchedule, AddsVisitsToTheHostAndTheirPattern) {
  HostSchedule host;
  host.AddVisit("/a", kStart, kDay, true, kHalfLife);
  host.AddVisit("/b", kStart, 2 * kDay, false, kHalfLife);
  EXPECT_EQ(host.changes().evidence, (ChangeEvidence{256, kDay, 2 * kDay}));
  EXPECT_EQ(host.Find("/a")->changes.evidence, (ChangeEvidence{256, kDay, 0}));
  EXPECT_EQ(host.Find("/b")->changes.evidence, (ChangeEvidence{0, 0, 2 * kDay}));
  EXPECT_EQ(host.Find("/c"), nullptr);
}

TEST(HostSchedule, VisitsFade) {
  HostSchedule host;
  for (int i = 0; i < 100; ++i) host.AddVisit("/a", kStart, kDay, true, kHalfLife);
  host.AddVisit("/a", kStart + kHalfLife, kDay, false, kHalfLife);
  EXPECT_NEAR(static_cast<double>(host.changes().evidence.changes), 50.0 * 256, 256);
  EXPECT_NEAR(static_cast<double>(host.Find("/a")->changes.evidence.changes), 50.0 * 256, 256);
}

/// A host that makes up patterns without end, each as long as possible.
HostSchedule Hostile(int visits) {
  HostSchedule host;
  std::mt19937_64 random(10);
  for (int i = 0; i < visits; ++i) {
    std::string pattern = "/" + std::to_string(random());
    pattern.resize(400, 'x');
    host.AddVisit(pattern, ~std::uint64_t{0} >> 24, ~std::uint64_t{0}, i % 2 == 0, kHalfLife);
    host.AddRedirect(pattern, pattern, std::to_string(random()));
    host.AddAnswer(~std::uint64_t{0} >> 24, i % 3 != 0, RetryOptions());
  }
  return host;
}

TEST(HostSchedule, TakesAtMost64KiBHoweverManyUrlsTheHostHas) {
  const HostSchedule host = Hostile(20'000);
  EXPECT_EQ(host.pattern_count(), HostSchedule::kMaxPatterns);
  EXPECT_LE(host.Encode().size(), HostSchedule::kMaxEncodedBytes);
}

TEST(HostSchedule, TakesFewBytesForAHostOfOnePage) {
  HostSchedule host;
  host.AddVisit("/", kStart, kDay, true, kHalfLife);
  EXPECT_LE(host.Encode().size(), 64U);
}

TEST(HostSchedule, PatternsThatCountSurviveAFloodOfOthers) {
  HostSchedule host;
  for (int i = 0; i < 3'000; ++i) {
    host.AddVisit("/news", kStart + i, kDay, true, kHalfLife);
    for (int j = 0; j < 3; ++j) {
      host.AddVisit("/flood/" + std::to_string(3 * i + j), kStart + i, kDay, false, kHalfLife);
    }
  }
  ASSERT_NE(host.Find("/news"), nullptr);
  EXPECT_EQ(host.Find("/news")->visits, 3'000U);
}

TEST(HostSchedule, ASuccessorTakesNoEvidenceOver) {
  HostSchedule host;
  for (std::size_t i = 0; i < HostSchedule::kMaxPatterns; ++i) {
    host.AddVisit("/" + std::to_string(i), kStart, kDay, true, kHalfLife);
  }
  host.AddVisit("/new", kStart, kDay, false, kHalfLife);
  EXPECT_EQ(host.pattern_count(), HostSchedule::kMaxPatterns);
  EXPECT_EQ(host.Find("/new")->changes.evidence, (ChangeEvidence{0, 0, kDay}));
  EXPECT_EQ(host.Find("/new")->inherited, 1U);
}

TEST(HostSchedule, TheSameVisitsLeaveTheSameBytes) {
  EXPECT_EQ(Hostile(3'000).Encode(), Hostile(3'000).Encode());
}

TEST(HostSchedule, ComesBackFromItsBytesAndGoesOnAlike) {
  HostSchedule host = Hostile(2'000);
  HostSchedule again = HostSchedule::Decode(host.Encode()).value();
  EXPECT_EQ(again, host);
  for (HostSchedule* one : {&host, &again}) {
    one->AddVisit("/later", kStart, kDay, true, kHalfLife);
    one->AddAnswer(kStart, true, RetryOptions());
    one->AddRedirect("a", "b", "c");
  }
  EXPECT_EQ(again.Encode(), host.Encode());
}

TEST(HostSchedule, DamagedBytesAreAnErrorOrAnotherHostAndNeverACrash) {
  HostSchedule host;
  host.AddVisit("/a", kStart, kDay, true, kHalfLife);
  host.AddRedirect("s", "/a", "t");
  const std::string bytes = host.Encode();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(HostSchedule::Decode(bytes.substr(0, size)).has_value()) << size;
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ 1 << bit);
      (void)HostSchedule::Decode(damaged);
    }
  }
  EXPECT_FALSE(HostSchedule::Decode(bytes + "x").has_value());
}

TEST(HostSchedule, PausesWhileMoreThanHalfOfTwentyFail) {
  HostSchedule host;
  const RetryOptions retry;
  Seconds now = kStart;
  for (int i = 0; i < 10; ++i) host.AddAnswer(now, false, retry);
  for (int i = 0; i < 10; ++i) host.AddAnswer(now, true, retry);
  EXPECT_EQ(host.paused_until(), 0U) << "ten of twenty";
  host.AddAnswer(now, true, retry);
  EXPECT_EQ(host.paused_until(), now + 2 * kHour);
  host.AddAnswer(now + kHour, true, retry);
  EXPECT_EQ(host.paused_until(), now + 2 * kHour) << "a fetch that was under way";
  now += 2 * kHour;
  host.AddAnswer(now, true, retry);
  EXPECT_EQ(host.paused_until(), now + 4 * kHour);
  for (int i = 0; i < 20; ++i) host.AddAnswer(now + kDay, false, retry);
  EXPECT_EQ(host.paused_until(), 0U);
}

TEST(HostSchedule, NineteenFailuresOfAnUnknownHostAreNoPause) {
  HostSchedule host;
  for (int i = 0; i < 19; ++i) host.AddAnswer(kStart, true, RetryOptions());
  EXPECT_EQ(host.paused_until(), 0U);
}

TEST(HostSchedule, TenSourcesOfTwoPatternsMakeASink) {
  HostSchedule host;
  for (int i = 0; i < 9; ++i) {
    host.AddRedirect("/a/" + std::to_string(i), i % 2 == 0 ? "/a/*" : "/b", "/home");
  }
  EXPECT_FALSE(host.IsSink("/home"));
  host.AddRedirect("/a/8", "/a/*", "/home");
  EXPECT_FALSE(host.IsSink("/home")) << "a source that was counted";
  host.AddRedirect("/a/9", "/a/*", "/home");
  EXPECT_TRUE(host.IsSink("/home"));
  EXPECT_FALSE(host.IsSink("/other"));
}

TEST(HostSchedule, ManySourcesOfOnePatternAreNoSink) {
  HostSchedule host;
  for (int i = 0; i < 100; ++i) host.AddRedirect(std::to_string(i), "/old/*", "/new");
  EXPECT_FALSE(host.IsSink("/new"));
}

}  // namespace
}  // namespace crawlsieve::schedule

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

TEST(HostSchedule, AddsVisits) {
  HostSchedule host;
  EXPECT_FALSE(host.has_visits());
  host.AddVisit(kStart, kDay, true, kHalfLife);
  host.AddVisit(kStart, 2 * kDay, false, kHalfLife);
  EXPECT_EQ(host.changes().evidence, (ChangeEvidence{256, kDay, 2 * kDay}));
  EXPECT_TRUE(host.has_visits());
}

TEST(HostSchedule, VisitsFade) {
  HostSchedule host;
  for (int i = 0; i < 100; ++i) host.AddVisit(kStart, kDay, true, kHalfLife);
  host.AddVisit(kStart + kHalfLife, kDay, false, kHalfLife);
  EXPECT_NEAR(static_cast<double>(host.changes().evidence.changes), 50.0 * 256, 256);
}

/// A host that makes up redirects without end.
HostSchedule Hostile(int visits) {
  HostSchedule host;
  std::mt19937_64 random(10);
  for (int i = 0; i < visits; ++i) {
    const std::string text = std::to_string(random());
    host.AddVisit(~std::uint64_t{0} >> 24, ~std::uint64_t{0}, i % 2 == 0, kHalfLife);
    // Each target for a while, so that its lists fill up.
    host.AddRedirect(text, text, std::to_string(i / 20 % 40));
    host.AddAnswer(~std::uint64_t{0} >> 24, i % 3 != 0, RetryOptions());
  }
  return host;
}

TEST(HostSchedule, StaysBelowItsBoundHoweverManyUrlsTheHostHas) {
  const std::size_t bytes = Hostile(20'000).Encode().size();
  EXPECT_LE(bytes, HostSchedule::kMaxEncodedBytes);
  EXPECT_GT(bytes, HostSchedule::kMaxEncodedBytes / 2) << "not the worst case";
}

TEST(HostSchedule, TakesFewBytesForAHostOfOnePage) {
  HostSchedule host;
  host.AddVisit(kStart, kDay, true, kHalfLife);
  host.AddAnswer(kStart, false, RetryOptions());
  EXPECT_LE(host.Encode().size(), 32U);
}

TEST(HostSchedule, TheSameVisitsLeaveTheSameBytes) {
  EXPECT_EQ(Hostile(3'000).Encode(), Hostile(3'000).Encode());
}

TEST(HostSchedule, ComesBackFromItsBytesAndGoesOnAlike) {
  HostSchedule host = Hostile(2'000);
  HostSchedule again = HostSchedule::Decode(host.Encode()).value();
  EXPECT_EQ(again, host);
  for (HostSchedule* one : {&host, &again}) {
    one->AddVisit(kStart, kDay, true, kHalfLife);
    one->AddAnswer(kStart, true, RetryOptions());
    one->AddRedirect("a", "b", "c");
  }
  EXPECT_EQ(again.Encode(), host.Encode());
}

TEST(HostSchedule, DamagedBytesAreAnErrorOrAnotherHostAndNeverACrash) {
  HostSchedule host;
  host.AddVisit(kStart, kDay, true, kHalfLife);
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

#include "consumer/status/history.h"

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

/// Begins a minute, and an hour.
const Timestamp kStart{std::chrono::hours(500'000)};

Activity Kept(std::uint64_t pages) {
  Activity activity;
  activity.kept = pages;
  activity.consumed = pages;
  activity.reasons[1] = pages;
  activity.latencies[0][2] = pages;
  return activity;
}

TEST(History, IsEmptyAtFirst) {
  const History history;
  EXPECT_TRUE(history.Points(5).empty());
  EXPECT_EQ(history.Last(60).verdicts(), 0U);
  EXPECT_EQ(history.Recent().seconds, 0);
}

TEST(History, TellsTheLastSamplesFromThoseBefore) {
  History history;
  for (int i = 0; i < 10; ++i) history.Add(kStart + seconds(5 * i), seconds(5), Kept(i));
  const History::Stretch recent = history.Recent();
  EXPECT_EQ(recent.activity.kept, 4U + 5 + 6 + 7 + 8 + 9);
  EXPECT_EQ(recent.activity.reasons[1], recent.activity.kept);
  EXPECT_EQ(recent.activity.latencies[0][2], recent.activity.kept);
  EXPECT_EQ(recent.seconds, 30);
  EXPECT_EQ(history.Last(60).kept, 45U);
}

TEST(History, AddsUpTheLastMinutes) {
  History history;
  for (int i = 0; i < 200; ++i) history.Add(kStart + minutes(i), seconds(60), Kept(1));
  EXPECT_EQ(history.Last(60).kept, 60U);
  EXPECT_EQ(history.Last(History::kMinutes).kept, 200U);
  EXPECT_EQ(history.Last(1'000'000).kept, 200U);
}

TEST(History, ForgetsWhatIsADayOld) {
  History history;
  history.Add(kStart, seconds(5), Kept(1000));
  for (int i = 1; i < 1440; ++i) history.Add(kStart + minutes(i), seconds(60), Kept(1));
  EXPECT_EQ(history.Last(History::kMinutes).kept, 1000U + 1439);
  history.Add(kStart + minutes(1440), seconds(60), Kept(1));
  EXPECT_EQ(history.Last(History::kMinutes).kept, 1440U);
  EXPECT_EQ(history.Points(1).front().begin, kStart + minutes(1));
}

TEST(History, HasPointsFromTheFirstSampleOnWithZerosWhereNothingHappened) {
  History history;
  history.Add(kStart + minutes(7), seconds(5), Kept(1));
  history.Add(kStart + minutes(8), seconds(5), Kept(2));
  history.Add(kStart + minutes(21), seconds(5), Kept(4));
  const auto points = history.Points(5);
  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(points[0].begin, kStart + minutes(5));
  EXPECT_EQ(points[0].kept, 3U);
  EXPECT_EQ(points[0].consumed, 3U);
  EXPECT_EQ(points[1].kept, 0U);
  EXPECT_EQ(points[2].kept, 0U);
  EXPECT_EQ(points[3].begin, kStart + minutes(20));
  EXPECT_EQ(points[3].kept, 4U);
}

TEST(History, LosesNothingWhenTheClockIsSetBack) {
  History history;
  history.Add(kStart + minutes(90), seconds(5), Kept(1));
  history.Add(kStart + minutes(30), seconds(5), Kept(2));
  EXPECT_EQ(history.Last(1).kept, 3U);
  history.Add(kStart + minutes(91), seconds(5), Kept(4));
  EXPECT_EQ(history.Last(1).kept, 4U);
  EXPECT_EQ(history.Last(2).kept, 7U);
}

TEST(History, BeginsAnewWhenTheClockJumpsAYearAhead) {
  History history;
  history.Add(kStart, seconds(5), Kept(1));
  history.Add(kStart + std::chrono::hours(24 * 365), seconds(5), Kept(2));
  EXPECT_EQ(history.Last(History::kMinutes).kept, 2U);
  EXPECT_EQ(history.Points(1).size(), History::kMinutes);
}

TEST(Quantile, IsInterpolatedInItsBucketAsPrometheusDoes) {
  LatencyCounts counts{};
  EXPECT_EQ(Quantile(counts, 0.5), std::nullopt);
  counts[6] = 100;  // 5 ms to 10 ms
  EXPECT_DOUBLE_EQ(*Quantile(counts, 0.5), 0.0075);
  EXPECT_DOUBLE_EQ(*Quantile(counts, 1), 0.01);
  EXPECT_DOUBLE_EQ(*Quantile(counts, 0), 0.005);
  counts[0] = 100;  // up to 0.1 ms
  EXPECT_DOUBLE_EQ(*Quantile(counts, 0.25), 0.00005);
  EXPECT_DOUBLE_EQ(*Quantile(counts, 0.75), 0.0075);
}

TEST(Quantile, AboveAllBoundsIsTheLastBound) {
  LatencyCounts counts{};
  counts.back() = 1;
  EXPECT_DOUBLE_EQ(*Quantile(counts, 0.5), 60);
}

}  // namespace
}  // namespace crawlsieve::consumer

#include "consumer/observability/outages.h"

#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;

constexpr Outages::Clock::time_point kBegin{std::chrono::hours(1)};

TEST(Outages, WriteTheFirstLineAndThenFewerAndFewer) {
  Outages outages;
  std::vector<int> written;
  for (int second = 0; second <= 3'600; ++second) {
    const auto advice = outages.Add("broker", kBegin + seconds(second));
    if (!advice.write) continue;
    written.push_back(second);
    EXPECT_EQ(advice.times, static_cast<std::uint64_t>(second) + 1);
    EXPECT_EQ(advice.since, seconds(second));
    EXPECT_TRUE(outages.TakeEnded(kBegin + seconds(second)).empty());
  }
  EXPECT_THAT(written, ElementsAre(0, 10, 30, 70, 150, 310, 630, 1'230, 1'830, 2'430, 3'030));
}

TEST(Outages, EndAfterAQuietMinute) {
  Outages outages;
  for (int second = 0; second < 50; second += 5) {
    (void)outages.Add("broker", kBegin + seconds(second));
  }
  (void)outages.Add("once", kBegin);
  EXPECT_TRUE(outages.TakeEnded(kBegin + seconds(104)).empty()) << "59 s after the last";
  const auto ended = outages.TakeEnded(kBegin + seconds(105));
  ASSERT_EQ(ended.size(), 1U) << "what came once had its line";
  EXPECT_EQ(ended[0].key, "broker");
  EXPECT_EQ(ended[0].times, 10U);
  EXPECT_EQ(ended[0].last - ended[0].first, seconds(45));
  EXPECT_TRUE(outages.TakeEnded(kBegin + seconds(1'000)).empty());
  EXPECT_TRUE(outages.Add("broker", kBegin + seconds(200)).write) << "a new one";
}

TEST(Outages, AreAllTakenAtTheEnd) {
  Outages outages;
  for (int i = 0; i < 3; ++i) {
    (void)outages.Add("b", kBegin + seconds(i));
    (void)outages.Add("a", kBegin + seconds(i + 1));
  }
  const auto ended = outages.TakeEnded(kBegin + seconds(4), /*all=*/true);
  ASSERT_EQ(ended.size(), 2U);
  EXPECT_EQ(ended[0].key, "b") << "by their first line";
}

TEST(Outages, BeyondTheBoundAreWritten) {
  Outages outages;
  for (std::size_t i = 0; i < Outages::kMost; ++i) {
    EXPECT_TRUE(outages.Add(std::to_string(i), kBegin).write);
  }
  EXPECT_FALSE(outages.Add("0", kBegin).write);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(outages.Add("one more", kBegin).write);
}

}  // namespace
}  // namespace crawlsieve::consumer

#include "evaluation/crawl/steps.h"

#include <array>
#include <cstdint>
#include <limits>
#include <set>

#include "evaluation/crawl/reservoir.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::array<std::int64_t, 3> kWidths{60, 3'600, 86'400};

std::uint64_t PagesIn(const Steps& steps) {
  std::uint64_t pages = 0;
  for (const auto& [begin, count] : steps.counts()) pages += count.pages();
  return pages;
}

TEST(Steps, CountPagesWhereTheyAre) {
  Steps steps(kWidths);
  steps.Add(59, true);
  steps.Add(60, true);
  steps.Add(119, false);
  steps.Add(-1, false);
  ASSERT_EQ(steps.counts().size(), 3U);
  EXPECT_EQ(steps.counts().at(-60).dropped, 1U);
  EXPECT_EQ(steps.counts().at(0).kept, 1U);
  EXPECT_EQ(steps.counts().at(60).kept, 1U);
  EXPECT_EQ(steps.counts().at(60).dropped, 1U);
}

TEST(Steps, GetWiderAndLoseNothing) {
  Steps steps(kWidths);
  constexpr std::uint64_t kPages = 20'000;
  for (std::uint64_t i = 0; i < kPages; ++i) {
    steps.Add(static_cast<std::int64_t>(i) * 61, i % 3 != 0);
    ASSERT_LE(steps.counts().size(), Steps::kMost);
  }
  EXPECT_EQ(steps.width(), 3'600);
  EXPECT_EQ(PagesIn(steps), kPages);
  // Far apart: wider than any width that was named, and still bounded.
  for (std::int64_t i = 0; i < 1'000; ++i) steps.Add(i * 253'402'300, true);
  EXPECT_LE(steps.counts().size(), Steps::kMost);
  EXPECT_EQ(PagesIn(steps), kPages + 1'000);
  for (const auto& [begin, count] : steps.counts()) EXPECT_EQ(begin % steps.width(), 0);
}

TEST(MainRange, LeavesOutAFewPagesOfWrongTimes) {
  Steps steps(kWidths);
  for (std::int64_t i = 0; i < 1'000; ++i) steps.Add(1'000'000 + i, true);
  steps.Add(0, false);
  steps.Add(200'000'000'000, false);
  const StepRange range = MainRange(steps);
  EXPECT_EQ(range.begin, 999'960);
  EXPECT_EQ(range.end, 1'001'040);
  EXPECT_EQ(range.before, 1U);
  EXPECT_EQ(range.after, 1U);
  const StepRange none = MainRange(Steps(kWidths));
  EXPECT_EQ(none.begin, none.end);
}

TEST(MainRange, OfOneStepIsThatStep) {
  Steps steps(kWidths);
  steps.Add(70, true);
  const StepRange range = MainRange(steps);
  EXPECT_EQ(range.begin, 60);
  EXPECT_EQ(range.end, 120);
}

TEST(Reservoir, IsBoundedDeterministicAndEven) {
  Reservoir<int> one(100);
  Reservoir<int> other(100);
  int made = 0;
  for (int i = 0; i < 10'000; ++i) {
    one.Offer([&] {
      ++made;
      return i;
    });
    other.Offer([&] { return i; });
  }
  EXPECT_EQ(one.values(), other.values());
  EXPECT_EQ(one.values().size(), 100U);
  EXPECT_EQ(one.offered(), 10'000U);
  EXPECT_LT(made, 1'000) << "only what is chosen is made: about 100 (1 + ln 100)";
  int first_half = 0;
  for (const int value : one.values()) first_half += value < 5'000 ? 1 : 0;
  EXPECT_GT(first_half, 25);
  EXPECT_LT(first_half, 75);
}

}  // namespace
}  // namespace crawlsieve::consumer

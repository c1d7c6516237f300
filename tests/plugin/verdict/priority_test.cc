#include "plugin/verdict/priority.h"

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

PriorityEvidence Fresh() { return {.novelty = 10'000, .host_pages = 1, .path_depth = 0}; }

TEST(Priority, AFreshPageOfAnUnknownHostIsHigh) {
  const Priority priority = ComputePriority(PriorityParameters(), Fresh());
  EXPECT_EQ(priority.components.novelty.ten_thousandths, 10'000U);
  EXPECT_EQ(priority.components.host.ten_thousandths, 8'000U);  // 1 - 1/5
  EXPECT_EQ(priority.components.depth.ten_thousandths, 10'000U);
  EXPECT_EQ(priority.components.change.ten_thousandths, 5'000U);
  EXPECT_EQ(priority.score.ten_thousandths, 8'400U);  // 0.4 + 0.3*0.8 + 0.1 + 0.2*0.5
}

TEST(Priority, EachComponentMovesTheScoreItsWay) {
  const Score base = ComputePriority(PriorityParameters(), Fresh()).score;
  PriorityEvidence evidence = Fresh();
  evidence.novelty = 0;
  EXPECT_LT(ComputePriority(PriorityParameters(), evidence).score, base);
  evidence = Fresh();
  evidence.host_duplicates = 1;
  EXPECT_LT(ComputePriority(PriorityParameters(), evidence).score, base);
  evidence = Fresh();
  evidence.path_depth = 5;
  EXPECT_LT(ComputePriority(PriorityParameters(), evidence).score, base);
  evidence = Fresh();
  evidence.refetches = 1;
  EXPECT_LT(ComputePriority(PriorityParameters(), evidence).score, base);
  evidence.changes = 1;
  EXPECT_GT(ComputePriority(PriorityParameters(), evidence).score, base);
}

TEST(Priority, StaysWithinZeroAndOneAtTheExtremes) {
  for (const std::uint64_t many : {0ULL, 1ULL, 1'000'000'000'000ULL}) {
    for (const std::uint32_t depth : {0U, 1U, ~0U}) {
      const PriorityEvidence evidence = {.novelty = 10'000,
                                         .host_pages = many,
                                         .host_duplicates = many,
                                         .path_depth = depth,
                                         .refetches = many,
                                         .changes = many};
      const Priority priority = ComputePriority(PriorityParameters(), evidence);
      EXPECT_LE(priority.score.ten_thousandths, Score::kOne);
      EXPECT_LE(priority.components.change.ten_thousandths, Score::kOne);
    }
  }
}

TEST(NextInterval, HalvesOnChangeGrowsByHalfWithoutAndStaysInBounds) {
  const RecrawlIntervals intervals{
      .initial_seconds = 1000, .min_seconds = 300, .max_seconds = 2000};
  EXPECT_EQ(NextInterval(intervals, 1000, true), 500U);
  EXPECT_EQ(NextInterval(intervals, 500, true), 300U);
  EXPECT_EQ(NextInterval(intervals, 1000, false), 1500U);
  EXPECT_EQ(NextInterval(intervals, 1500, false), 2000U);
  EXPECT_EQ(NextInterval(intervals, ~0ULL, false), 2000U);
}

}  // namespace
}  // namespace crawlsieve

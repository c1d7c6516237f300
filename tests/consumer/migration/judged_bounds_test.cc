#include "consumer/migration/judged_bounds.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using Found = std::map<InputPartition, std::int64_t>;

TEST(JudgedBounds, BehindTheLatestVerdictNothingWasJudged) {
  JudgedBounds judged;
  judged.SeeVerdict({"pages", 0, 7}, 12);
  judged.SeeVerdict({"pages", 0, 5}, 10);  // partitions of the topic are read in any order
  judged.SeeVerdict({"pages", 1, 3}, 11);
  EXPECT_EQ(judged.Bounds(), (Found{{{"pages", 0}, 8}, {{"pages", 1}, 4}}));
}

TEST(JudgedBounds, InATopicThatIsJudgedAnewTheLatestVerdictCountsNotTheHighestOffset) {
  JudgedBounds judged;
  judged.SeeVerdict({"pages", 0, 1'000'000}, 50);
  judged.SeeVerdict({"pages", 0, 4}, 60);
  EXPECT_EQ(judged.Bounds(), (Found{{{"pages", 0}, 5}}));
}

TEST(JudgedBounds, WhatWaitsAgainAfterItWasJudgedIsNotJudgedAnew) {
  JudgedBounds judged;
  judged.SeeVerdict({"pages", 0, 11}, 20);
  // An extract process that was killed put 10 and 11 into the log again.
  for (const std::int64_t offset : {10, 11, 12}) judged.SeeWaiting({"pages", 0, offset});
  judged.SeeExtracted({"pages", 0}, 13);
  EXPECT_EQ(judged.Bounds(), (Found{{{"pages", 0}, 12}}));
}

TEST(JudgedBounds, WithoutAVerdictThatIsLeftTheLogOrExtractionSaysWhereItGoesOn) {
  JudgedBounds judged;
  judged.SeeExtracted({"pages", 0}, 90);
  judged.SeeWaiting({"pages", 1, 40});
  judged.SeeWaiting({"pages", 1, 41});
  judged.SeeExtracted({"pages", 1}, 42);
  EXPECT_EQ(judged.Bounds(), (Found{{{"pages", 0}, 90}, {{"pages", 1}, 40}}));
}

TEST(JudgedBounds, OfNothingNothingIsKnown) { EXPECT_TRUE(JudgedBounds().Bounds().empty()); }

/// A log of one partition whose writer is killed now and then and goes back to what it had
/// committed; a judge that gives each record one verdict, up to some place of the log.
TEST(JudgedBounds, AnyHistoryOfOneDeploymentIsSplitWhereItsVerdictsEnd) {
  constexpr std::uint32_t kSeed = 20261126;
  std::mt19937 random(kSeed);
  for (int round = 0; round < 2000; ++round) {
    SCOPED_TRACE(round);
    std::vector<std::int64_t> log;
    std::int64_t committed = 0;
    std::int64_t next = 0;
    for (auto left = random() % 40; left > 0; --left) {
      if (random() % 5 == 0) committed = next;
      if (random() % 7 == 0) next = committed;
      log.push_back(next++);
    }
    const std::size_t done = log.empty() ? 0 : random() % (log.size() + 1);
    std::int64_t unjudged = 0;
    for (std::size_t i = 0; i < done; ++i) unjudged = std::max(unjudged, log[i] + 1);
    JudgedBounds judged;
    // Retention may have left the last verdict only; with none left, it all lies far back, before
    // what the writer would ever go back to.
    if (unjudged > 0) {
      judged.SeeVerdict({"pages", 0, unjudged - 1}, static_cast<std::uint64_t>(unjudged));
    }
    judged.SeeExtracted({"pages", 0}, committed);
    for (std::size_t i = done; i < log.size(); ++i) judged.SeeWaiting({"pages", 0, log[i]});
    EXPECT_EQ(judged.Bounds(), (Found{{{"pages", 0}, unjudged}}));
  }
}

}  // namespace
}  // namespace crawlsieve::consumer

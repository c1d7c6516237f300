#include "consumer/migration/judged_bounds.h"

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using Found = std::map<InputPartition, std::int64_t>;

log::Source At(std::int32_t partition, std::int64_t offset, std::uint32_t generation = 1) {
  log::Source source;
  source.set_topic("pages");
  source.set_partition(partition);
  source.set_offset(offset);
  source.set_generation(generation);
  return source;
}

TEST(JudgedBounds, BehindTheHighestJudgedOffsetNothingWasJudged) {
  JudgedBounds bounds;
  for (const std::int64_t offset : {5, 6, 7}) bounds.SeeJudged(At(0, offset));
  bounds.SeeJudged(At(1, 3));
  EXPECT_EQ(bounds.Bounds(), (Found{{{"pages", 0}, 8}, {{"pages", 1}, 4}}));
}

TEST(JudgedBounds, ALossThatWasMadeGoodLateMovesNothingBack) {
  JudgedBounds bounds;
  for (const std::int64_t offset : {50, 61, 100, 51, 60}) bounds.SeeJudged(At(0, offset));
  EXPECT_EQ(bounds.Bounds(), (Found{{{"pages", 0}, 101}}));
}

TEST(JudgedBounds, InATopicThatIsJudgedAnewTheOffsetsOfBeforeDontCount) {
  JudgedBounds bounds;
  bounds.SeeJudged(At(0, 1'000'000, 1));
  bounds.SeeJudged(At(0, 4, 2));
  bounds.SeeJudged(At(0, 1'000'001, 1));  // a process that still has the old generation
  EXPECT_EQ(bounds.Bounds(), (Found{{{"pages", 0}, 5}}));
  // Nothing of the third generation was judged.
  bounds.SeeWaiting(At(0, 2, 3));
  EXPECT_EQ(bounds.Bounds(), (Found{{{"pages", 0}, 2}}));
}

TEST(JudgedBounds, WhatWaitsAgainAfterItWasJudgedIsNotJudgedAnew) {
  JudgedBounds bounds;
  bounds.SeeJudged(At(0, 11));
  // An extract process that was killed put 10 and 11 into the log again.
  for (const std::int64_t offset : {10, 11, 12}) bounds.SeeWaiting(At(0, offset));
  bounds.SeeExtracted({"pages", 0}, 13);
  EXPECT_EQ(bounds.Bounds(), (Found{{{"pages", 0}, 12}}));
}

TEST(JudgedBounds, OfPartitionsWithoutAJudgedEntryTheLogOrExtractionSaysWhereTheyGoOn) {
  JudgedBounds bounds;
  bounds.SeeExtracted({"pages", 0}, 90);
  bounds.SeeWaiting(At(1, 40));
  bounds.SeeWaiting(At(1, 41));
  bounds.SeeExtracted({"pages", 1}, 42);
  EXPECT_EQ(bounds.Bounds(), (Found{{{"pages", 0}, 90}, {{"pages", 1}, 40}}));
}

TEST(JudgedBounds, PositionsAndEntriesWithoutASourceAreNoRecords) {
  JudgedBounds bounds;
  log::Source position = At(0, 70);
  position.set_is_position(true);
  bounds.SeeJudged(position);
  bounds.SeeWaiting(position);
  bounds.SeeJudged({});
  EXPECT_TRUE(bounds.Bounds().empty());
}

/// A log whose writer is killed now and then and goes back to what it had committed, or repairs a
/// loss; a judge that gives each record one verdict, up to some place of the log.
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
      if (random() % 9 == 0) ++next;  // lost
      log.push_back(next++);
    }
    const std::size_t done = log.empty() ? 0 : random() % (log.size() + 1);
    JudgedBounds bounds;
    bounds.SeeExtracted({"pages", 0}, committed);
    std::set<std::int64_t> judged;
    for (std::size_t i = 0; i < log.size(); ++i) {
      if (i < done) judged.insert(log[i]);
      i < done ? bounds.SeeJudged(At(0, log[i])) : bounds.SeeWaiting(At(0, log[i]));
    }
    const std::int64_t bound = bounds.Bounds().at({"pages", 0});
    EXPECT_TRUE(judged.lower_bound(bound) == judged.end()) << "a second verdict";
    if (!judged.empty()) {
      EXPECT_TRUE(judged.contains(bound - 1)) << "no verdict";
    } else if (!log.empty()) {
      EXPECT_EQ(bound, log.front()) << "no verdict";
    }
  }
}

}  // namespace
}  // namespace crawlsieve::consumer

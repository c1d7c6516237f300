#include "consumer/pipeline/offset_tracker.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

TEST(OffsetTracker, NamesTheRecordBefore) {
  OffsetTracker tracker;
  EXPECT_EQ(tracker.Take(0, 1), -1);
  EXPECT_EQ(tracker.Take(1, 1), 0);
  EXPECT_EQ(tracker.Take(5, 1), 1);
}

TEST(OffsetTracker, TheFirstRecordOfAnAssignmentHasNoneBeforeIt) {
  OffsetTracker tracker;
  EXPECT_EQ(tracker.Take(9, 1), -1) << "an offset that was set forward is no late writer";
}

TEST(OffsetTracker, CommitsTheDonePrefixOnly) {
  OffsetTracker tracker;
  for (const int offset : {0, 1, 2}) tracker.Take(offset, 1);
  tracker.Acknowledge(1);
  EXPECT_EQ(tracker.Committable(), std::nullopt);
  tracker.Acknowledge(0);
  EXPECT_EQ(tracker.Committable(), 2);
  EXPECT_EQ(tracker.Committable(), 2);
  tracker.Acknowledge(2);
  EXPECT_EQ(tracker.Committable(), 3);
  EXPECT_EQ(tracker.open(), 0U);
}

TEST(OffsetTracker, WaitsForEveryAcknowledgementOfARecord) {
  OffsetTracker tracker;
  tracker.Take(0, 1);
  tracker.Expect(0);
  tracker.Acknowledge(0);
  EXPECT_EQ(tracker.Committable(), std::nullopt);
  tracker.Acknowledge(0);
  EXPECT_EQ(tracker.Committable(), 1);
}

TEST(OffsetTracker, KnowsRedeliveries) {
  OffsetTracker tracker;
  EXPECT_FALSE(tracker.IsTaken(5));
  tracker.Take(5, 1);
  EXPECT_TRUE(tracker.IsTaken(5));
  EXPECT_TRUE(tracker.IsTaken(4));
  EXPECT_FALSE(tracker.IsTaken(6));
}

TEST(OffsetTracker, TakesRecordsAgainAfterARewind) {
  OffsetTracker tracker;
  tracker.Take(3, 1);
  const std::int64_t before = tracker.Take(5, 1);
  tracker.Take(8, 1);
  tracker.Acknowledge(8);
  tracker.Rewind(5, before);
  EXPECT_TRUE(tracker.IsTaken(3));
  EXPECT_FALSE(tracker.IsTaken(5));
  EXPECT_EQ(tracker.open(), 1U);
  tracker.Acknowledge(3);
  EXPECT_EQ(tracker.Committable(), 4) << "nothing behind the rewind is done";
  EXPECT_EQ(tracker.Take(5, 1), 3);
  tracker.Acknowledge(5);
  EXPECT_EQ(tracker.Committable(), 6);
  tracker.Rewind(8, tracker.Take(8, 1));
  EXPECT_EQ(tracker.Committable(), 6);
}

TEST(OffsetTracker, ARewindToTheFirstRecordBeginsAnew) {
  OffsetTracker tracker;
  tracker.Rewind(7, tracker.Take(7, 1));
  EXPECT_EQ(tracker.Take(7, 1), -1);
  EXPECT_EQ(tracker.Committable(), std::nullopt);
}

TEST(OffsetTracker, IgnoresAcknowledgementsOfRecordsItDoesNotKnow) {
  OffsetTracker tracker;
  tracker.Take(3, 1);
  tracker.Acknowledge(2);
  tracker.Acknowledge(4);
  EXPECT_EQ(tracker.Committable(), std::nullopt);
}

TEST(OffsetTracker, CommittableIsNeverPastAnOpenRecordInAnyOrderOfAcknowledgement) {
  std::mt19937 random(20070508);
  for (int round = 0; round < 200; ++round) {
    OffsetTracker tracker;
    std::vector<std::int64_t> open;
    std::int64_t offset = 0;
    for (int i = 0; i < 30; ++i) {
      tracker.Take(offset, 1);
      open.push_back(offset);
      offset += 1 + random() % 3;
    }
    const std::int64_t last = open.back();
    std::int64_t committed = 0;
    std::shuffle(open.begin(), open.end(), random);
    while (!open.empty()) {
      tracker.Acknowledge(open.back());
      open.pop_back();
      if (const auto next = tracker.Committable()) {
        EXPECT_GE(*next, committed);
        committed = *next;
      }
      for (const std::int64_t still_open : open) ASSERT_LE(committed, still_open);
    }
    EXPECT_EQ(committed, last + 1);
  }
}

}  // namespace
}  // namespace crawlsieve::consumer

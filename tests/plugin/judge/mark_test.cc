#include "plugin/judge/mark.h"

#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

/// Advances one partition's mark by made-up entries.
class MarkTest : public ::testing::Test {
 protected:
  static log::Source At(std::int64_t offset, std::int64_t previous, std::int64_t timestamp_ms = 0) {
    log::Source source;
    source.set_topic("pages");
    source.set_generation(1);
    source.set_offset(offset);
    source.set_previous_offset(previous);
    source.set_timestamp_ms(timestamp_ms != 0 ? timestamp_ms : 1'000'000 + offset);
    return source;
  }

  MarkStep Step(const log::Source& source) {
    MarkStep step = AdvanceMark(mark_.has_value() ? &*mark_ : nullptr, source, fold_version_);
    if (!step.refused.has_value() || step.opened.has_value()) mark_ = step.mark;
    return step;
  }

  /// The group was done up to `offset`.
  static log::Source Position(std::int64_t offset) {
    log::Source source = At(offset, offset - 1);
    source.set_is_position(true);
    return source;
  }

  /// Records `from` to `to`, without one missing between them.
  void Fold(std::int64_t from, std::int64_t to) {
    for (std::int64_t offset = from; offset <= to; ++offset) {
      const MarkStep step = Step(At(offset, offset - 1));
      EXPECT_FALSE(step.refused.has_value()) << offset;
    }
  }

  std::vector<OffsetRange> Gaps() const {
    std::vector<OffsetRange> gaps;
    for (const auto& gap : mark_->gap()) gaps.push_back({gap.from(), gap.to()});
    return gaps;
  }

  std::optional<state::Mark> mark_;
  std::uint32_t fold_version_ = kFoldVersionOfGaps;
};

TEST_F(MarkTest, APositionNamesAllThatTheLogLostUpToIt) {
  fold_version_ = kFoldVersionOfPositions;
  Fold(0, 80);
  const MarkStep step = Step(Position(100));
  EXPECT_EQ(step.refused, FoldOutcome::kPosition);
  EXPECT_EQ(step.opened, (OffsetRange{81, 100}));
  EXPECT_EQ(mark_->offset(), 100);
  // The records come again, the one at the position too.
  for (std::int64_t offset = 81; offset <= 100; ++offset) {
    EXPECT_TRUE(Step(At(offset, offset - 1)).fills_gap) << offset;
  }
  EXPECT_TRUE(Gaps().empty());
  Fold(101, 102);
}

TEST_F(MarkTest, APositionThatTheLogHasReachedChangesNothing) {
  fold_version_ = kFoldVersionOfPositions;
  Fold(0, 80);
  Fold(101, 120);  // 81 to 100 are a gap
  for (const std::int64_t offset : {0, 80, 81, 100, 120}) {
    const MarkStep step = Step(Position(offset));
    EXPECT_EQ(step.refused, FoldOutcome::kPosition);
    EXPECT_EQ(step.opened, std::nullopt);
  }
  EXPECT_EQ(Gaps(), (std::vector<OffsetRange>{{81, 100}})) << "no record came";
}

TEST_F(MarkTest, APositionMayBeTheFirstThatIsKnownOfAPartition) {
  fold_version_ = kFoldVersionOfPositions;
  EXPECT_EQ(Step(Position(9)).opened, (OffsetRange{0, 9}));
  Fold(10, 12);
  log::Source later = Position(4);
  later.set_generation(2);
  EXPECT_EQ(Step(later).opened, (OffsetRange{0, 4}));
  EXPECT_EQ(Step(Position(20)).refused, FoldOutcome::kStaleGeneration);
}

TEST_F(MarkTest, RepeatsOfACrashAreIgnoredWithoutAnAlarm) {
  Fold(0, 99);
  for (std::int64_t offset = 40; offset < 100; ++offset) {
    const MarkStep step = Step(At(offset, offset == 40 ? 39 : offset - 1));
    EXPECT_EQ(step.refused, FoldOutcome::kRedelivered);
    EXPECT_EQ(step.opened, std::nullopt);
  }
  Fold(100, 110);
  EXPECT_TRUE(Gaps().empty());
}

TEST_F(MarkTest, EntriesThatTheLogLostAreNamedAndTheOwnersGoOnBeingJudged) {
  Fold(0, 80);
  const MarkStep step = Step(At(101, 100));
  EXPECT_EQ(step.refused, std::nullopt);
  EXPECT_EQ(step.opened, (OffsetRange{81, 100}));
  Fold(102, 120);
  EXPECT_EQ(Gaps(), (std::vector<OffsetRange>{{81, 100}}));
}

TEST_F(MarkTest, WhatIsDeliveredAgainIntoAGapIsJudgedOnce) {
  Fold(0, 80);
  Fold(101, 120);
  for (std::int64_t offset = 81; offset <= 100; ++offset) {
    EXPECT_TRUE(Step(At(offset, offset - 1)).fills_gap) << offset;
  }
  EXPECT_TRUE(Gaps().empty());
  for (std::int64_t offset = 60; offset <= 120; ++offset) {
    EXPECT_EQ(Step(At(offset, offset - 1)).refused, FoldOutcome::kRedelivered) << offset;
  }
}

TEST_F(MarkTest, AnEntryInsideAGapSplitsItAndTakesLegalHolesWithIt) {
  Fold(0, 10);
  Fold(31, 31);
  EXPECT_TRUE(Step(At(20, 17)).fills_gap) << "18 and 19 were compacted away";
  EXPECT_EQ(Gaps(), (std::vector<OffsetRange>{{11, 17}, {21, 30}}));
  EXPECT_TRUE(Step(At(30, 5)).fills_gap) << "a repeat that doesn't know what lay before";
  EXPECT_EQ(Gaps(), (std::vector<OffsetRange>{{11, 17}}));
  EXPECT_TRUE(Step(At(11, 10)).fills_gap);
  EXPECT_EQ(Gaps(), (std::vector<OffsetRange>{{12, 17}}));
}

TEST_F(MarkTest, LegalHolesOpenNoGap) {
  Fold(0, 10);
  EXPECT_EQ(Step(At(50, 10)).opened, std::nullopt) << "compaction, or markers of transactions";
  EXPECT_EQ(Step(At(60, 50)).opened, std::nullopt);
}

TEST_F(MarkTest, RecordsThatRetentionDeletedUnreadAreAGap) {
  Fold(0, 10);
  EXPECT_EQ(Step(At(500, 499)).opened, (OffsetRange{11, 499}));
}

TEST_F(MarkTest, APartitionWhoseEntriesAreAllLostIsNamedFromItsBeginning) {
  EXPECT_EQ(Step(At(51, 50)).opened, (OffsetRange{0, 50}));
}

TEST_F(MarkTest, AGroupWithoutOffsetsBeginsWhereTheTopicDoes) {
  log::Source first = At(5'000, 4'999);
  first.set_begins_unclaimed(true);
  EXPECT_EQ(Step(first).opened, std::nullopt);
  EXPECT_EQ(Step(At(4'000, 3'999)).refused, FoldOutcome::kRedelivered);
}

TEST_F(MarkTest, OffsetsOfAGroupThatExpiredHideNoLoss) {
  Fold(0, 10);
  log::Source first = At(500, 499);
  first.set_begins_unclaimed(true);
  EXPECT_EQ(Step(first).opened, (OffsetRange{11, 499}));
}

TEST_F(MarkTest, ARecreatedTopicIsTold) {
  Fold(0, 999);
  EXPECT_EQ(Step(At(0, -1, 7'777'777)).refused, FoldOutcome::kOtherTopic);
  EXPECT_EQ(Step(At(999, 998, 7'777'778)).refused, FoldOutcome::kOtherTopic);
  int told = 0;
  for (std::int64_t offset = 0; offset < 1000; ++offset) {
    told += Step(At(offset, offset - 1, 7'777'777 + offset)).refused == FoldOutcome::kOtherTopic;
  }
  EXPECT_GE(told, 5) << "the samples lie all over what was folded";
  Step(At(1000, 999));
  EXPECT_EQ(Step(At(0, -1)).refused, FoldOutcome::kRedelivered) << "a true repeat, still known";
}

TEST_F(MarkTest, RecordsWithoutATimeRaiseNoAlarm) {
  log::Source first = At(0, -1);
  Step(first);
  first.set_timestamp_ms(0);
  EXPECT_EQ(Step(first).refused, FoldOutcome::kRedelivered);
}

TEST_F(MarkTest, MoreGapsThanItRemembersAreGivenUpByName) {
  Fold(0, 0);
  for (std::int64_t i = 1; i <= static_cast<std::int64_t>(kMaxGaps); ++i) {
    EXPECT_EQ(Step(At(10 * i, 10 * i - 1)).given_up, std::nullopt);
  }
  const MarkStep step = Step(At(10'000, 9'999));
  EXPECT_EQ(step.given_up, (OffsetRange{1, 9}));
  EXPECT_EQ(Gaps().size(), kMaxGaps);
  EXPECT_EQ(Step(At(5, 4)).refused, FoldOutcome::kRedelivered);
}

TEST_F(MarkTest, AMarkOfEarlierRulesGoesOnUnderTheNewOnes) {
  fold_version_ = kFoldVersionOfGaps - 1;
  Fold(0, 10);
  EXPECT_EQ(Step(At(20, 19)).refused, FoldOutcome::kRanAhead);
  fold_version_ = kFoldVersionOfGaps;
  EXPECT_EQ(Step(At(10, 9)).refused, FoldOutcome::kRedelivered);
  EXPECT_EQ(Step(At(20, 19)).opened, (OffsetRange{11, 19}));
}

/// Any interleaving of writers, losses and deliveries from an earlier offset: no record is judged
/// twice, and one that was not is in a gap, above the mark, or was named when a gap was given up.
TEST_F(MarkTest, EveryRecordIsJudgedOnceOrNamed) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    mark_.reset();
    std::mt19937_64 random(seed);
    std::vector<std::int64_t> records;  // with legal holes
    for (std::int64_t offset = 0; records.size() < 300; offset += 1 + (random() % 5 == 0)) {
      records.push_back(offset);
    }
    std::multiset<std::int64_t> judged;
    for (int run = 0; run < 20; ++run) {
      std::size_t i = random() % records.size();
      const std::size_t end = std::min(records.size(), i + random() % 60);
      for (; i < end; ++i) {
        if (random() % 20 == 0) continue;  // the log loses this one
        const std::int64_t previous = i == 0 ? -1 : records[i - 1];
        if (!Step(At(records[i], previous)).refused.has_value()) judged.insert(records[i]);
      }
    }
    const std::vector<OffsetRange> gaps = Gaps();
    for (const std::int64_t record : records) {
      ASSERT_LE(judged.count(record), 1U) << "seed " << seed << ", record " << record;
      bool is_named = record > mark_->offset();
      for (const OffsetRange& gap : gaps) {
        is_named = is_named || (gap.from <= record && record <= gap.to);
      }
      ASSERT_NE(judged.count(record) == 1, is_named) << "seed " << seed << ", record " << record;
    }
  }
}

}  // namespace
}  // namespace crawlsieve

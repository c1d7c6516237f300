#include "plugin/slots/slot_replies.h"

#include "plugin/judge/rows.h"
#include "plugin/state/changes.h"
#include "tests/plugin/slots/slot_world.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

const SlotLayout kLayout{2, 0, testing::kScheme};
const LogPosition kPosition{9, "0123456789abcdef"};
const Reach kReach{3, 3};
const Fingerprint kQuery{0};

/// Rows of live documents.
class Rows final : public RowReader {
 public:
  void Add(std::uint64_t id, std::uint64_t simhash) {
    DocumentRow row;
    row.id = DocId{id};
    row.record.set_simhash(simhash);
    row.record.set_features(200);
    row.Write(changes_);
  }
  void Delete(std::uint64_t id) { changes_.Delete(Table::kDocuments, DocumentRow::Key(DocId{id})); }
  Result<RowMap::Value> Row(Table table, std::string_view key) override {
    return changes_.Find(table, key).value_or(std::nullopt);
  }

 private:
  Changes changes_;
};

class SlotRepliesTest : public ::testing::Test {
 protected:
  SlotRepliesTest() {
    for (std::uint64_t i = 1; i <= 10; ++i) rows_.Add(i, (1ULL << (i % 4)) - 1);
    replies_.OnCommitted(kPosition, 10, 4);
  }

  static CandidatesRecord RecordOf(std::uint32_t slot, std::vector<SlotCandidate> candidates,
                                   bool is_cut = false) {
    CandidatesRecord record;
    record.layout = kLayout;
    record.slot = slot;
    record.place = {kPosition, 10};
    record.first = 12;
    record.max_distance = 3;
    record.answers = {{12, kQuery, std::move(candidates), is_cut}};
    return record;
  }
  SlotReplies::Taken Take(const CandidatesRecord& record) {
    const auto taken = replies_.Take(record.Encode());
    EXPECT_TRUE(taken.has_value()) << taken.error().message;
    return taken.value_or(SlotReplies::Taken::kStale);
  }
  /// The documents, and whether these are all.
  std::pair<std::vector<std::uint64_t>, bool> Complete(std::vector<Match> own = {}) {
    const auto is_whole = replies_.Complete(DocId{13}, kQuery, kReach, rows_, own);
    EXPECT_TRUE(is_whole.has_value()) << is_whole.error().message;
    std::vector<std::uint64_t> documents;
    for (const Match& match : own) documents.push_back(match.document.sequence);
    return {documents, is_whole.value_or(false)};
  }

  Rows rows_;
  SlotReplies replies_{kLayout, 100};
};

using Answer = std::pair<std::vector<std::uint64_t>, bool>;

TEST_F(SlotRepliesTest, EverySlotMustHaveAnswered) {
  EXPECT_EQ(Take(RecordOf(0, {{DocId{4}, 0}})), SlotReplies::Taken::kNew);
  EXPECT_EQ(Complete(), Answer({}, false));
  EXPECT_EQ(replies_.silent(), std::vector<std::uint32_t>{1});
  EXPECT_EQ(replies_.waited_for(), std::vector<std::uint32_t>{1});
  EXPECT_FALSE(replies_.lacks_depth());
  EXPECT_EQ(Take(RecordOf(1, {{DocId{5}, 1}})), SlotReplies::Taken::kNew);
  EXPECT_EQ(Complete(), Answer({4, 5}, true));
}

TEST_F(SlotRepliesTest, OwnDocumentsCountOnceAndRetiredOnesNot) {
  rows_.Delete(8);
  Take(RecordOf(0, {{DocId{4}, 0}, {DocId{8}, 0}}));
  Take(RecordOf(1, {{DocId{5}, 1}}));
  EXPECT_EQ(Complete({{DocId{5}, Fingerprint{1}, 1}, {DocId{12}, Fingerprint{1}, 1}}),
            Answer({4, 5, 12}, true));
}

TEST_F(SlotRepliesTest, NothingBehindACutIsBelieved) {
  Take(RecordOf(0, {{DocId{4}, 0}}, true));
  Take(RecordOf(1, {{DocId{1}, 1}, {DocId{5}, 1}}));
  EXPECT_EQ(Complete(), Answer({4}, false));
  EXPECT_TRUE(replies_.lacks_depth());
  EXPECT_EQ(replies_.waited_for(), std::vector<std::uint32_t>{0});
  EXPECT_EQ(Take(RecordOf(0, {{DocId{4}, 0}, {DocId{8}, 0}, {DocId{2}, 2}}, true)),
            SlotReplies::Taken::kNew);
  EXPECT_EQ(Take(RecordOf(0, {{DocId{4}, 0}}, true)), SlotReplies::Taken::kStale)
      << "the longer one stays";
  EXPECT_EQ(Complete(), Answer({4, 8, 1}, true)) << "as many as were asked for";
}

TEST_F(SlotRepliesTest, AnAnswerOfAnUnknownOrOldPlaceIsNotUsed) {
  CandidatesRecord other_log = RecordOf(0, {});
  other_log.place.position.entry_checksum = "another entry...";
  EXPECT_EQ(Take(other_log), SlotReplies::Taken::kStale);
  CandidatesRecord ahead = RecordOf(0, {});
  ahead.place.position.offset = 10;
  EXPECT_EQ(Take(ahead), SlotReplies::Taken::kStale);
  Take(RecordOf(0, {}));
  Take(RecordOf(1, {}));
  EXPECT_EQ(Complete(), Answer({}, true));
  // The fold's own index no longer reaches back to that place.
  replies_.OnCommitted({11, "fedcba9876543210"}, 12, 11);
  EXPECT_EQ(Complete(), Answer({}, false));
  EXPECT_EQ(replies_.silent().size(), 2U);
}

TEST_F(SlotRepliesTest, AnAnswerThatDidNotGoFarEnoughIsNotUsed) {
  CandidatesRecord nearer = RecordOf(0, {});
  nearer.max_distance = 2;
  Take(nearer);
  Take(RecordOf(1, {}));
  EXPECT_EQ(Complete(), Answer({}, false));
  Take(RecordOf(0, {}));
  EXPECT_EQ(Complete(), Answer({}, true));
  Take(nearer);
  EXPECT_EQ(Complete(), Answer({}, true)) << "each is for its own distance";
}

TEST_F(SlotRepliesTest, AnotherLayoutIsRefusedByName) {
  CandidatesRecord record = RecordOf(0, {});
  record.layout.slots = 4;
  const auto taken = replies_.Take(record.Encode());
  ASSERT_FALSE(taken.has_value());
  EXPECT_EQ(taken.error().code, ErrorCode::kMismatch);
  EXPECT_NE(taken.error().message.find("4 slots"), std::string::npos);
}

TEST_F(SlotRepliesTest, ASlotWithOtherFingerprintsThanTheStateIsReported) {
  Take(RecordOf(0, {{DocId{4}, 2}}));  // it is at distance 0
  Take(RecordOf(1, {}));
  std::vector<Match> own;
  const auto is_whole = replies_.Complete(DocId{13}, kQuery, kReach, rows_, own);
  ASSERT_FALSE(is_whole.has_value());
  EXPECT_EQ(is_whole.error().code, ErrorCode::kCorruption);
}

TEST_F(SlotRepliesTest, RecalledRecordsFollowEachOtherAndTheLog) {
  const SlotPlace committed{kPosition, 10};
  const SlotPlace next{{20, "abcdefghijklmnop"}, 15};
  ChangesRecord record;
  record.layout = kLayout;
  record.after = next;
  record.before = {{9, "another entry..."}, 10};
  EXPECT_FALSE(replies_.Recall(record).has_value()) << "of another log";
  record.before = {{15, "0123456789abcdef"}, 12};
  EXPECT_FALSE(replies_.Recall(record).has_value()) << "there is a hole";
  record.before = committed;
  ASSERT_TRUE(replies_.Recall(record).has_value());
  record.before = {next.position, 14};
  record.after = {{30, "abcdefghijklmnop"}, 15};
  EXPECT_FALSE(replies_.Recall(record).has_value()) << "the one before ends with another number";
  record.before = next;
  ASSERT_TRUE(replies_.Recall(record).has_value());

  EXPECT_EQ(replies_.Confirm({19, "0123456789abcdef"}).value(), false) << "inside of it";
  EXPECT_EQ(replies_.Confirm(next.position).value(), true);
  const auto other = replies_.Confirm({30, "0123456789abcdef"});
  ASSERT_FALSE(other.has_value());
  EXPECT_EQ(other.error().code, ErrorCode::kMismatch);
}

TEST_F(SlotRepliesTest, AnswersFarAheadOrForJudgedEntriesAreNotKept) {
  CandidatesRecord record = RecordOf(0, {});
  record.answers[0].offset = 9 + 201;
  EXPECT_EQ(Take(record), SlotReplies::Taken::kStale);
  record.first = 3;
  record.answers[0].offset = 9;
  EXPECT_EQ(Take(record), SlotReplies::Taken::kStale);
  EXPECT_EQ(replies_.size(), 0U);
  Take(RecordOf(0, {}));
  EXPECT_EQ(replies_.size(), 1U);
  EXPECT_EQ(replies_.reply_count(), 1U) << "none is kept for the slot that hasn't answered";
  replies_.OnCommitted({12, "fedcba9876543210"}, 13, 4);
  EXPECT_EQ(replies_.size(), 0U);
  EXPECT_EQ(replies_.reply_count(), 0U);
}

}  // namespace
}  // namespace crawlsieve

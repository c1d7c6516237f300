#include "consumer/service/slots/changes_recall.h"

#include "tests/consumer/service/slots/memory_changes.h"
#include "tests/plugin/judge/random_log.h"

#include <chrono>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;

const SlotLayout kLayout{2, 0, testing::kScheme};

SlotPlace PlaceOf(std::int64_t offset) {
  if (offset < 0) return {};
  return {{offset, "0123456789abcdef"}, static_cast<std::uint64_t>(offset)};
}

ChangesRecord Changes(std::int64_t before, std::int64_t after) {
  ChangesRecord record;
  record.layout = kLayout;
  record.before = PlaceOf(before);
  record.after = PlaceOf(after);
  return record;
}

class ChangesRecallTest : public ::testing::Test {
 protected:
  ChangesRecallTest() { replies_.OnCommitted({}, 0, 0); }

  /// Asks for `offset` for so long; the last answer.
  BrokerResult<std::int64_t> RecallFor(milliseconds time, std::int64_t offset) {
    auto recalled = recall_.Recall(offset);
    for (const auto end = now_ + time; recalled.has_value() && now_ < end;) {
      now_ += milliseconds(100);
      recalled = recall_.Recall(offset);
    }
    return recalled;
  }

  std::chrono::steady_clock::time_point now_{std::chrono::hours(1)};
  testing::MemoryChanges changes_;
  SlotReplies replies_{kLayout, 100};
  ChangesRecall recall_{changes_, replies_, "changes", [this] { return now_; }};
};

TEST_F(ChangesRecallTest, TellsHowFarTheRecordsGo) {
  changes_.records = {Changes(-1, 9), Changes(9, 19)};
  EXPECT_EQ(recall_.Recall(0).value(), 20);
  EXPECT_EQ(recall_.Recall(7).value(), 20);
  changes_.records.push_back(Changes(19, 29));
  EXPECT_EQ(recall_.Recall(20).value(), 30);
}

TEST_F(ChangesRecallTest, AnOutageIsWaitedOut) {
  changes_.records = {Changes(-1, 9)};
  changes_.is_slow = true;
  const auto waited = RecallFor(milliseconds(60'000), 0);
  ASSERT_TRUE(waited.has_value()) << waited.error().message;
  EXPECT_EQ(*waited, 0);
  changes_.is_slow = false;
  EXPECT_EQ(recall_.Recall(0).value(), 10);
}

TEST_F(ChangesRecallTest, ATopicThatAnswersAndHasNothingIsNamed) {
  EXPECT_TRUE(RecallFor(milliseconds(9'000), 0).has_value()) << "it may be about to come";
  const auto none = RecallFor(milliseconds(3'000), 0);
  ASSERT_FALSE(none.has_value());
  EXPECT_FALSE(none.error().may_pass());
  EXPECT_NE(none.error().message.find("index.slots: 0"), std::string::npos);
}

TEST_F(ChangesRecallTest, AHoleIsNamedAtOnce) {
  changes_.records = {Changes(4, 9)};
  EXPECT_FALSE(recall_.Recall(0).has_value());
}

}  // namespace
}  // namespace crawlsieve::consumer

#include "plugin/judge/start.h"

#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

using ::testing::HasSubstr;

/// A log of ten entries.
StartFacts Facts(std::int64_t folded, std::optional<std::int64_t> committed) {
  return {"fingerprints", "cs.judge", folded, committed, {0, 10}, true};
}

StartFacts AtLeastOnce(std::int64_t folded, std::optional<std::int64_t> committed) {
  StartFacts facts = Facts(folded, committed);
  facts.is_exactly_once = false;
  return facts;
}

void ExpectRefused(const StartFacts& facts, const std::string& why) {
  const auto first = FirstToPublish(facts);
  ASSERT_FALSE(first.has_value()) << *first;
  EXPECT_EQ(first.error().code, ErrorCode::kMismatch);
  EXPECT_THAT(first.error().message, HasSubstr(why));
}

TEST(FirstToPublish, IsTheFirstEntryWhereNothingIsKnown) {
  EXPECT_EQ(FirstToPublish(Facts(-1, std::nullopt)), 0);
  StartFacts empty = Facts(-1, std::nullopt);
  empty.bounds = {0, 0};
  EXPECT_EQ(FirstToPublish(empty), 0);
}

TEST(FirstToPublish, IsTheCommittedOffsetWhateverTheStateLacks) {
  for (const std::int64_t folded : {-1, 0, 4, 6}) EXPECT_EQ(FirstToPublish(Facts(folded, 7)), 7);
}

TEST(FirstToPublish, IsTheEndOfTheLogWhenAllIsPublished) {
  EXPECT_EQ(FirstToPublish(Facts(9, 10)), 10);
}

TEST(FirstToPublish, RefusesAStateThatEndsBehindTheLog) {
  ExpectRefused(Facts(10, 10), "the log ends at 10");
}

TEST(FirstToPublish, RefusesAStateOfAnEmptyLog) {
  StartFacts facts = Facts(0, std::nullopt);
  facts.bounds = {0, 0};
  ExpectRefused(facts, "recreated or truncated");
}

TEST(FirstToPublish, RefusesACommittedOffsetBehindTheLog) {
  ExpectRefused(Facts(3, 11), "group cs.judge has committed offset 11");
}

TEST(FirstToPublish, RefusesALogThatBeginsBehindTheState) {
  StartFacts facts = Facts(3, 7);
  facts.bounds.low = 4;
  ExpectRefused(facts, "begins at offset 4");
  facts.bounds.low = 3;
  EXPECT_EQ(FirstToPublish(facts), 7) << "the state's last entry is still there to compare";
}

TEST(FirstToPublish, RefusesALogWithoutItsBeginningForAnEmptyState) {
  StartFacts facts = Facts(-1, 7);
  facts.bounds.low = 1;
  ExpectRefused(facts, "begins at offset 1");
}

TEST(FirstToPublish, RefusesAStateWhoseGroupHasCommittedNothing) {
  ExpectRefused(Facts(3, std::nullopt), "has no committed offset");
}

TEST(FirstToPublish, RefusesAStateThatIsAheadOfItsGroup) {
  ExpectRefused(Facts(7, 7), "past the committed offset 7");
  ExpectRefused(Facts(0, 0), "past the committed offset 0");
  EXPECT_EQ(FirstToPublish(Facts(6, 7)), 7) << "up to the entry before it";
}

TEST(FirstToPublish, WithAtLeastOnceIsWhateverIsFurther) {
  EXPECT_EQ(FirstToPublish(AtLeastOnce(3, 7)), 7);
  EXPECT_EQ(FirstToPublish(AtLeastOnce(8, 7)), 9);
  EXPECT_EQ(FirstToPublish(AtLeastOnce(3, std::nullopt)), 4);
  EXPECT_EQ(FirstToPublish(AtLeastOnce(-1, std::nullopt)), 0);
}

TEST(FirstToPublish, WithAtLeastOnceStillRefusesALogThatLostItsEnd) {
  ExpectRefused(AtLeastOnce(10, 3), "the log ends at 10");
  ExpectRefused(AtLeastOnce(3, 11), "which ends at 10");
}

}  // namespace
}  // namespace crawlsieve

#include "consumer/service/extract/input_position.h"

#include "plugin/fingerprint/checksum.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using ::testing::HasSubstr;

const TopicPartition kPages{"pages", 3};

PartitionOffset Committed(std::int64_t offset, const std::string& metadata = "") {
  return {kPages, offset, metadata};
}

Timestamp At(std::int64_t ms) { return Timestamp(std::chrono::milliseconds(ms)); }

TEST(InputBegin, AGroupWithoutOffsetsBeginsAtTheBeginning) {
  const auto begin = BeginAt({}, kPages, std::nullopt, {0, 10});
  ASSERT_TRUE(begin.has_value());
  EXPECT_TRUE(begin->is_unclaimed);
  EXPECT_EQ(begin->read_from, kOffsetBeginning);
  EXPECT_EQ(begin->previous, -1);
  EXPECT_EQ(begin->unread, std::nullopt);
}

TEST(InputBegin, RecordsThatAreGoneAndWereNotReadAreNamed) {
  auto begin = BeginAt({}, kPages, Committed(5), {8, 10});
  ASSERT_TRUE(begin.has_value());
  EXPECT_EQ(begin->unread, (OffsetRange{5, 7}));
  EXPECT_EQ(begin->previous, 7);
  begin = BeginAt({}, kPages, std::nullopt, {8, 10});
  ASSERT_TRUE(begin.has_value());
  EXPECT_EQ(begin->unread, (OffsetRange{0, 7}));
}

TEST(InputBegin, TheRecordBeforeIsReadAgainIfItsTimeIsKnown) {
  auto begin = BeginAt({}, kPages, Committed(5, "time=1700"), {0, 10});
  ASSERT_TRUE(begin.has_value());
  EXPECT_EQ(begin->read_from, 4);
  EXPECT_EQ(begin->first, 5);
  EXPECT_EQ(begin->previous, 4);
  EXPECT_TRUE(CheckLastRead({}, kPages, *begin, 4, At(1700)).has_value());
  const auto other = CheckLastRead({}, kPages, *begin, 4, At(1701));
  ASSERT_FALSE(other.has_value());
  EXPECT_EQ(other.error().error_class, ErrorClass::kRefused);
  EXPECT_THAT(other.error().message, HasSubstr("pages [3]"));
  for (const char* metadata : {"", "time=", "time=x", "someone else's"}) {
    begin = BeginAt({}, kPages, Committed(5, metadata), {0, 10});
    ASSERT_TRUE(begin.has_value());
    EXPECT_EQ(begin->read_from, 5) << metadata;
  }
  begin = BeginAt({}, kPages, Committed(5, "time=1700"), {5, 10});
  ASSERT_TRUE(begin.has_value());
  EXPECT_EQ(begin->read_from, 5) << "the record before is gone";
}

TEST(InputBegin, AGroupAheadOfTheTopicIsRefused) {
  EXPECT_TRUE(BeginAt({}, kPages, Committed(10), {0, 10}).has_value());
  const auto begin = BeginAt({}, kPages, Committed(11), {0, 10});
  ASSERT_FALSE(begin.has_value());
  EXPECT_EQ(begin.error().error_class, ErrorClass::kRefused);
  EXPECT_THAT(begin.error().message, HasSubstr("kafka.input.generation"));
}

TEST(PositionEntry, SaysHowFarTheGroupWasDone) {
  KafkaOptions options;
  options.input_generation = 3;
  const auto begin = BeginAt(options, kPages, Committed(10), {12, 20});
  const auto entry = PositionEntry(options, kPages, *begin, "cs2-x");
  ASSERT_TRUE(entry.has_value());
  const log::Source& source = entry->page().source();
  EXPECT_TRUE(source.is_position());
  EXPECT_EQ(source.topic(), kPages.topic);
  EXPECT_EQ(source.partition(), kPages.partition);
  EXPECT_EQ(source.generation(), 3U);
  EXPECT_EQ(source.offset(), 11) << "what was deleted unread has no entry either";
  EXPECT_EQ(entry->page().outcome(), log::OUTCOME_DEAD_LETTER);
  EXPECT_EQ(entry->page().scheme(), "cs2-x");
}

TEST(PositionEntry, IsNotThereWhereTheGroupWasDoneWithNothing) {
  for (const auto& committed : {std::optional(Committed(0)), std::optional<PartitionOffset>()}) {
    const auto begin = BeginAt({}, kPages, committed, {0, 20});
    EXPECT_FALSE(PositionEntry({}, kPages, *begin, "cs2-x").has_value());
  }
}

TEST(CommittedTimes, GoWithTheOffsetBehindTheirRecord) {
  CommittedTimes times;
  times.Take(3, At(300));
  times.Take(7, At(700));
  EXPECT_EQ(times.MetadataFor(4), "time=300");
  EXPECT_EQ(times.MetadataFor(4), "time=300") << "the same again";
  EXPECT_EQ(times.MetadataFor(8), "time=700");
  EXPECT_EQ(times.MetadataFor(20), "");
}

TEST(CommittedTimes, ARewoundRecordMayHaveAnotherTime) {
  CommittedTimes times;
  times.Take(3, At(300));
  times.Take(7, At(700));
  times.Rewind(7);
  EXPECT_EQ(times.MetadataFor(4), "time=300");
  times.Take(8, At(800));
  EXPECT_EQ(times.MetadataFor(9), "time=800");
}

}  // namespace
}  // namespace crawlsieve::consumer

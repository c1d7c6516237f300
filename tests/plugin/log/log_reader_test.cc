#include "plugin/log/log_reader.h"

#include "plugin/fingerprint/checksum.h"
#include "tests/support/memory_log.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using testing::MemoryLog;
using testing::MemoryLogSource;

constexpr const char* kStray = "\xff\xff not an entry";

std::string PageEntry(const std::string& url, const std::string& scheme = "cs1") {
  log::Entry entry;
  entry.mutable_page()->set_url(url);
  entry.mutable_page()->set_scheme(scheme);
  return entry.SerializeAsString();
}

class LogReaderTest : public ::testing::Test {
 protected:
  LogReader MakeReader() { return {description_, source_, seen_gap_}; }

  BrokerResult<std::optional<log::Entry>> First(milliseconds timeout = milliseconds(10'000)) {
    return ReadFirstEntry(description_, source_, timeout);
  }

  MemoryLog log_;
  MemoryLogSource source_{log_};
  LogDescription description_{"fingerprints", {}};
  std::optional<std::int64_t> seen_gap_;
};

TEST(LogEntries, AreSkippedByOffsetAndChecksum) {
  const std::vector<SkippedEntry> skipped = {{7, Hex(RawChecksum("stray"))}};
  EXPECT_TRUE(IsSkippedEntry(skipped, 7, "stray"));
  EXPECT_FALSE(IsSkippedEntry(skipped, 8, "stray"));
  EXPECT_FALSE(IsSkippedEntry(skipped, 7, "an entry"));
}

TEST(LogEntries, WithoutABodyAreNone) {
  log::Entry entry;
  EXPECT_FALSE(ParseEntry("", entry)) << "a record without a value is no entry";
  EXPECT_FALSE(ParseEntry(kStray, entry));
  EXPECT_EQ(entry.body_case(), log::Entry::BODY_NOT_SET);
}

TEST_F(LogReaderTest, HandsOutRecordsInOrderWithTheirEntries) {
  for (const char* url : {"a", "b", "c"}) log_.Append(PageEntry(url));
  LogReader reader = MakeReader();
  ASSERT_TRUE(reader.Begin(1).has_value());
  ASSERT_TRUE(reader.Fetch(10, milliseconds(0)).has_value());
  EXPECT_EQ(reader.fetched().size(), 2U);
  for (const char* url : {"b", "c"}) {
    const auto item = reader.Take();
    ASSERT_TRUE(item.has_value() && item->has_value());
    ASSERT_NE((*item)->entry, nullptr);
    EXPECT_EQ((*item)->entry->page().url(), url);
    EXPECT_EQ((*item)->value, PageEntry(url));
  }
  EXPECT_FALSE(reader.Take()->has_value());
  EXPECT_EQ(reader.next(), 3);
}

TEST_F(LogReaderTest, FetchesNoMoreThanItIsAskedFor) {
  for (int i = 0; i < 5; ++i) log_.Append(PageEntry("a"));
  LogReader reader = MakeReader();
  ASSERT_TRUE(reader.Begin(0).has_value());
  ASSERT_TRUE(reader.Fetch(2, milliseconds(0)).has_value());
  EXPECT_EQ(reader.fetched().size(), 2U);
}

TEST_F(LogReaderTest, AMissingOffsetMayPassOnceAndIsFinalForTheNextReader) {
  log_.Append(PageEntry("a"));
  log_.LeaveOut();
  log_.Append(PageEntry("c"));
  for (const ErrorClass expected : {ErrorClass::kFatal, ErrorClass::kRefused}) {
    LogReader reader = MakeReader();
    ASSERT_TRUE(reader.Begin(0).has_value());
    ASSERT_TRUE(reader.Fetch(10, milliseconds(0)).has_value());
    ASSERT_TRUE(reader.Take().has_value());
    const auto item = reader.Take();
    ASSERT_FALSE(item.has_value());
    EXPECT_EQ(item.error().error_class, expected);
    EXPECT_EQ(item.error().code, ErrorCode::kCorruption);
    EXPECT_THAT(item.error().message, HasSubstr("goes on with offset 2 where 1"));
    EXPECT_THAT(item.error().message, HasSubstr("\"1:hole\""));
  }
}

TEST_F(LogReaderTest, AnOffsetThatIsNamedAsAHoleIsHandedOutWithoutBytes) {
  log_.Append(PageEntry("a"));
  log_.LeaveOut();
  log_.LeaveOut();
  log_.Append(PageEntry("d"));
  description_.skipped = {{1, "hole"}, {2, "hole"}};
  LogReader reader = MakeReader();
  ASSERT_TRUE(reader.Begin(0).has_value());
  ASSERT_TRUE(reader.Fetch(10, milliseconds(0)).has_value());
  for (const bool is_skipped : {false, true, true, false}) {
    const std::int64_t offset = reader.next();
    const auto item = reader.Take();
    ASSERT_TRUE(item.has_value() && item->has_value());
    EXPECT_EQ((*item)->offset, offset);
    EXPECT_EQ((*item)->is_skipped, is_skipped);
    EXPECT_EQ((*item)->entry == nullptr, is_skipped);
  }
  EXPECT_FALSE(reader.Take()->has_value());
}

// Who named too much must not lose an entry by it.
TEST_F(LogReaderTest, ARecordWhereAHoleIsNamedIsNoHole) {
  log_.Append(PageEntry("a"));
  description_.skipped = {{0, "hole"}};
  LogReader reader = MakeReader();
  ASSERT_TRUE(reader.Begin(0).has_value());
  ASSERT_TRUE(reader.Fetch(10, milliseconds(0)).has_value());
  const auto item = reader.Take();
  ASSERT_TRUE(item.has_value() && item->has_value());
  EXPECT_FALSE((*item)->is_skipped);
  EXPECT_NE((*item)->entry, nullptr);
}

TEST_F(LogReaderTest, ASecondGapElsewhereMayPassAgain) {
  log_.LeaveOut();
  log_.Append(PageEntry("b"));
  seen_gap_ = 17;
  LogReader reader = MakeReader();
  ASSERT_TRUE(reader.Begin(0).has_value());
  ASSERT_TRUE(reader.Fetch(10, milliseconds(0)).has_value());
  const auto item = reader.Take();
  ASSERT_FALSE(item.has_value());
  EXPECT_TRUE(item.error().may_pass());
  EXPECT_EQ(seen_gap_, 0);
}

TEST_F(LogReaderTest, WhatIsNotAnEntryIsHandedOutWithoutOneAndItsRefusalSaysWhatToDo) {
  log_.Append(kStray);
  LogReader reader = MakeReader();
  ASSERT_TRUE(reader.Begin(0).has_value());
  ASSERT_TRUE(reader.Fetch(1, milliseconds(0)).has_value());
  const auto item = reader.Take();
  ASSERT_TRUE(item.has_value() && item->has_value());
  EXPECT_EQ((*item)->entry, nullptr);
  const BrokerError refused = NotAnEntry(description_, **item).value();
  EXPECT_FALSE(refused.may_pass());
  EXPECT_THAT(refused.message, HasSubstr("0:" + Hex(RawChecksum(kStray))));
}

TEST_F(LogReaderTest, ANamedRecordIsMarkedToBePassedOver) {
  log_.Append(kStray);
  log_.Append(PageEntry("b"));
  description_.skipped = {{0, Hex(RawChecksum(kStray))}};
  LogReader reader = MakeReader();
  ASSERT_TRUE(reader.Begin(0).has_value());
  ASSERT_TRUE(reader.Fetch(2, milliseconds(0)).has_value());
  EXPECT_TRUE((*reader.Take())->is_skipped);
  EXPECT_FALSE((*reader.Take())->is_skipped);
}

TEST_F(LogReaderTest, TheEndOfAClosedLogIsNeverPassedOverAndNobodyIsToldHow) {
  log::Entry entry;
  entry.mutable_parameters()->mutable_closing()->set_group("next");
  const std::string end = entry.SerializeAsString();
  log_.Append(end);
  description_.skipped = {{0, Hex(RawChecksum(end))}};
  LogReader reader = MakeReader();
  ASSERT_TRUE(reader.Begin(0).has_value());
  ASSERT_TRUE(reader.Fetch(1, milliseconds(0)).has_value());
  const auto item = reader.Take();
  ASSERT_TRUE(item.has_value() && item->has_value());
  EXPECT_FALSE((*item)->is_skipped);
  const BrokerError refused =
      Refused(description_, **item, {ErrorCode::kMismatch, "closed"}).value();
  EXPECT_EQ(refused.message, "closed");
}

TEST_F(LogReaderTest, ARetriableFailureIsAsIfNothingHadCome) {
  log_.Append(PageEntry("a"));
  LogReader reader = MakeReader();
  ASSERT_TRUE(reader.Begin(0).has_value());
  source_.failure = BrokerError{{ErrorCode::kIo, "no answer"}, ErrorClass::kRetriable};
  ASSERT_TRUE(reader.Fetch(1, milliseconds(0)).has_value());
  EXPECT_FALSE(reader.Take()->has_value());
  ASSERT_TRUE(reader.Fetch(1, milliseconds(0)).has_value());
  EXPECT_TRUE(reader.Take()->has_value());
}

TEST_F(LogReaderTest, AnyOtherFailureIsHandedOn) {
  LogReader reader = MakeReader();
  source_.failure = BrokerError{{ErrorCode::kInternal, "gone"}, ErrorClass::kFatal};
  const auto fetched = reader.Fetch(1, milliseconds(0));
  ASSERT_FALSE(fetched.has_value());
  EXPECT_EQ(fetched.error().error_class, ErrorClass::kFatal);
}

TEST_F(LogReaderTest, AnEmptyLogHasNoFirstEntry) {
  const auto first = First();
  ASSERT_TRUE(first.has_value());
  EXPECT_FALSE(first->has_value());
}

TEST_F(LogReaderTest, TheFirstEntryIsTheOldestThatIsThere) {
  log_.Append(PageEntry("a", "old"));
  log_.Append(PageEntry("b", "new"));
  log_.DeleteBefore(1);
  const auto first = First();
  ASSERT_TRUE(first.has_value() && first->has_value());
  EXPECT_EQ(SchemeOfEntry(**first), "new");
}

TEST_F(LogReaderTest, TheFirstEntryIsBehindThoseThatArePassedOver) {
  description_.skipped = {{log_.Append(kStray), Hex(RawChecksum(kStray))}};
  EXPECT_FALSE(First()->has_value()) << "nothing else is there yet";
  log_.Append(PageEntry("b"));
  EXPECT_EQ((**First()).page().url(), "b");
}

TEST_F(LogReaderTest, ALogThatBeginsWithSomethingElseIsRefused) {
  log_.Append(kStray);
  const auto first = First();
  ASSERT_FALSE(first.has_value());
  EXPECT_FALSE(first.error().may_pass());
  EXPECT_EQ(first.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(first.error().message, HasSubstr("begins with what is not an entry"));
}

TEST_F(LogReaderTest, ALogWhoseEntriesWereDeletedIsRefused) {
  log_.Append(PageEntry("a"));
  log_.DeleteBefore(1);
  const auto first = First();
  ASSERT_FALSE(first.has_value());
  EXPECT_EQ(first.error().code, ErrorCode::kMismatch);
}

TEST_F(LogReaderTest, AFirstEntryThatDoesNotComeInTimeMayComeLater) {
  log_.Append(PageEntry("a"));
  const auto first = First(milliseconds(0));
  ASSERT_FALSE(first.has_value());
  EXPECT_EQ(first.error().error_class, ErrorClass::kRetriable);
}

}  // namespace
}  // namespace crawlsieve

#include "tests/plugin/judge/ends_conformance.h"

#include "plugin/log/log_reader.h"

#include <chrono>
#include <optional>
#include <string>

#include <gmock/gmock.h>

namespace crawlsieve::testing {
namespace {

using std::chrono::milliseconds;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr milliseconds kTimeout{30'000};

#define ASSERT_DONE(expression)                              \
  do {                                                       \
    const auto& done_ = (expression);                        \
    ASSERT_TRUE(done_.has_value()) << done_.error().message; \
  } while (false)

log::Page PageAt(std::int64_t source) {
  log::Page page;
  page.mutable_source()->set_topic("pages");
  page.mutable_source()->set_offset(source);
  page.set_url("http://a.example/");
  page.set_canonical_url("http://a.example/");
  return page;
}

BrokerStatus Publish(JudgeSeat& judge, std::int64_t source) {
  return judge.sink().Publish(PageAt(source), Verdict());
}

/// A batch of one verdict, up to its commit.
BrokerStatus Commit(JudgeSeat& judge, std::int64_t source, const CommittedPlace& place) {
  if (auto begun = judge.sink().Begin(); !begun) return begun;
  if (auto published = Publish(judge, source); !published) return published;
  return judge.sink().Commit(place);
}

std::optional<CommittedPlace> Place(JudgeSeat& judge) {
  auto committed = judge.group().Committed(kTimeout);
  EXPECT_TRUE(committed.has_value()) << committed.error().message;
  return committed ? *committed : std::nullopt;
}

log::Entry Entry(const std::string& url) {
  log::Entry entry;
  entry.mutable_page()->set_url(url);
  return entry;
}

/// Reads until `count` records have come; their offsets.
std::vector<std::int64_t> Offsets(LogSource& source, std::size_t count) {
  std::vector<std::int64_t> offsets;
  for (int i = 0; i < 300 && offsets.size() < count; ++i) {
    auto records = source.Read(10, milliseconds(100));
    if (!records) continue;
    for (const LogRecord& record : *records) offsets.push_back(record.offset);
  }
  return offsets;
}

TEST_P(EndsConformance, TheGroupHasNoPlaceBeforeTheFirstCommit) {
  const auto ends = GetParam()();
  const auto judge = ends->NewJudge();
  EXPECT_EQ(Place(*judge), std::nullopt);
  ASSERT_DONE(judge->sink().Fence());
  EXPECT_EQ(Place(*judge), std::nullopt);
}

TEST_P(EndsConformance, ACommitShowsVerdictsAndPlaceTogether) {
  const auto ends = GetParam()();
  IdleMember member;
  const auto judge = ends->NewJudge();
  ends->Own(*judge, member);
  ASSERT_DONE(judge->sink().Fence());
  const CommittedPlace place{7, "0123"};
  ASSERT_DONE(Commit(*judge, 5, place));
  EXPECT_EQ(Place(*judge), place);
  EXPECT_THAT(ends->Visible(), ElementsAre(5));
}

TEST_P(EndsConformance, NothingOfAnOpenBatchIsSeen) {
  const auto ends = GetParam()();
  IdleMember member;
  const auto judge = ends->NewJudge();
  ends->Own(*judge, member);
  ASSERT_DONE(judge->sink().Fence());
  const std::int64_t end = ends->VisibleEnd();
  ASSERT_DONE(judge->sink().Begin());
  ASSERT_DONE(Publish(*judge, 5));
  ASSERT_DONE(judge->sink().Poll());
  EXPECT_EQ(ends->VisibleEnd(), end);
  ASSERT_DONE(judge->sink().Commit({7, ""}));
  EXPECT_TRUE(ends->ShowsMoreThan(end));
}

TEST_P(EndsConformance, ABatchThatWasDroppedIsNeverSeenAndTheNextOneIs) {
  const auto ends = GetParam()();
  IdleMember member;
  const auto judge = ends->NewJudge();
  ends->Own(*judge, member);
  ASSERT_DONE(judge->sink().Fence());
  ASSERT_DONE(judge->sink().Begin());
  ASSERT_DONE(Publish(*judge, 5));
  judge->sink().Close();
  ASSERT_DONE(judge->sink().Fence());
  EXPECT_EQ(Place(*judge), std::nullopt);
  ASSERT_DONE(Commit(*judge, 6, {8, ""}));
  EXPECT_THAT(ends->Visible(), ElementsAre(6));
}

TEST_P(EndsConformance, FencingEndsTheOpenBatchOfTheJudgeBefore) {
  const auto ends = GetParam()();
  IdleMember member;
  const auto old_judge = ends->NewJudge();
  const auto new_judge = ends->NewJudge();
  ends->Own(*old_judge, member);
  ASSERT_DONE(old_judge->sink().Fence());
  ASSERT_DONE(Commit(*old_judge, 1, {2, ""}));
  ASSERT_DONE(old_judge->sink().Begin());
  ASSERT_DONE(Publish(*old_judge, 2));
  ASSERT_DONE(new_judge->sink().Fence());
  const CommittedPlace place{2, ""};
  EXPECT_EQ(Place(*new_judge), place);
  const BrokerStatus late = old_judge->sink().Commit({3, ""});
  ASSERT_FALSE(late.has_value());
  EXPECT_THAT(late.error().error_class,
              AnyOf(ErrorClass::kFenced, ErrorClass::kAbortable, ErrorClass::kFatal))
      << late.error().message;
  EXPECT_EQ(Place(*new_judge), place);
  EXPECT_THAT(ends->Visible(), ElementsAre(1));
}

TEST_P(EndsConformance, AFencedJudgeCommitsNoLaterBatchEither) {
  const auto ends = GetParam()();
  IdleMember member;
  const auto old_judge = ends->NewJudge();
  const auto new_judge = ends->NewJudge();
  ends->Own(*old_judge, member);
  ASSERT_DONE(old_judge->sink().Fence());
  ASSERT_DONE(Commit(*old_judge, 1, {2, ""}));
  ASSERT_DONE(new_judge->sink().Fence());
  const BrokerStatus late = Commit(*old_judge, 2, {3, ""});
  ASSERT_FALSE(late.has_value());
  EXPECT_TRUE(late.error().may_pass()) << late.error().message;
  EXPECT_THAT(ends->Visible(), ElementsAre(1));
}

TEST_P(EndsConformance, TheNextOwnerGoesOnWhereTheOneBeforeHasCommitted) {
  const auto ends = GetParam()();
  IdleMember old_member;
  auto old_judge = ends->NewJudge();
  ends->Own(*old_judge, old_member);
  ASSERT_DONE(old_judge->sink().Fence());
  ASSERT_DONE(Commit(*old_judge, 1, {2, "ab"}));
  old_judge->sink().Close();
  old_judge.reset();
  IdleMember member;
  const auto judge = ends->NewJudge();
  ends->Own(*judge, member);
  ASSERT_DONE(judge->sink().Fence());
  EXPECT_EQ(Place(*judge), (CommittedPlace{2, "ab"}));
  ASSERT_DONE(Commit(*judge, 2, {3, "cd"}));
  EXPECT_EQ(Place(*judge), (CommittedPlace{3, "cd"}));
  EXPECT_THAT(ends->Visible(), ElementsAre(1, 2));
}

TEST_P(EndsConformance, ABatchThatTookTooLongIsNotSeen) {
  const auto ends = GetParam()();
  IdleMember member;
  const auto judge = ends->NewJudge();
  ends->Own(*judge, member);
  ASSERT_DONE(judge->sink().Fence());
  ASSERT_DONE(judge->sink().Begin());
  ASSERT_DONE(Publish(*judge, 5));
  ends->TimeOutTransaction();
  const BrokerStatus late = judge->sink().Commit({7, ""});
  ASSERT_FALSE(late.has_value());
  EXPECT_TRUE(late.error().may_pass()) << late.error().message;
  EXPECT_NE(late.error().error_class, ErrorClass::kRetriable);
  EXPECT_EQ(Place(*judge), std::nullopt);
  EXPECT_THAT(ends->Visible(), IsEmpty());
}

TEST_P(EndsConformance, TheLogIsReadFromWhereItIsSought) {
  const auto ends = GetParam()();
  const auto judge = ends->NewJudge();
  EXPECT_EQ(judge->group().Bounds(kTimeout)->high, 0);
  for (const char* url : {"a", "b", "c"}) ASSERT_DONE(judge->group().Append(Entry(url)));
  const auto bounds = judge->group().Bounds(kTimeout);
  ASSERT_DONE(bounds);
  EXPECT_EQ(bounds->low, 0);
  EXPECT_EQ(bounds->high, 3);
  auto reader = judge->group().OpenReader();
  ASSERT_DONE(reader);
  ASSERT_DONE((*reader)->Seek(1));
  EXPECT_THAT(Offsets(**reader, 2), ElementsAre(1, 2));
  EXPECT_EQ((*reader)->KnownEnd(), 3);
}

TEST_P(EndsConformance, AMemberReadsTheLogFromWhereItSeeks) {
  const auto ends = GetParam()();
  IdleMember member;
  const auto judge = ends->NewJudge();
  for (const char* url : {"a", "b", "c"}) ASSERT_DONE(judge->group().Append(Entry(url)));
  ends->Own(*judge, member);
  // As the machine does between assignment and seek.
  for (int i = 0; i < 3; ++i) (void)judge->group().Poll(milliseconds(0));
  ASSERT_DONE(judge->group().log().Seek(1));
  EXPECT_THAT(Offsets(judge->group().log(), 2), ElementsAre(1, 2));
  ASSERT_DONE(judge->group().Append(Entry("d")));
  EXPECT_THAT(Offsets(judge->group().log(), 1), ElementsAre(3));
}

TEST_P(EndsConformance, TheEndOfATransactionTakesAnOffsetAndTheReaderSaysSo) {
  const auto ends = GetParam()();
  const auto judge = ends->NewJudge();
  ASSERT_DONE(judge->group().Append(Entry("a")));
  ends->LeaveOutOffset();
  ASSERT_DONE(judge->group().Append(Entry("c")));
  auto source = judge->group().OpenReader();
  ASSERT_DONE(source);
  const LogDescription description{"fingerprints", {}};
  std::optional<std::int64_t> seen_gap;
  LogReader reader(description, **source, seen_gap);
  ASSERT_DONE(reader.Begin(0));
  std::optional<BrokerError> failure;
  for (int i = 0; i < 300 && !failure.has_value(); ++i) {
    ASSERT_DONE(reader.Fetch(10, milliseconds(100)));
    for (auto item = reader.Take(); !item || item->has_value(); item = reader.Take()) {
      if (!item) {
        failure = item.error();
        break;
      }
      EXPECT_EQ((*item)->offset, 0);
    }
  }
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->code, ErrorCode::kCorruption);
  EXPECT_TRUE(failure->may_pass());
}

}  // namespace
}  // namespace crawlsieve::testing

#include "plugin/schedule/fetch.h"

#include <chrono>
#include <limits>

#include <gtest/gtest.h>

namespace crawlsieve::schedule {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

constexpr Seconds kHour = 3'600;
constexpr Seconds kDay = 24 * kHour;
constexpr Seconds kStart = 20'000 * kDay;

class FetchTable : public ::testing::Test {
 protected:
  FetchOutcome Take(Seconds after_start, int status, bool changed = false) {
    return Take({kStart + after_start, ClassOfStatus(status), changed, std::nullopt});
  }
  FetchOutcome Take(const Fetch& fetch) {
    FetchOutcome outcome = TakeFetch(url_, fetch, retry_, half_lives_);
    // Whatever happens, the bytes hold it.
    EXPECT_EQ(UrlSchedule::Decode(url_.Encode()).value(), url_);
    return outcome;
  }
  [[nodiscard]] Seconds WaitAfter(Seconds after_start) const {
    return url_.not_before - kStart - after_start;
  }

  const RetryOptions retry_{};
  const HalfLives half_lives_{};
  UrlSchedule url_;
};

TEST(ClassOfStatus, HasARowForEveryNumber) {
  EXPECT_EQ(ClassOfStatus(200), FetchClass::kContent);
  EXPECT_EQ(ClassOfStatus(206), FetchClass::kContent);
  EXPECT_EQ(ClassOfStatus(300), FetchClass::kContent);
  EXPECT_EQ(ClassOfStatus(304), FetchClass::kNotModified);
  EXPECT_EQ(ClassOfStatus(404), FetchClass::kNotFound);
  EXPECT_EQ(ClassOfStatus(410), FetchClass::kGone);
  for (const int status : {301, 308}) {
    EXPECT_EQ(ClassOfStatus(status), FetchClass::kPermanentRedirect) << status;
  }
  for (const int status : {302, 303, 307}) {
    EXPECT_EQ(ClassOfStatus(status), FetchClass::kTemporaryRedirect) << status;
  }
  for (const int status : {0, -1, 100, 199, 305, 309, 401, 403, 408, 429, 451, 500, 503, 599, 999,
                           std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
    EXPECT_EQ(ClassOfStatus(status), FetchClass::kTemporaryFailure) << status;
  }
}

TEST_F(FetchTable, FirstContentIsNoVisit) {
  EXPECT_EQ(Take(0, 200).effect, FetchEffect::kFirstVisit);
  EXPECT_EQ(url_.last_visit, kStart);
  EXPECT_EQ(url_.years, ChangeEvidence());
}

TEST_F(FetchTable, SameContentAndNotModifiedAreUnchangedVisits) {
  (void)Take(0, 200);
  EXPECT_EQ(Take(3 * kDay, 200, false).effect, FetchEffect::kUnchanged);
  const FetchOutcome outcome = Take(5 * kDay, 304, true);
  EXPECT_EQ(outcome.effect, FetchEffect::kUnchanged) << "304 has no content to compare";
  EXPECT_EQ(outcome.interval, 2 * kDay);
  EXPECT_EQ(url_.years.changes, 0U);
  EXPECT_NEAR(static_cast<double>(url_.years.unchanged_seconds), 5.0 * kDay, 0.1 * kDay);
}

TEST_F(FetchTable, OtherContentIsAChange) {
  (void)Take(0, 200);
  const FetchOutcome outcome = Take(kDay, 200, true);
  EXPECT_EQ(outcome.effect, FetchEffect::kChanged);
  EXPECT_EQ(outcome.interval, kDay);
  EXPECT_EQ(url_.years.changes, ChangeEvidence::kVisit);
  EXPECT_EQ(url_.weeks.changed_seconds, kDay);
}

TEST_F(FetchTable, ALateCopyOfAnOldFetchChangesNothing) {
  (void)Take(0, 200);
  (void)Take(30 * kDay, 200, true);
  const UrlSchedule before = url_;
  for (const int status : {200, 304, 404, 410, 301, 302, 500}) {
    EXPECT_EQ(Take(10 * kDay, status, true).effect, FetchEffect::kOutdated) << status;
    EXPECT_EQ(url_, before) << status;
  }
}

TEST_F(FetchTable, SixFetchesWithinSecondsLeaveNextToNoEvidence) {
  for (Seconds second = 0; second < 6; ++second) (void)Take(second, 200);
  EXPECT_EQ(url_.years.unchanged_seconds, 5U);
}

TEST_F(FetchTable, GoneIsTriedRarely) {
  (void)Take(0, 200);
  EXPECT_EQ(Take(kDay, 410).effect, FetchEffect::kGone);
  EXPECT_EQ(url_.state, UrlState::kGone);
  EXPECT_EQ(WaitAfter(kDay), retry_.gone);
}

TEST_F(FetchTable, NotFoundTwiceADayApartIsGone) {
  (void)Take(0, 200);
  EXPECT_EQ(Take(kDay, 404).effect, FetchEffect::kMissing);
  EXPECT_EQ(WaitAfter(kDay), kDay);
  EXPECT_EQ(Take(2 * kDay - 1, 404).effect, FetchEffect::kMissing) << "less than a day";
  EXPECT_EQ(url_.state, UrlState::kMissing);
  EXPECT_EQ(Take(2 * kDay, 404).effect, FetchEffect::kGone);
  EXPECT_EQ(WaitAfter(2 * kDay), retry_.gone);
  EXPECT_EQ(Take(100 * kDay, 404).effect, FetchEffect::kGone);
  EXPECT_EQ(WaitAfter(100 * kDay), retry_.gone);
}

TEST_F(FetchTable, ContentAfterNotFoundIsAChangeAndForgetsTheAbsence) {
  (void)Take(0, 200);
  (void)Take(kDay, 404);
  EXPECT_EQ(Take(2 * kDay, 200, false).effect, FetchEffect::kChanged);
  EXPECT_EQ(url_.state, UrlState::kLive);
  EXPECT_EQ(url_.not_before, 0U);
  EXPECT_EQ(Take(3 * kDay, 404).effect, FetchEffect::kMissing) << "counted from the start";
}

TEST_F(FetchTable, TemporaryFailuresBackOffAndSayNothingAboutTheContent) {
  (void)Take(0, 200);
  (void)Take(10 * kDay, 200, true);
  const ChangeEvidence years = url_.years;
  const Seconds now = 11 * kDay;
  EXPECT_EQ(Take(now, 503).effect, FetchEffect::kRetry);
  EXPECT_EQ(WaitAfter(now), 2 * kHour);
  EXPECT_EQ(Take(now + 3 * kHour, 429).effect, FetchEffect::kRetry);
  EXPECT_EQ(WaitAfter(now + 3 * kHour), 4 * kHour);
  EXPECT_EQ(Take(now + kDay, 0).effect, FetchEffect::kError) << "the third in a row";
  EXPECT_EQ(WaitAfter(now + kDay), retry_.error);
  EXPECT_EQ(url_.years, years);
  EXPECT_EQ(url_.last_visit, kStart + 10 * kDay);
  EXPECT_EQ(url_.state, UrlState::kLive);
  EXPECT_EQ(Take(now + 9 * kDay, 200, false).effect, FetchEffect::kUnchanged);
  EXPECT_EQ(url_.failures, 0);
  EXPECT_EQ(url_.not_before, 0U);
}

TEST_F(FetchTable, AnyNumberOfFailuresStaysAnError) {
  for (Seconds i = 0; i < 300; ++i) (void)Take(i * kDay, 500);
  EXPECT_EQ(url_.failures, UrlSchedule::kMaxFailures);
  EXPECT_EQ(WaitAfter(299 * kDay), retry_.error);
}

TEST_F(FetchTable, RetryAfterIsHonouredUpToItsLimit) {
  Fetch fetch{kStart, FetchClass::kTemporaryFailure, false, 5 * kHour};
  (void)Take(fetch);
  EXPECT_EQ(WaitAfter(0), 5 * kHour);
  fetch.time += 6 * kHour;
  fetch.retry_after = 60;
  (void)Take(fetch);
  EXPECT_EQ(WaitAfter(6 * kHour), 4 * kHour) << "the back-off is longer";
  fetch.time += kDay;
  fetch.retry_after = std::numeric_limits<Seconds>::max();
  (void)Take(fetch);
  EXPECT_EQ(WaitAfter(6 * kHour + kDay), retry_.longest_retry_after);
}

TEST_F(FetchTable, AFailureLeavesAUrlThatIsGoneGone) {
  (void)Take(0, 410);
  (void)Take(kDay, 500);
  EXPECT_EQ(url_.state, UrlState::kGone);
  EXPECT_EQ(WaitAfter(0), retry_.gone) << "not sooner for the failure";
}

TEST_F(FetchTable, APermanentRedirectGivesTheHistoryToItsTarget) {
  (void)Take(0, 200);
  (void)Take(10 * kDay, 200, true);
  const ChangeEvidence years = url_.years;
  const FetchOutcome outcome = Take(12 * kDay, 301);
  EXPECT_EQ(outcome.effect, FetchEffect::kMoved);
  EXPECT_EQ(url_.state, UrlState::kMoved);
  EXPECT_EQ(url_.years, ChangeEvidence());
  EXPECT_EQ(WaitAfter(12 * kDay), retry_.gone);

  UrlSchedule target;
  AdoptHistory(target, outcome.history.value());
  EXPECT_EQ(target.years, years);
  EXPECT_EQ(target.last_visit, kStart + 10 * kDay);
  EXPECT_EQ(target.state, UrlState::kLive);
  // A redirect by another source gives nothing more.
  UrlSchedule other;
  other.last_visit = kStart + 11 * kDay;
  AdoptHistory(target, other);
  EXPECT_EQ(target.last_visit, kStart + 10 * kDay);
}

TEST_F(FetchTable, AMovedUrlThatHasContentAgainStartsAfresh) {
  (void)Take(0, 200);
  (void)Take(kDay, 308);
  EXPECT_EQ(Take(2 * kDay, 200, true).effect, FetchEffect::kFirstVisit);
  EXPECT_EQ(url_.state, UrlState::kLive);
}

TEST_F(FetchTable, ATemporaryRedirectKeepsTheSourcesOwnSchedule) {
  (void)Take(0, 302);
  EXPECT_EQ(Take(kDay, 307, false).effect, FetchEffect::kUnchanged);
  EXPECT_EQ(Take(2 * kDay, 303, true).effect, FetchEffect::kChanged) << "to another target";
  EXPECT_EQ(url_.years.changes, ChangeEvidence::kVisit);
}

TEST(BackOff, DoublesUpToItsLongest) {
  const RetryOptions retry;
  EXPECT_EQ(BackOff(retry, 1), 2 * kHour);
  EXPECT_EQ(BackOff(retry, 2), 4 * kHour);
  EXPECT_EQ(BackOff(retry, 4), 16 * kHour);
  EXPECT_EQ(BackOff(retry, 5), kDay);
  EXPECT_EQ(BackOff(retry, ~0U), kDay);
}

TEST(ClampedFetchTime, IsTheFetchTimeWithinADayOfTheRecord) {
  const Timestamp record = Timestamp(hours(24 * 20'000));
  EXPECT_EQ(ClampedFetchTime(record - hours(3), record), kStart - 3 * kHour);
  EXPECT_EQ(ClampedFetchTime(record + hours(3), record), kStart + 3 * kHour);
  EXPECT_EQ(ClampedFetchTime(Timestamp(hours(24 * 84'000)), record), kStart + kDay) << "year 2200";
  EXPECT_EQ(ClampedFetchTime(Timestamp(), record), kStart - kDay) << "1970";
}

TEST(ClampedFetchTime, TakesAnyPairOfTimes) {
  const Timestamp least{milliseconds(std::numeric_limits<std::int64_t>::min())};
  const Timestamp most{milliseconds(std::numeric_limits<std::int64_t>::max())};
  for (const Timestamp fetched : {least, Timestamp(), most}) {
    for (const Timestamp recorded : {least, Timestamp(), most}) {
      const Seconds seconds = ClampedFetchTime(fetched, recorded);
      EXPECT_GE(seconds, 1U);
      EXPECT_LT(seconds, Seconds{1} << 41);
    }
  }
}

}  // namespace
}  // namespace crawlsieve::schedule

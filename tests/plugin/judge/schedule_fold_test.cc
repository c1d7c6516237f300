// What a log's statuses and times do to verdicts: the table "What a status says" of
// docs/frontier.md through the whole fold, and input that is out of order or absurd.
#include "plugin/judge/detector.h"
#include "plugin/judge/page_fetch.h"
#include "plugin/judge/state_hash.h"
#include "plugin/judge/stored_schedules.h"
#include "tests/plugin/judge/random_log.h"
#include "tests/support/entry_builder.h"
#include "tests/support/make_flat_index.h"
#include "tests/support/temporary_directory.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

using testing::EntryBuilder;
using testing::kScheme;
using testing::Parameters;

constexpr std::int64_t kHour = 3'600;
constexpr std::int64_t kDay = 24 * kHour;
constexpr std::int64_t kStart = 20'000 * kDay;
constexpr const char* kUrl = "http://host.example/a";

class ScheduleFoldTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Open();
    Fold(ParametersEntry(Parameters(), kScheme));
  }

  void Open() {
    store_ = Store::Open({.directory = directory_.path() / "state"}).value();
    detector_ = Detector::Open(*store_, testing::MakeFlatIndex, kScheme).value();
  }

  /// Without what isn't committed.
  void OpenEmpty() {
    detector_.reset();
    store_.reset();
    Open();
  }

  std::optional<Verdict> Fold(const log::Entry& entry) {
    const auto folded = detector_->Fold(entry);
    EXPECT_TRUE(folded.has_value()) << folded.error().message;
    return folded.has_value() ? folded->verdict : std::nullopt;
  }

  /// Judges it as fetched `seconds` after kStart, and recorded a little later.
  Verdict At(std::int64_t seconds, log::Entry entry) {
    log::Page& page = *entry.mutable_page();
    page.set_fetch_time_ms((kStart + seconds) * 1000);
    page.mutable_source()->set_timestamp_ms((kStart + seconds + 60) * 1000);
    return Fold(entry).value_or(Verdict());
  }

  Verdict Text(std::int64_t seconds, const std::string& content, std::uint64_t simhash,
               const std::string& url = kUrl) {
    return At(seconds, entries_.Text(url, content, simhash));
  }

  log::Entry Answer(int status, const std::string& url = kUrl) {
    log::Entry entry = entries_.Page(url, log::OUTCOME_ERROR_STATUS);
    entry.mutable_page()->set_status(status);
    entry.mutable_page()->set_detail(std::to_string(status));
    return entry;
  }

  log::Entry Redirect(int status, const std::string& target, const std::string& url = kUrl,
                      const std::string& host = "host.example") {
    log::Entry entry = Answer(status, url);
    entry.mutable_page()->set_redirect_target(target);
    entry.mutable_page()->set_redirect_host(host);
    return entry;
  }

  state::Url UrlOf(const std::string& url = kUrl) {
    // Of what is committed.
    EXPECT_TRUE(detector_->Commit({++log_offset_, "0123456789abcdef"}).has_value());
    StoredRows rows(*store_);
    auto row = UrlRow::Read(rows, url);
    EXPECT_TRUE(row.has_value());
    return row->has_value() ? (*row)->record : state::Url();
  }

  static schedule::UrlSchedule ScheduleOf(const state::Url& url) {
    return url.schedule().empty() ? schedule::UrlSchedule()
                                  : schedule::UrlSchedule::Decode(url.schedule()).value();
  }

  testing::TemporaryDirectory directory_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Detector> detector_;
  EntryBuilder entries_{kScheme};
  std::int64_t log_offset_ = -1;
};

std::int64_t NextOf(const Verdict& verdict) {
  return verdict.recrawl->next_fetch.time_since_epoch().count() / 1000 - kStart;
}

TEST_F(ScheduleFoldTest, TheNextFetchIsTheIntervalAfterTheFetch) {
  const Verdict verdict = Text(0, "a", 0);
  EXPECT_EQ(verdict.recrawl->changed, std::nullopt);
  EXPECT_GT(NextOf(verdict), kHour);
  EXPECT_EQ(static_cast<std::int64_t>(verdict.recrawl->interval_seconds), NextOf(verdict));
  EXPECT_EQ(UrlOf().interval_seconds(), 0U) << "replaced";
  EXPECT_EQ(UrlOf().schedule().size(), schedule::UrlSchedule::kEncodedBytes);
}

TEST_F(ScheduleFoldTest, AChangeBringsTheNextFetchNearerAndNoneMovesItAway) {
  const auto first = Text(0, "a", 0).recrawl->interval_seconds;
  const Verdict same = Text(20 * kDay, "a", 0);
  EXPECT_EQ(same.recrawl->changed, false);
  EXPECT_GT(same.recrawl->interval_seconds, first);
  const Verdict other = Text(21 * kDay, "b", 0xffff);
  EXPECT_EQ(other.reason, Reason::kUpdated);
  EXPECT_EQ(other.recrawl->changed, true);
  EXPECT_LT(other.recrawl->interval_seconds, same.recrawl->interval_seconds);
}

TEST_F(ScheduleFoldTest, ThePriorityIsWhatAFetchWillBeWorthAtTheHorizon) {
  const Verdict by_weights = Text(0, "a", 0);
  JudgeParameters parameters = Parameters();
  parameters.priority.horizon_seconds = 7 * kDay;
  Fold(ParametersEntry(parameters, kScheme));
  const Verdict same = Text(kDay, "a", 0);
  const Verdict other = Text(2 * kDay, "b", 0xffff);
  EXPECT_NE(same.priority.score, by_weights.priority.score);
  EXPECT_GT(other.priority.score, same.priority.score) << "it changes more often than it seemed";
  EXPECT_LT(by_weights.priority.components.novelty, Score{Score::kOne + 1}) << "as they were";
  // A URL that is gone is due when it may be there again.
  EXPECT_EQ(At(3 * kDay, Answer(410)).priority.score, Score{0});
  EXPECT_EQ(At(4 * kDay, Answer(500, "http://host.example/b")).priority.score, Score{5'000})
      << "a retry is due before";
  EXPECT_EQ(Fold(entries_.Page(kUrl, log::OUTCOME_DELETED))->priority.score, Score{0});
}

TEST_F(ScheduleFoldTest, ThePriorityIsAtLeastAHalfWhereAFetchIsDueAtTheHorizon) {
  for (const std::uint64_t horizon :
       {std::uint64_t{1}, std::uint64_t{3'600}, std::uint64_t{30 * kDay}, ~std::uint64_t{0}}) {
    OpenEmpty();
    JudgeParameters parameters = testing::ParametersOf(horizon % 7);
    parameters.priority.horizon_seconds = horizon;
    int due = 0;
    int not_due = 0;
    for (log::Entry entry : testing::WithFetches(testing::RandomLog(horizon, 1500), horizon)) {
      if (entry.has_parameters()) entry = ParametersEntry(parameters, kScheme);
      const auto verdict = Fold(entry);
      if (!verdict.has_value()) continue;
      if (!verdict->recrawl.has_value()) {
        EXPECT_EQ(verdict->priority.score, Score{0});
        continue;
      }
      const bool is_due = verdict->recrawl->interval_seconds <= horizon;
      EXPECT_EQ(verdict->priority.score >= Score{5'000}, is_due) << "horizon " << horizon;
      ++(is_due ? due : not_due);
    }
    EXPECT_GT(due + not_due, 500);
  }
}

TEST_F(ScheduleFoldTest, OlderLogsHaveTheWeightedMeanWhateverTheHorizon) {
  for (const std::uint32_t version : {5U, 7U}) {
    OpenEmpty();
    JudgeParameters parameters = Parameters();
    parameters.priority.horizon_seconds = 7 * kDay;
    log::Entry entry = ParametersEntry(parameters, kScheme);
    entry.mutable_parameters()->set_fold_version(version);
    Fold(entry);
    const Verdict verdict = Text(0, "a", 0);
    const PriorityComponents& of = verdict.priority.components;
    EXPECT_EQ(verdict.priority.score.ten_thousandths,
              (400 * of.novelty.ten_thousandths + 300 * of.host.ten_thousandths +
               100 * of.depth.ten_thousandths + 200 * of.change.ten_thousandths) /
                  1000);
  }
}

TEST_F(ScheduleFoldTest, AHostAndAPatternCanHaveBoundsOfTheirOwn) {
  JudgeParameters parameters = Parameters();
  parameters.schedule.bounds = {{"host.example", "/news/N", 60, 3'600},
                                {"", "/archive/N/*", 90 * kDay, 365 * kDay},
                                {"host.example", "", 2 * kDay, 3 * kDay}};
  Fold(ParametersEntry(parameters, kScheme));
  const auto next = [&](const std::string& url, const std::string& host) {
    log::Entry entry = entries_.Text(url, url, RawChecksum(url).low);
    entry.mutable_page()->set_host(host);
    return At(0, entry).recrawl->interval_seconds;
  };
  EXPECT_EQ(next("http://host.example/news/17", "host.example"), 3'600U);
  EXPECT_GE(next("http://other.example/archive/2026/x", "other.example"), 90U * kDay);
  EXPECT_LE(next("http://host.example/about", "host.example"), 3U * kDay);
  const auto usual = next("http://other.example/news/17", "other.example");
  EXPECT_GT(usual, 3U * kDay);
  EXPECT_LT(usual, 90U * kDay);
  // What `due` says of them is the same.
  UrlOf("http://host.example/news/17");
  StoredRows rows(*store_);
  const StoredProgress stored = ReadProgress(rows).value();
  StoredSchedules schedules(stored.progress, rows);
  const auto row = UrlRow::Read(rows, "http://host.example/news/17").value();
  const auto schedule = schedules.Read(*row).value();
  EXPECT_EQ(schedules.ScoreAt(*schedule, kStart).next_fetch,
            static_cast<schedule::Seconds>(kStart + 3'600));
}

TEST_F(ScheduleFoldTest, SixFetchesWithinSecondsSayNextToNothing) {
  const auto first = static_cast<double>(Text(0, "a", 0).recrawl->interval_seconds);
  Verdict last;
  for (int i = 1; i <= 6; ++i) last = Text(i, "a", 0);
  EXPECT_NEAR(static_cast<double>(last.recrawl->interval_seconds), first, first / 100);
}

TEST_F(ScheduleFoldTest, NotModifiedIsAVisitWithoutChangeAndRetiresNothing) {
  Text(0, "a", 0);
  const Verdict verdict = At(20 * kDay, Answer(304));
  EXPECT_EQ(verdict.reason, Reason::kNotModified);
  EXPECT_EQ(verdict.recrawl->changed, false);
  const schedule::UrlSchedule after = ScheduleOf(UrlOf());
  EXPECT_EQ(after.years, (schedule::ChangeEvidence{0, 0, 20 * kDay}));
  EXPECT_EQ(Text(21 * kDay, "a", 0, "http://host.example/copy").reason, Reason::kExactDuplicate);
  EXPECT_EQ(Text(22 * kDay, "a", 0).reason, Reason::kUnchanged);
}

TEST_F(ScheduleFoldTest, NotModifiedOfAnUnknownUrlIsItsFirstVisit) {
  const Verdict verdict = At(0, Answer(304));
  EXPECT_EQ(verdict.reason, Reason::kNotModified);
  EXPECT_EQ(verdict.recrawl->changed, std::nullopt);
  EXPECT_EQ(Text(kDay, "a", 0).reason, Reason::kUnique);
}

TEST_F(ScheduleFoldTest, OneNotFoundIsAnErrorAndTheSecondADayLaterIsGone) {
  Text(0, "a", 0);
  const Verdict first = At(10 * kDay, Answer(404));
  EXPECT_EQ(first.reason, Reason::kErrorStatus);
  EXPECT_EQ(NextOf(first), 11 * kDay);
  const Verdict early = At(10 * kDay + kHour, Answer(404));
  EXPECT_EQ(early.reason, Reason::kErrorStatus);
  EXPECT_EQ(NextOf(early), 11 * kDay);
  const Verdict second = At(11 * kDay, Answer(404));
  EXPECT_EQ(second.reason, Reason::kGone);
  EXPECT_EQ(NextOf(second), 101 * kDay);
  EXPECT_EQ(Text(12 * kDay, "a", 0, "http://host.example/copy").reason, Reason::kExactDuplicate)
      << "a failed fetch retires nothing";
}

TEST_F(ScheduleFoldTest, GoneAtOnceAndBackWithAChange) {
  Text(0, "a", 0);
  const Verdict gone = At(10 * kDay, Answer(410));
  EXPECT_EQ(gone.reason, Reason::kGone);
  EXPECT_EQ(NextOf(gone), 100 * kDay);
  EXPECT_EQ(Text(20 * kDay, "a", 0).reason, Reason::kUnchanged);
  EXPECT_EQ(ScheduleOf(UrlOf()).years.changes, schedule::ChangeEvidence::kVisit);
}

TEST_F(ScheduleFoldTest, TemporaryFailuresBackOffAndSayNothingAboutTheContent) {
  Text(0, "a", 0);
  const auto years = ScheduleOf(UrlOf()).years;
  const std::int64_t at = 100 * kDay;  // long after it was due
  EXPECT_EQ(NextOf(At(at, Answer(500))), at + 2 * kHour);
  EXPECT_EQ(NextOf(At(at + 1, Answer(429))), at + 1 + 4 * kHour);
  const Verdict third = At(at + 2, Answer(0));
  EXPECT_EQ(NextOf(third), at + 2 + 7 * kDay);
  EXPECT_EQ(third.reason, Reason::kErrorStatus);
  EXPECT_EQ(third.recrawl->changed, std::nullopt);
  EXPECT_EQ(ScheduleOf(UrlOf()).years, years);
  EXPECT_EQ(Text(at + 3, "a", 0).reason, Reason::kUnchanged);
}

TEST_F(ScheduleFoldTest, RetryAfterIsHonouredUpToAMonth) {
  log::Entry entry = Answer(503);
  entry.mutable_page()->set_retry_after_seconds(5 * kDay);
  EXPECT_EQ(NextOf(At(0, entry)), 5 * kDay);
  entry = Answer(503, "http://host.example/b");
  entry.mutable_page()->set_retry_after_seconds(365 * kDay);
  EXPECT_EQ(NextOf(At(0, entry)), 30 * kDay);
  entry = Answer(503, "http://host.example/c");
  entry.mutable_page()->set_retry_after_seconds(~std::uint64_t{0});
  EXPECT_EQ(NextOf(At(0, entry)), 30 * kDay);
}

TEST_F(ScheduleFoldTest, WhatCouldNotBeEvaluatedIsTriedAgainAndDoesNotPauseItsHost) {
  for (int i = 0; i < 25; ++i) {
    const std::string url = "http://host.example/" + std::to_string(i);
    const Verdict verdict = At(i, entries_.Page(url, log::OUTCOME_NOT_EVALUATED));
    EXPECT_EQ(NextOf(verdict), i + 2 * kHour);
  }
}

TEST_F(ScheduleFoldTest, AFailingHostPausesAndNamesWhenItsPagesAreDue) {
  Text(0, "a", 0);
  std::int64_t next = 0;
  for (int i = 0; i < 25; ++i) {
    next = NextOf(At(300 * kDay + i, Answer(500, "http://host.example/" + std::to_string(i))));
  }
  EXPECT_GE(next, 300 * kDay + 2 * kHour);
  EXPECT_GE(NextOf(At(300 * kDay + 30, Answer(404))), 301 * kDay);
}

TEST_F(ScheduleFoldTest, ATemporaryRedirectKeepsItsScheduleAndAnotherTargetIsAChange) {
  const Verdict first = At(0, Redirect(302, "http://host.example/x"));
  EXPECT_EQ(first.reason, Reason::kRedirect);
  EXPECT_EQ(first.recrawl->changed, std::nullopt);
  EXPECT_EQ(At(kDay, Redirect(307, "http://host.example/x")).recrawl->changed, false);
  EXPECT_EQ(At(2 * kDay, Redirect(303, "http://host.example/y")).recrawl->changed, true);
  EXPECT_EQ(Text(3 * kDay, "a", 0).recrawl->changed, true) << "content after a redirect";
  EXPECT_EQ(Text(4 * kDay, "a", 0).recrawl->changed, false);
  EXPECT_EQ(At(5 * kDay, Redirect(302, "http://host.example/y")).recrawl->changed, true);
  EXPECT_EQ(Text(6 * kDay, "a", 0).recrawl->changed, true) << "the same content, but in between";
}

TEST_F(ScheduleFoldTest, APermanentRedirectGivesItsHistoryToTheTarget) {
  Text(0, "a", 0);
  Text(30 * kDay, "a", 0);
  const auto before = ScheduleOf(UrlOf());
  const Verdict moved = At(40 * kDay, Redirect(301, "http://host.example/new"));
  EXPECT_EQ(moved.reason, Reason::kRedirect);
  EXPECT_EQ(NextOf(moved), 130 * kDay);
  const state::Url target = UrlOf("http://host.example/new");
  EXPECT_EQ(ScheduleOf(target).last_visit, before.last_visit);
  EXPECT_EQ(ScheduleOf(target).years, before.years);
  EXPECT_EQ(target.fetches(), 2U);
  EXPECT_EQ(UrlOf().fetches(), 0U) << "nothing stays with the source";
  const Verdict there = Text(41 * kDay, "a", 0, "http://host.example/new");
  EXPECT_EQ(there.recrawl->changed, false);
  EXPECT_EQ(there.reason, Reason::kExactDuplicate) << "the source's version is kept as it is";
  EXPECT_NEAR(
      static_cast<double>(ScheduleOf(UrlOf("http://host.example/new")).years.unchanged_seconds),
      41.0 * kDay, 1.0 * kDay)
      << "faded a little";
}

TEST_F(ScheduleFoldTest, ATargetWithAHistoryKeepsItsOwn) {
  Text(0, "b", 0xffff, "http://host.example/new");
  Text(0, "a", 0);
  Text(30 * kDay, "a", 0);
  const std::string before = UrlOf("http://host.example/new").SerializeAsString();
  At(40 * kDay, Redirect(308, "http://host.example/new"));
  EXPECT_EQ(UrlOf("http://host.example/new").SerializeAsString(), before);
}

TEST_F(ScheduleFoldTest, AStrangersRedirectGivesNothing) {
  Text(0, "a", 0);
  At(kDay, Redirect(301, "http://victim.example/", kUrl, "victim.example"));
  EXPECT_EQ(UrlOf("http://victim.example/").ByteSizeLong(), 0U);
}

TEST_F(ScheduleFoldTest, ASinkTakesNoHistory) {
  const std::string home = "http://host.example/";
  for (int i = 0; i < 11; ++i) {
    const std::string url = home + (i % 2 == 0 ? "news/" : "old/path/") + "x" + std::to_string(i);
    Text(i, "content " + std::to_string(i), 0x1111111111111111ULL * static_cast<unsigned>(i), url);
    At(kDay + i, Redirect(301, home, url));
    EXPECT_EQ(ScheduleOf(UrlOf(home)).last_visit != 0, i < 9) << i;
    // The home page is deleted: it could take over another history.
    At(kDay + i, entries_.Page(home, log::OUTCOME_DELETED));
  }
  At(2 * kDay, entries_.Page(home, log::OUTCOME_DELETED));
  const std::string last = home + "news/last";
  Text(2 * kDay, "last", 0xabcdef, last);
  At(3 * kDay, Redirect(301, home, last));
  EXPECT_EQ(UrlOf(home).ByteSizeLong(), 0U);
}

TEST_F(ScheduleFoldTest, RedirectsInACircleComeToAnEnd) {
  const std::string b = "http://host.example/b";
  Text(0, "a", 0);
  for (int i = 1; i <= 20; ++i) {
    EXPECT_EQ(At(i * kDay, Redirect(301, b)).reason, Reason::kRedirect);
    EXPECT_EQ(At(i * kDay + 1, Redirect(301, kUrl, b)).reason, Reason::kRedirect);
  }
  EXPECT_EQ(At(30 * kDay, Redirect(301, kUrl)).reason, Reason::kErrorStatus) << "to itself";
  EXPECT_EQ(At(31 * kDay, Redirect(302, kUrl)).reason, Reason::kErrorStatus) << "to itself";
  EXPECT_EQ(Text(32 * kDay, "a", 0).reason, Reason::kUnchanged);
}

TEST_F(ScheduleFoldTest, AFetchByWayOfARedirectIsNoRefetchOfItsTarget) {
  const auto one = Text(0, "a", 0).recrawl->interval_seconds;
  std::uint64_t four = 0;
  for (int i = 1; i <= 4; ++i) {
    log::Entry entry = entries_.Text(kUrl, "a", 0);
    entry.mutable_page()->set_url("http://host.example/from-" + std::to_string(i));
    entry.mutable_page()->set_was_redirected(true);
    four = At(i, entry).recrawl->interval_seconds;
  }
  EXPECT_EQ(UrlOf().fetches(), 1U);
  EXPECT_NEAR(static_cast<double>(four), static_cast<double>(one), static_cast<double>(one) / 100);
}

TEST_F(ScheduleFoldTest, AnOlderCopyIsOutdatedAndChangesNothing) {
  Text(0, "january", 0);
  const Verdict march = Text(60 * kDay, "march", 0xffff);
  const std::string before = UrlOf().SerializeAsString();
  const Verdict late = Text(30 * kDay, "february", 0xffff0000);
  EXPECT_EQ(late.reason, Reason::kOutdated);
  EXPECT_EQ(RuleFor(late.reason).decision, Decision::kDrop);
  EXPECT_EQ(late.match, std::nullopt);
  EXPECT_EQ(late.cluster.has_value(), false);
  EXPECT_EQ(NextOf(late), NextOf(march));
  EXPECT_EQ(UrlOf().SerializeAsString(), before);
  EXPECT_EQ(Text(61 * kDay, "march", 0xffff, "http://host.example/copy").reason,
            Reason::kExactDuplicate)
      << "the newer version stays live";
  EXPECT_EQ(Text(61 * kDay, "february", 0xffff0000, "http://host.example/b").reason,
            Reason::kUnique)
      << "the older one never was";
}

TEST_F(ScheduleFoldTest, FailuresAndTombstonesThatComeLate) {
  Text(0, "a", 0);
  Text(60 * kDay, "a", 0);
  EXPECT_EQ(At(30 * kDay, Answer(404)).reason, Reason::kOutdated);
  EXPECT_EQ(At(30 * kDay, Answer(410)).reason, Reason::kOutdated);
  EXPECT_EQ(At(30 * kDay, Answer(500)).reason, Reason::kOutdated);
  EXPECT_EQ(At(30 * kDay, entries_.Page(kUrl, log::OUTCOME_NOT_EVALUATED)).reason,
            Reason::kOutdated);
  EXPECT_EQ(At(30 * kDay, entries_.Page(kUrl, log::OUTCOME_DELETED)).reason, Reason::kDeleted)
      << "a tombstone is an order, not a fetch";
}

TEST_F(ScheduleFoldTest, FetchesOfOneSecondAreNotOutdated) {
  Text(0, "a", 0);
  EXPECT_EQ(Text(0, "b", 0xffff).reason, Reason::kUpdated);
}

TEST_F(ScheduleFoldTest, RedirectsInACircleMultiplyNoHistory) {
  const std::vector<std::string> urls = {kUrl, "http://host.example/b", "http://host.example/c"};
  for (const std::size_t length : {2U, 3U}) {
    OpenEmpty();
    Fold(ParametersEntry(Parameters(), kScheme));
    Text(0, "a", 0);
    Text(kDay, "b", 0xffff);
    std::int64_t day = 2;
    for (int round = 0; round < 12; ++round) {
      for (std::size_t i = 0; i < length; ++i) {
        const Verdict verdict = At(day * kDay, Redirect(301, urls[(i + 1) % length], urls[i]));
        EXPECT_EQ(verdict.reason, Reason::kRedirect);
        EXPECT_EQ(NextOf(verdict), (day + 90) * kDay);
        ++day;
        std::uint64_t fetches = 0;
        std::uint64_t changes = 0;
        for (const std::string& url : urls) {
          fetches += UrlOf(url).fetches();
          changes += UrlOf(url).changes();
        }
        EXPECT_EQ(fetches, 2U) << "round " << round;
        EXPECT_EQ(changes, 1U) << "round " << round;
      }
    }
    // Out of the circle again.
    EXPECT_EQ(Text(day * kDay, "c", 0xffff0000, urls[1]).reason, Reason::kUnique);
    EXPECT_EQ(ScheduleOf(UrlOf(urls[1])).state, schedule::UrlState::kLive);
  }
}

TEST_F(ScheduleFoldTest, AFetchTimeOfTheYear2200MakesLaterOnesLateForADayAtMost) {
  log::Entry absurd = entries_.Text(kUrl, "a", 0);
  absurd.mutable_page()->set_fetch_time_ms(7'258'118'400'000);
  absurd.mutable_page()->mutable_source()->set_timestamp_ms(kStart * 1000);
  const auto verdict = Fold(absurd);
  EXPECT_EQ(ScheduleOf(UrlOf()).last_visit, static_cast<std::uint64_t>(kStart + kDay));
  EXPECT_EQ(Text(kHour, "b", 0xffff).reason, Reason::kOutdated);
  EXPECT_EQ(Text(kDay + kHour, "b", 0xffff).reason, Reason::kUpdated);
}

TEST_F(ScheduleFoldTest, AFetchTimeOf1970IsADayBeforeItsRecord) {
  log::Entry absurd = entries_.Text(kUrl, "a", 0);
  absurd.mutable_page()->set_fetch_time_ms(0);
  absurd.mutable_page()->mutable_source()->set_timestamp_ms(kStart * 1000);
  Fold(absurd);
  EXPECT_EQ(ScheduleOf(UrlOf()).last_visit, static_cast<std::uint64_t>(kStart - kDay));
}

TEST_F(ScheduleFoldTest, AnyTimesGiveATimeThatCanBeWritten) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  int number = 0;
  for (const std::int64_t fetched : {kLeast, std::int64_t{-1}, std::int64_t{0}, kMost}) {
    for (const std::int64_t recorded : {kLeast, std::int64_t{0}, std::int64_t{1}, kMost}) {
      log::Entry entry = entries_.Text("http://host.example/" + std::to_string(++number), "a", 0);
      entry.mutable_page()->set_fetch_time_ms(fetched);
      entry.mutable_page()->mutable_source()->set_timestamp_ms(recorded);
      const auto verdict = Fold(entry);
      ASSERT_TRUE(verdict.has_value() && verdict->recrawl.has_value());
      EXPECT_GT(verdict->recrawl->next_fetch.time_since_epoch().count(), 0);
      EXPECT_GE(verdict->recrawl->interval_seconds, 1U);
    }
  }
}

TEST_F(ScheduleFoldTest, PagesWithoutAHostSayNothingAboutEachOther) {
  for (int i = 0; i < 30; ++i) {
    log::Entry entry = Answer(500, "file:///" + std::to_string(i));
    entry.mutable_page()->set_host("");
    EXPECT_EQ(NextOf(At(i, entry)), i + 2 * kHour);
  }
  EXPECT_TRUE(detector_->Commit({++log_offset_, "0123456789abcdef"}).has_value());
  StoredRows rows(*store_);
  EXPECT_FALSE(HostRow::Read(rows, "")->has_value());
}

TEST_F(ScheduleFoldTest, ManyUrlsOfOneHostTakeABoundedNumberOfRows) {
  std::string host = "x";
  for (int i = 0; i < 10'000; ++i) host += ".x";
  for (int i = 0; i < 3'000; ++i) {
    // Each has a pattern of its own, and is fetched twice.
    std::string name;
    for (int number = i; number > 0; number /= 26) name += static_cast<char>('a' + number % 26);
    for (int visit = 0; visit < 2; ++visit) {
      log::Entry entry = entries_.Text("http://h/" + name + "-x/y", std::to_string(i), 0, 3);
      entry.mutable_page()->set_host(i < 10 ? host : "many.example");
      At(visit * kDay + i, entry);
    }
  }
  ASSERT_TRUE(detector_->Commit({++log_offset_, "0123456789abcdef"}).has_value());
  std::size_t bytes = 0;
  int rows = 0;
  ASSERT_TRUE(store_
                  ->ForEach(Table::kHosts,
                            [&](std::string_view key, std::string_view value) -> Status {
                              if (key.starts_with("many.example")) {
                                bytes += key.size() + value.size();
                                ++rows;
                              }
                              return {};
                            })
                  .has_value());
  EXPECT_EQ(rows, 65) << "64 sets of patterns and the host's own row";
  EXPECT_LE(bytes, 64U * 1024);
}

TEST_F(ScheduleFoldTest, WhatTheCrawlSharesIsThereAfterARestart) {
  for (int i = 0; i < 200; ++i) {
    const std::string url = "http://host.example/" + std::to_string(i % 50);
    Text(i * kDay, std::to_string(i % 7), 0, url);
  }
  ASSERT_TRUE(detector_->Commit({++log_offset_, "0123456789abcdef"}).has_value());
  const Verdict expected = Text(201 * kDay, "x", 0xffff);
  detector_.reset();
  ASSERT_TRUE(store_->Flush().has_value());
  store_.reset();
  Open();
  entries_.GoBack(1);
  EXPECT_EQ(NextOf(Text(201 * kDay, "x", 0xffff)), NextOf(expected));
}

TEST_F(ScheduleFoldTest, ADamagedScheduleIsAnErrorThatSaysSo) {
  Text(0, "a", 0);
  ASSERT_TRUE(detector_->Commit({++log_offset_, "0123456789abcdef"}).has_value());
  detector_.reset();
  Changes damage;
  damage.Put(Table::kMeta, "schedule", "\x01");
  ASSERT_TRUE(store_->Apply(damage).has_value());
  const auto opened = Detector::Open(*store_, testing::MakeFlatIndex, kScheme);
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, ErrorCode::kCorruption);
}

TEST_F(ScheduleFoldTest, AStateOfVersion5GoesOnWithSchedulesThatBeginAnew) {
  log::Entry old = ParametersEntry(Parameters(), kScheme);
  old.mutable_parameters()->set_fold_version(5);
  Fold(old);
  Text(0, "a", 0);
  EXPECT_EQ(UrlOf().schedule(), "");
  EXPECT_GT(UrlOf().interval_seconds(), 0U);
  Fold(ParametersEntry(Parameters(), kScheme));
  const Verdict verdict = Text(10 * kDay, "b", 0xffff);
  EXPECT_EQ(verdict.recrawl->changed, true) << "what the page showed is known";
  const state::Url url = UrlOf();
  EXPECT_EQ(url.interval_seconds(), 0U);
  EXPECT_EQ(ScheduleOf(url).years, schedule::ChangeEvidence()) << "since when isn't";
}

TEST_F(ScheduleFoldTest, TheConfiguredRateDecidesTheInterval) {
  const auto interval_for = [&](std::uint64_t fetches_a_day) {
    JudgeParameters parameters = Parameters();
    parameters.schedule.fetches_a_day = fetches_a_day;
    Fold(ParametersEntry(parameters, kScheme));
    return Text(10 * kDay, "x", 0xffff, "http://host.example/x").recrawl->interval_seconds;
  };
  for (int i = 0; i < 100; ++i) {
    Text(i, std::to_string(i), 0, "http://host.example/" + std::to_string(i));
  }
  const auto many = interval_for(100);
  const auto few = interval_for(2);
  EXPECT_LT(many, few);
  EXPECT_GE(many, 3'600U);
}

}  // namespace
}  // namespace crawlsieve

// Questions for the scores of URLs, through the fold.
#include "plugin/judge/asked_url.h"

#include "plugin/judge/detector.h"
#include "plugin/judge/page.h"
#include "plugin/judge/url_explanation.h"
#include "plugin/log/links.h"
#include "plugin/state/changes.h"
#include "tests/plugin/judge/random_log.h"
#include "tests/support/entry_builder.h"
#include "tests/support/make_flat_index.h"
#include "tests/support/temporary_directory.h"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

using testing::EntryBuilder;
using testing::kScheme;

constexpr std::int64_t kDayMs = 86'400'000;
constexpr std::int64_t kStartMs = 1'700'000'000'000;

log::Entry Question(const std::string& url, std::int64_t offset, std::int64_t asked_ms = kStartMs) {
  log::Entry entry;
  log::Question& question = *entry.mutable_question();
  log::Source& source = *question.mutable_source();
  source.set_topic("crawl.asked-urls");
  source.set_generation(1);
  source.set_offset(offset);
  source.set_previous_offset(offset - 1);
  source.set_timestamp_ms(asked_ms);
  question.set_scheme(kScheme);
  question.set_url(url);
  question.set_host(std::string(HostOfUrl(url)));
  question.set_path_depth(1);
  question.set_asked_ms(asked_ms);
  return entry;
}

/// A judge with a state of its own.
class Judge {
 public:
  Judge() { Open(); }

  void Open() {
    detector_.reset();
    store_.reset();
    store_ = Store::Open({.directory = directory_.path()}).value();
    detector_ = Detector::Open(*store_, testing::MakeFlatIndex, kScheme).value();
  }

  Folded Fold(const log::Entry& entry) {
    const auto folded = detector_->Fold(entry);
    EXPECT_TRUE(folded.has_value()) << folded.error().message;
    return folded.value_or(Folded{FoldOutcome::kRanAhead, std::nullopt, {}});
  }

  /// Folds the question, which must be new.
  UrlScore Answer(const log::Entry& entry) {
    EXPECT_EQ(Fold(entry).outcome, FoldOutcome::kQuestion);
    const auto answer = detector_->AnswerTo(entry.question());
    EXPECT_TRUE(answer.has_value());
    const Status valid = CheckUrlScore(*answer);
    EXPECT_TRUE(valid.has_value()) << answer->url << ": " << valid.error().message;
    return answer.value_or(UrlScore());
  }

  void Commit() { ASSERT_TRUE(detector_->Commit({++offset_, "0123456789abcdef"}).has_value()); }

  Detector& detector() { return *detector_; }
  Store& store() { return *store_; }

  /// All rows that verdicts rest on.
  std::map<std::pair<int, std::string>, std::string> Rows() {
    std::map<std::pair<int, std::string>, std::string> rows;
    for (const Table table : {Table::kDocuments, Table::kContent, Table::kUrls, Table::kHosts}) {
      EXPECT_TRUE(store_
                      ->ForEach(table,
                                [&](std::string_view key, std::string_view value) -> Status {
                                  rows[{static_cast<int>(table), std::string(key)}] = value;
                                  return {};
                                })
                      .has_value());
    }
    return rows;
  }

 private:
  testing::TemporaryDirectory directory_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Detector> detector_;
  std::int64_t offset_ = -1;
};

/// What a verdict says, as far as the state decides it.
std::string TextOf(const Folded& folded) {
  if (!folded.verdict.has_value()) return "none";
  const Verdict& verdict = *folded.verdict;
  return fmt::format(
      "{} {} {} {} {} {}", verdict.sequence, RuleFor(verdict.reason).name,
      verdict.cluster.has_value() ? verdict.cluster->id.sequence : 0,
      verdict.cluster.has_value() ? verdict.cluster->size : 0,
      verdict.priority.score.ten_thousandths,
      verdict.recrawl.has_value() ? verdict.recrawl->next_fetch.time_since_epoch().count() : 0);
}

TEST(AskedUrlTest, AFetchedUrlIsDueAtItsNextFetch) {
  Judge judge;
  EntryBuilder entries(kScheme);
  judge.Fold(ParametersEntry(testing::Parameters(), kScheme));
  log::Entry page = entries.Text("http://host.example/a", "a", 1);
  page.mutable_page()->set_fetch_time_ms(kStartMs);
  const Timestamp next = judge.Fold(page).verdict->recrawl->next_fetch;

  const UrlScore before = judge.Answer(Question("http://host.example/a", 0, kStartMs + kDayMs));
  EXPECT_TRUE(before.fetched);
  EXPECT_EQ(before.next_fetch, next);
  EXPECT_EQ(before.reason, "live");
  EXPECT_EQ(before.as_of, Timestamp(std::chrono::milliseconds(kStartMs + kDayMs)));
  EXPECT_LT(before.score, Score{5'000});
  const UrlScore after =
      judge.Answer(Question("http://host.example/a", 1, next.time_since_epoch().count()));
  EXPECT_GE(after.score, Score{5'000});
  EXPECT_EQ(after.sequence, 2U) << "of the page";
}

TEST(AskedUrlTest, AUrlThatWasNeverFetchedIsScoredAsALinkIs) {
  Judge judge;
  EntryBuilder entries(kScheme);
  judge.Fold(ParametersEntry(testing::Parameters(), kScheme));
  log::Entry page = entries.Text("http://host.example/a", "a", 1);
  page.mutable_page()->set_links(
      log::PackLinks(std::vector<std::string>{"http://host.example/b"}, {}, "http://host.example/a")
          .bytes);
  page.mutable_page()->set_crawl_id("monday");
  const Folded folded = judge.Fold(page);
  const auto scores = judge.detector().ScoresOf(page.page(), *folded.verdict).value();
  ASSERT_EQ(scores.size(), 2U);

  log::Entry question = Question("http://host.example/b", 0, page.page().fetch_time_ms());
  question.mutable_question()->set_depth(*scores[1].depth);
  question.mutable_question()->set_parent_url("http://host.example/a");
  question.mutable_question()->set_crawl_id("monday");
  EXPECT_EQ(judge.Answer(question), scores[1]);
  EXPECT_EQ(judge.Answer(Question("http://host.example/b", 1)).depth, 1U) << "that of its path";
}

TEST(AskedUrlTest, AUrlOfOlderRulesHasNoDateAndMayBeFetchedNow) {
  Judge judge;
  EntryBuilder entries(kScheme);
  log::Entry parameters = ParametersEntry(testing::Parameters(), kScheme);
  parameters.mutable_parameters()->set_fold_version(5);
  judge.Fold(parameters);
  judge.Fold(entries.Text("http://host.example/a", "a", 1));
  const UrlScore answer = judge.Answer(Question("http://host.example/a", 0));
  EXPECT_EQ(answer.reason, "no_date");
  EXPECT_EQ(answer.next_fetch, answer.as_of);
}

TEST(AskedUrlTest, CrawlsWithUrlsOfTheirOwnHaveAnswersOfTheirOwn) {
  Judge judge;
  EntryBuilder entries(kScheme);
  JudgeParameters parameters = testing::Parameters();
  parameters.scope = Scope::kCrawl;
  judge.Fold(ParametersEntry(parameters, kScheme));
  log::Entry page = entries.Text("http://host.example/a", "a", 1);
  page.mutable_page()->set_crawl_id("monday");
  judge.Fold(page);
  log::Entry question = Question("http://host.example/a", 0);
  question.mutable_question()->set_crawl_id("monday");
  EXPECT_TRUE(judge.Answer(question).fetched);
  EXPECT_FALSE(judge.Answer(Question("http://host.example/a", 1)).fetched);
}

TEST(AskedUrlTest, AQuestionIsAnsweredOnceAlsoAfterARestart) {
  Judge judge;
  judge.Fold(ParametersEntry(testing::Parameters(), kScheme));
  const log::Entry question = Question("http://host.example/a", 7);
  judge.Answer(question);
  EXPECT_EQ(judge.Fold(question).outcome, FoldOutcome::kRedelivered);
  judge.Commit();
  ASSERT_TRUE(judge.detector().Flush().has_value());
  judge.Open();
  EXPECT_EQ(judge.Fold(question).outcome, FoldOutcome::kRedelivered);
  log::Entry next = Question("http://host.example/a", 9);
  next.mutable_question()->mutable_source()->set_previous_offset(7);
  EXPECT_EQ(judge.Fold(next).gap.opened, std::nullopt) << "the topic has no record 8";
  log::Entry beyond = Question("http://host.example/a", 12);
  const Folded missed = judge.Fold(beyond);
  EXPECT_EQ(missed.gap.opened, (OffsetRange{10, 11})) << "lost questions are named";
}

TEST(AskedUrlTest, AnEntryThatIsNoneOfThisLogIsRefused) {
  Judge judge;
  const auto first = judge.detector().Fold(Question("http://host.example/a", 0));
  ASSERT_FALSE(first.has_value());
  EXPECT_EQ(first.error().code, ErrorCode::kInvalidInput);
  judge.Fold(ParametersEntry(testing::Parameters(), kScheme));
  log::Entry other = Question("http://host.example/a", 0);
  other.mutable_question()->set_scheme("cs1-other");
  const auto refused = judge.detector().Fold(other);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kMismatch);
}

TEST(AskedUrlTest, WhateverAQuestionHoldsItsAnswerIsValid) {
  Judge judge;
  judge.Fold(ParametersEntry(testing::Parameters(), kScheme));
  std::int64_t offset = 0;
  for (const std::int64_t asked :
       {std::int64_t{0}, std::int64_t{-1}, INT64_MIN, INT64_MAX, std::int64_t{7'258'118'400'000}}) {
    for (const std::int64_t recorded : {std::int64_t{0}, std::int64_t{-1}, kStartMs, INT64_MAX}) {
      for (const std::string& url :
           {std::string("http://host.example/a"), std::string("x"), std::string("file:///a"),
            std::string("http://[::1"), std::string("\xff\x00", 2),
            "http://h/" + std::string(16'000, '/')}) {
        log::Entry question = Question(url, offset++, asked);
        question.mutable_question()->mutable_source()->set_timestamp_ms(recorded);
        question.mutable_question()->set_registered_domain_bytes(4'000'000'000);
        question.mutable_question()->set_depth(4'000'000'000);
        question.mutable_question()->set_parent_url(url);
        const UrlScore answer = judge.Answer(question);
        EXPECT_EQ(answer.parent_url, "");
        if (recorded == kStartMs) {
          EXPECT_LE(std::abs(answer.as_of.time_since_epoch().count() - kStartMs), kDayMs);
        }
      }
    }
  }
}

TEST(AskedUrlTest, QuestionsChangeNothingThatVerdictsRestOnAndSayWhatExplainSays) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U}) {
    std::mt19937_64 random(seed);
    Judge with;
    Judge without;
    std::int64_t asked = 0;
    int fetched = 0;
    int offset = 0;
    const std::vector<log::Entry> log = testing::WithFetches(testing::RandomLog(seed, 1200), seed);
    for (const log::Entry& entry : log) {
      const Folded one = with.Fold(entry);
      const Folded other = without.Fold(entry);
      ASSERT_EQ(one.outcome, other.outcome) << "seed " << seed;
      ASSERT_EQ(TextOf(one), TextOf(other)) << "seed " << seed << ", entry " << offset;
      if (++offset % 90 == 0) {
        with.Commit();
        without.Commit();
      }
      if (random() % 3 != 0) continue;
      const log::Entry& about = log[random() % log.size()];
      if (!about.has_page()) continue;
      std::string url = about.page().canonical_url();
      if (random() % 4 == 0) url += "?never=1";
      log::Entry question = Question(url, asked++, kStartMs + offset * 7'200'000LL);
      question.mutable_question()->set_crawl_id(random() % 2 == 0 ? "monday" : "");
      with.detector().ReadAheadFor(std::vector{question}, 1);
      const UrlScore answer = with.Answer(question);
      fetched += answer.fetched ? 1 : 0;
      if (asked % 10 != 0) continue;
      // What is committed is what rows say.
      with.Commit();
      without.Commit();
      StoredRows rows(with.store());
      const StoredProgress stored = ReadProgress(rows).value();
      const auto explained =
          Explain({url, 1, question.question().crawl_id(), answer.as_of}, stored.progress, rows);
      ASSERT_TRUE(explained.has_value());
      ASSERT_TRUE(explained->score.has_value());
      EXPECT_EQ(explained->score->score, answer.score) << url;
      EXPECT_EQ(explained->score->action, answer.action) << url;
      EXPECT_EQ(explained->score->next_fetch, answer.next_fetch) << url;
      EXPECT_EQ(explained->score->reason, answer.reason) << url;
      EXPECT_EQ(explained->score->sequence, answer.sequence);
    }
    with.Commit();
    without.Commit();
    EXPECT_EQ(with.Rows(), without.Rows()) << "seed " << seed;
    EXPECT_GT(fetched, 50);
    EXPECT_GT(asked - fetched, 50);
  }
}

}  // namespace
}  // namespace crawlsieve

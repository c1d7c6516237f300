// Why a URL of a state directory has its score.
#include "plugin/judge/url_explanation.h"

#include "plugin/judge/detector.h"
#include "plugin/judge/due_urls.h"
#include "tests/plugin/judge/random_log.h"
#include "tests/support/entry_builder.h"
#include "tests/support/make_flat_index.h"
#include "tests/support/temporary_directory.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

using ::testing::ElementsAre;
using testing::EntryBuilder;
using ::testing::IsEmpty;
using testing::kScheme;

constexpr std::int64_t kDayMs = 86'400'000;
constexpr std::int64_t kStartMs = 1'700'000'000'000;
constexpr const char* kUrl = "http://host.example/a";

Timestamp At(std::int64_t milliseconds) {
  return Timestamp{std::chrono::milliseconds(milliseconds)};
}

class UrlExplanationTest : public ::testing::Test {
 protected:
  void FoldAll(const std::vector<log::Entry>& entries,
               const JudgeParameters& parameters = testing::Parameters(),
               std::uint32_t fold_version = kFoldVersion) {
    const auto store = Store::Open({.directory = directory_.path()}).value();
    const auto detector = Detector::Open(*store, testing::MakeFlatIndex, kScheme).value();
    log::Entry first = ParametersEntry(parameters, kScheme);
    first.mutable_parameters()->set_fold_version(fold_version);
    ASSERT_TRUE(detector->Fold(first).has_value());
    for (const log::Entry& entry : entries) {
      const auto folded = detector->Fold(entry);
      ASSERT_TRUE(folded.has_value()) << folded.error().message;
      if (!folded->verdict.has_value()) continue;
      const std::string& url = entry.page().canonical_url();
      if (folded->verdict->reason != Reason::kOutdated) reason_[url] = folded->verdict->reason;
      if (const auto scores = detector->ScoresOf(entry.page(), *folded->verdict)) {
        for (const UrlScore& score : *scores) scores_[score.url] = score;
      }
    }
    ASSERT_TRUE(detector->Commit({1, "0123456789abcdef"}).has_value());
    ASSERT_TRUE(detector->Flush().has_value());
  }

  log::Entry Page(const std::string& url, const std::string& content,
                  std::int64_t fetched_ms = kStartMs) {
    log::Entry entry = entries_.Text(url, content, RawChecksum(content).low);
    entry.mutable_page()->set_fetch_time_ms(fetched_ms);
    return entry;
  }

  log::Entry Answer(int status, std::int64_t fetched_ms) {
    log::Entry entry = entries_.Page(kUrl, log::OUTCOME_ERROR_STATUS);
    entry.mutable_page()->set_status(status);
    entry.mutable_page()->set_fetch_time_ms(fetched_ms);
    return entry;
  }

  UrlExplanation ExplainAt(const std::string& url, Timestamp now, const std::string& crawl = {}) {
    const auto state = StateReader::Open(directory_.path());
    EXPECT_TRUE(state.has_value()) << state.error().message;
    const auto explanation = Explain({url, 1, crawl, now}, (*state)->progress(), **state);
    EXPECT_TRUE(explanation.has_value()) << explanation.error().message;
    return *explanation;
  }

  std::vector<Reason> LastReasons(const std::string& url = kUrl) {
    const UrlExplanation explanation = ExplainAt(url, At(kStartMs));
    return explanation.history.has_value() ? explanation.history->last_reasons
                                           : std::vector<Reason>();
  }

  testing::TemporaryDirectory directory_;
  EntryBuilder entries_{kScheme};
  std::map<std::string, Reason> reason_;    ///< of the last verdicts
  std::map<std::string, UrlScore> scores_;  ///< the last ones that came with verdicts
};

TEST_F(UrlExplanationTest, AKeptPageNamesItsVersionAndItsDate) {
  FoldAll({Page(kUrl, "a")});
  const UrlExplanation explanation = ExplainAt(kUrl, At(kStartMs + kDayMs));
  ASSERT_TRUE(explanation.history.has_value());
  EXPECT_THAT(explanation.history->last_reasons, ElementsAre(Reason::kUnique, Reason::kUpdated));
  ASSERT_TRUE(explanation.history->kept.has_value());
  EXPECT_EQ(explanation.history->kept->url, kUrl);
  EXPECT_EQ(explanation.history->kept->sequence, 2U);
  EXPECT_EQ(explanation.history->kept->features, 200U);
  EXPECT_FALSE(explanation.history->repeats.has_value());
  EXPECT_FALSE(explanation.history->may_be_adopted);
  ASSERT_TRUE(explanation.schedule.has_value());
  ASSERT_TRUE(explanation.schedule->rates.has_value());
  ASSERT_TRUE(explanation.score.has_value());
  EXPECT_EQ(explanation.score->next_fetch, scores_.at(kUrl).next_fetch);
  EXPECT_EQ(explanation.sequence, 2U);
  EXPECT_EQ(explanation.host_pages, 1U);
}

TEST_F(UrlExplanationTest, ADuplicateNamesWhatItRepeatsUntilThatIsRetired) {
  FoldAll({Page("http://host.example/first", "a"), Page(kUrl, "a")});
  {
    const UrlExplanation explanation = ExplainAt(kUrl, At(kStartMs));
    EXPECT_THAT(explanation.history->last_reasons, ElementsAre(Reason::kExactDuplicate));
    ASSERT_TRUE(explanation.history->repeats.has_value());
    EXPECT_EQ(explanation.history->repeats->url, "http://host.example/first");
    EXPECT_EQ(explanation.history->repeats->cluster_size, 2U);
    EXPECT_TRUE(explanation.history->repeats_exactly);
  }
  FoldAll({Page("http://host.example/first", "b", kStartMs + kDayMs)});
  const UrlExplanation explanation = ExplainAt(kUrl, At(kStartMs));
  EXPECT_FALSE(explanation.history->repeats.has_value());
  EXPECT_TRUE(explanation.history->repeats_retired);
}

TEST_F(UrlExplanationTest, FailuresSayTheirState) {
  FoldAll({Page(kUrl, "a"), Answer(503, kStartMs + kDayMs)});
  EXPECT_THAT(LastReasons(), ElementsAre(Reason::kErrorStatus, Reason::kNotEvaluated));
  FoldAll({Answer(404, kStartMs + 2 * kDayMs)});
  EXPECT_THAT(LastReasons(), ElementsAre(Reason::kErrorStatus));
  FoldAll({Answer(404, kStartMs + 4 * kDayMs)});
  EXPECT_THAT(LastReasons(), ElementsAre(Reason::kGone));
  const UrlExplanation explanation = ExplainAt(kUrl, At(kStartMs + 5 * kDayMs));
  EXPECT_EQ(explanation.schedule->url.state, schedule::UrlState::kGone);
  EXPECT_FALSE(explanation.schedule->rates.has_value());
  EXPECT_EQ(explanation.score->score, Score{0});
  EXPECT_EQ(explanation.score->reason, "gone");
  ASSERT_TRUE(explanation.history->kept.has_value());
}

TEST_F(UrlExplanationTest, AUrlThatWasNeverFetchedHasTheScoreThatCameWithItsLink) {
  std::vector<log::Entry> log;
  for (int i = 0; i < 80; ++i) {
    log.push_back(Page(fmt::format("http://host.example/p{}.html?sid={}", i / 2, 100 + i),
                       fmt::format("page {}", i / 2)));
  }
  FoldAll(log);
  const std::string suppressed = "http://host.example/p0.html?sid=7";
  const UrlExplanation explanation = ExplainAt(suppressed, At(kStartMs));
  EXPECT_FALSE(explanation.history.has_value());
  EXPECT_FALSE(explanation.schedule.has_value());
  ASSERT_TRUE(explanation.score.has_value());
  EXPECT_TRUE(CheckUrlScore(*explanation.score).has_value());
  EXPECT_EQ(explanation.score->action, ScoreAction::kSuppress);
  EXPECT_EQ(explanation.score->reason, "url_rule");
  ASSERT_TRUE(explanation.site.has_value());
  EXPECT_EQ(explanation.site->name, "host.example");
  ASSERT_TRUE(explanation.site->rule.has_value());
  EXPECT_EQ(explanation.site->rule->name, "sid");
  EXPECT_EQ(explanation.site->advice.support, 40U);
  EXPECT_GT(explanation.site->of_pattern.fetched, 0U);
  EXPECT_TRUE(explanation.site->patterns.folder.empty());
  EXPECT_EQ(explanation.site->steps.folder.chance, explanation.site->steps.pattern.chance);
  EXPECT_LT(explanation.site->advice.chance, explanation.site->steps.folder.chance / 10)
      << "40 pairs speak against it";
}

TEST_F(UrlExplanationTest, NothingIsKnownOfAUrlOfAnotherHost) {
  FoldAll({Page(kUrl, "a")});
  const UrlExplanation explanation = ExplainAt("http://other.example/a", At(kStartMs));
  EXPECT_FALSE(explanation.history.has_value());
  EXPECT_EQ(explanation.host_pages, 0U);
  ASSERT_TRUE(explanation.site.has_value());
  EXPECT_FALSE(explanation.site->is_known);
  EXPECT_EQ(explanation.score->action, ScoreAction::kSchedule);
  const UrlExplanation no_host = ExplainAt("file:///a", At(kStartMs));
  EXPECT_FALSE(no_host.site.has_value());
  EXPECT_TRUE(CheckUrlScore(*no_host.score).has_value());
}

TEST_F(UrlExplanationTest, EachCrawlHasAHistoryWhereCrawlsAreScopes) {
  JudgeParameters parameters = testing::Parameters();
  parameters.scope = Scope::kCrawl;
  std::vector<log::Entry> log;
  for (const char* crawl : {"monday", "tuesday"}) {
    log.push_back(Page(kUrl, "a"));
    log.back().mutable_page()->set_crawl_id(crawl);
  }
  FoldAll(log, parameters);
  EXPECT_TRUE(ExplainAt(kUrl, At(kStartMs), "monday").history.has_value());
  EXPECT_FALSE(ExplainAt(kUrl, At(kStartMs), "friday").history.has_value());
  const auto state = StateReader::Open(directory_.path()).value();
  EXPECT_THAT(CrawlsThatKnow(kUrl, 9, *state).value(), ElementsAre("monday", "tuesday"));
  EXPECT_THAT(CrawlsThatKnow(kUrl, 1, *state).value(), ElementsAre("monday"));
  EXPECT_THAT(CrawlsThatKnow("http://host.example/", 9, *state).value(), IsEmpty());
}

TEST_F(UrlExplanationTest, EarlierRulesLeaveNoDate) {
  FoldAll({Page(kUrl, "a")}, testing::Parameters(), /*fold_version=*/5);
  const UrlExplanation explanation = ExplainAt(kUrl, At(kStartMs));
  EXPECT_THAT(explanation.history->last_reasons,
              ElementsAre(Reason::kUnique, Reason::kUpdated, Reason::kUnchanged));
  EXPECT_FALSE(explanation.schedule.has_value());
  EXPECT_FALSE(explanation.score.has_value());
}

// What is inferred is held against the verdicts that really came.
TEST_F(UrlExplanationTest, TheLastVerdictIsAmongThoseThatTheStateAllows) {
  constexpr std::uint64_t kSeed = 20;
  const std::vector<log::Entry> log = testing::WithFetches(testing::RandomLog(kSeed, 3000), kSeed);
  FoldAll({log.begin() + 1, log.end()});
  int checked = 0;
  int wrong = 0;
  for (const auto& [url, reason] : reason_) {
    const UrlExplanation explanation = ExplainAt(url, At(kStartMs));
    EXPECT_EQ(explanation.history.has_value(), reason != Reason::kDeleted) << url;
    if (!explanation.history.has_value()) continue;
    ++checked;
    if (std::ranges::count(explanation.history->last_reasons, reason) == 1) continue;
    ++wrong;
    std::cout << "seed " << kSeed << ": " << url << " " << RuleFor(reason).name << "\n";
  }
  EXPECT_GT(checked, 10);
  // Fetch times that were moved and histories that were taken over mislead.
  EXPECT_LE(10 * wrong, checked);
}

}  // namespace
}  // namespace crawlsieve

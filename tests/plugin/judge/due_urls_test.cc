// Which URLs of a state directory are due.
#include "plugin/judge/due_urls.h"

#include "plugin/judge/detector.h"
#include "plugin/judge/rows.h"
#include "tests/plugin/judge/random_log.h"
#include "tests/support/entry_builder.h"
#include "tests/support/make_flat_index.h"
#include "tests/support/temporary_directory.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
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

Timestamp At(std::int64_t milliseconds) {
  return Timestamp{std::chrono::milliseconds(milliseconds)};
}

class DueUrlsTest : public ::testing::Test {
 protected:
  void FoldAll(const std::vector<log::Entry>& entries, std::uint32_t fold_version = kFoldVersion) {
    const auto store = Store::Open({.directory = directory_.path()}).value();
    const auto detector = Detector::Open(*store, testing::MakeFlatIndex, kScheme).value();
    log::Entry parameters = ParametersEntry(testing::Parameters(), kScheme);
    parameters.mutable_parameters()->set_fold_version(fold_version);
    ASSERT_TRUE(detector->Fold(parameters).has_value());
    for (const log::Entry& entry : entries) {
      const auto folded = detector->Fold(entry);
      ASSERT_TRUE(folded.has_value()) << folded.error().message;
      if (folded->verdict.has_value() && folded->verdict->recrawl.has_value()) {
        next_fetch_[entry.page().canonical_url()] = folded->verdict->recrawl->next_fetch;
      }
    }
    ASSERT_TRUE(detector->Commit({1, "0123456789abcdef"}).has_value());
    ASSERT_TRUE(detector->Flush().has_value());
  }

  log::Entry Page(const std::string& url, const std::string& content, std::int64_t fetched_ms) {
    log::Entry entry = entries_.Text(url, content, RawChecksum(content).low);
    entry.mutable_page()->set_host(std::string(HostOf(url)));
    entry.mutable_page()->set_fetch_time_ms(fetched_ms);
    return entry;
  }

  static std::string_view HostOf(std::string_view url) {
    url.remove_prefix(url.find("://") + 3);
    return url.substr(0, url.find_first_of(":/"));
  }

  DueCounts Look(Timestamp before, const std::string& host = {}) {
    due_.clear();
    const auto state = StateReader::Open(directory_.path());
    EXPECT_TRUE(state.has_value()) << state.error().message;
    const auto counts = ForEachDue(**state, {before, host}, [this](DueUrl&& due) -> Status {
      due_.push_back(std::move(due));
      return {};
    });
    EXPECT_TRUE(counts.has_value()) << counts.error().message;
    return *counts;
  }

  std::vector<std::string> Urls() const {
    std::vector<std::string> urls;
    for (const DueUrl& due : due_) urls.push_back(due.url);
    return urls;
  }

  testing::TemporaryDirectory directory_;
  EntryBuilder entries_{kScheme};
  std::map<std::string, Timestamp> next_fetch_;  ///< of the last verdicts
  std::vector<DueUrl> due_;                      ///< of the last Look
};

TEST_F(DueUrlsTest, AUrlIsDueFromItsNextFetchOn) {
  FoldAll({Page("http://host.example/a", "a", kStartMs)});
  // Nothing was folded since, so the verdict's date still holds.
  const Timestamp next = next_fetch_.at("http://host.example/a");
  EXPECT_EQ(Look(next - std::chrono::milliseconds(1)).due, 0U);
  EXPECT_THAT(Urls(), IsEmpty());
  const DueCounts counts = Look(next);
  EXPECT_EQ(counts.urls, 1U);
  EXPECT_EQ(counts.due, 1U);
  ASSERT_THAT(Urls(), ElementsAre("http://host.example/a"));
  EXPECT_EQ(due_[0].reason, "live");
  EXPECT_GE(due_[0].score.score, Score{5'000});
  ASSERT_TRUE(due_[0].score.chance_of_change.has_value());
  EXPECT_GT(*due_[0].score.chance_of_change, Score{0});
}

TEST_F(DueUrlsTest, ScoresObeyTheRulesOfRecordsAtAnyTime) {
  std::vector<log::Entry> log =
      testing::WithFetches(testing::RandomLog(/*seed=*/11, 3000), /*seed=*/11);
  FoldAll({log.begin() + 1, log.end()});
  std::uint64_t due = 0;
  for (int day = -1; day < 400; day += 20) {
    const Timestamp now = At(kStartMs + day * kDayMs + 500);
    const DueCounts counts = Look(now);
    EXPECT_GE(counts.due, due) << "day " << day;
    due = counts.due;
    for (const DueUrl& url : due_) {
      const UrlScore record = UrlScoreOf(url, now, 7);
      const Status checked = CheckUrlScore(record);
      ASSERT_TRUE(checked.has_value()) << record.url << ": " << checked.error().message;
      EXPECT_TRUE(IsDue(record));
    }
  }
  EXPECT_GT(due, 20U);
}

TEST_F(DueUrlsTest, WhatFailedIsDueWhenItMayBeTriedAgain) {
  log::Entry entry = entries_.Page("http://host.example/a", log::OUTCOME_ERROR_STATUS);
  entry.mutable_page()->set_status(503);
  entry.mutable_page()->set_fetch_time_ms(kStartMs);
  log::Entry gone = entries_.Page("http://host.example/b", log::OUTCOME_ERROR_STATUS);
  gone.mutable_page()->set_status(410);
  gone.mutable_page()->set_fetch_time_ms(kStartMs);
  FoldAll({entry, gone});
  EXPECT_EQ(Look(At(kStartMs + kDayMs / 24)).due, 0U);
  Look(At(kStartMs + kDayMs / 12));
  ASSERT_THAT(Urls(), ElementsAre("http://host.example/a"));
  EXPECT_EQ(due_[0].reason, "failed");
  EXPECT_EQ(due_[0].score.score, Score{5'000});
  EXPECT_FALSE(due_[0].score.chance_of_change.has_value());
  Look(At(kStartMs + 90 * kDayMs));
  ASSERT_EQ(due_.size(), 2U);
  EXPECT_EQ(due_[1].reason, "gone");
}

TEST_F(DueUrlsTest, OfOneHostOnlyItsOwnUrlsAreLookedAt) {
  std::vector<log::Entry> log;
  for (const char* url :
       {"http://a.example/1", "http://a.example:8080/2", "http://a.example.evil/3",
        "http://b.example/4", "https://a.example/5", "https://aa.example/6", "http://a.exampl/7"}) {
    log.push_back(Page(url, url, kStartMs));
  }
  FoldAll(log);
  const Timestamp late = At(kStartMs + 4000 * kDayMs);
  EXPECT_EQ(Look(late, "a.example").urls, 3U);
  EXPECT_THAT(Urls(),
              ElementsAre("http://a.example/1", "http://a.example:8080/2", "https://a.example/5"));
  EXPECT_EQ(Look(late).urls, 7U);
  EXPECT_TRUE(std::ranges::is_sorted(Urls()));
}

TEST_F(DueUrlsTest, AUrlHasAHistoryInEachCrawlWhereCrawlsAreScopes) {
  JudgeParameters by_crawl = testing::Parameters();
  by_crawl.scope = Scope::kCrawl;
  std::vector<log::Entry> log{ParametersEntry(by_crawl, kScheme)};
  for (const char* crawl : {"monday", ""}) {
    log.push_back(Page("http://host.example/a", "a", kStartMs));
    log.back().mutable_page()->set_crawl_id(crawl);
  }
  FoldAll(log);
  Look(At(kStartMs + 4000 * kDayMs));
  ASSERT_EQ(due_.size(), 2U);
  EXPECT_EQ(due_[0].url, "http://host.example/a");
  EXPECT_EQ(due_[0].crawl_id, "");
  EXPECT_EQ(due_[1].url, "http://host.example/a");
  EXPECT_EQ(due_[1].crawl_id, "monday");
}

TEST_F(DueUrlsTest, UrlsThatEarlierRulesFetchedAreCountedApart) {
  FoldAll({Page("http://host.example/a", "a", kStartMs)}, /*fold_version=*/5);
  const DueCounts counts = Look(At(kStartMs + 4000 * kDayMs));
  EXPECT_EQ(counts.urls, 1U);
  EXPECT_EQ(counts.due, 0U);
  EXPECT_EQ(counts.without_schedule, 1U);
}

TEST(MostUrgentTest, KeepsTheMostUrgentInOrderWhateverOrderTheyCameIn) {
  std::vector<UrlScore> all;
  for (std::uint32_t i = 0; i < 500; ++i) {
    UrlScore due;
    due.url = fmt::format("http://host.example/{}", i * 7919 % 500);
    due.score = Score{5'000 + i * 31 % 50};
    due.next_fetch = At(i * 17 % 9);
    all.push_back(due);
  }
  std::vector<UrlScore> sorted = all;
  std::ranges::sort(sorted, IsMoreUrgent);
  for (const std::size_t limit : {1U, 7U, 499U, 500U, 600U}) {
    MostUrgent most_urgent(limit);
    for (const UrlScore& due : all) most_urgent.Add(UrlScore(due));
    const std::vector<UrlScore> taken = std::move(most_urgent).Take();
    ASSERT_EQ(taken.size(), std::min<std::size_t>(limit, 500));
    for (std::size_t i = 0; i < taken.size(); ++i) EXPECT_EQ(taken[i].url, sorted[i].url);
  }
}

}  // namespace
}  // namespace crawlsieve

// The scores of a page's URLs, through the fold.
#include "plugin/judge/page_scores.h"

#include "plugin/judge/detector.h"
#include "plugin/judge/known_sites.h"
#include "plugin/judge/page_site.h"
#include "plugin/judge/rows.h"
#include "plugin/judge/score_batch.h"
#include "plugin/judge/score_rows.h"
#include "plugin/log/links.h"
#include "tests/plugin/judge/random_log.h"
#include "tests/support/entry_builder.h"
#include "tests/support/make_flat_index.h"
#include "tests/support/sanitized.h"
#include "tests/support/temporary_directory.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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

constexpr std::int64_t kStartMs = 1'700'000'000'000;

void SetLinks(log::Entry& entry, const std::vector<std::string>& main_text,
              const std::vector<std::string>& elsewhere = {}) {
  log::Page& page = *entry.mutable_page();
  page.set_links(log::PackLinks(main_text, elsewhere, page.canonical_url()).bytes);
}

class PageScoresTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store_ = Store::Open({.directory = directory_.path()}).value();
    detector_ = Detector::Open(*store_, testing::MakeFlatIndex, kScheme).value();
    ASSERT_TRUE(detector_->Fold(ParametersEntry(testing::Parameters(), kScheme)).has_value());
  }

  /// Folds the entry; the scores that come with its verdict.
  std::vector<UrlScore> Scores(const log::Entry& entry) {
    const auto folded = detector_->Fold(entry);
    EXPECT_TRUE(folded.has_value()) << folded.error().message;
    if (!folded.has_value() || !folded->verdict.has_value()) return {};
    const auto scores = detector_->ScoresOf(entry.page(), *folded->verdict);
    EXPECT_TRUE(scores.has_value()) << scores.error().message;
    return scores.has_value() ? *scores : std::vector<UrlScore>();
  }

  log::Entry Page(const std::string& url, const std::string& content) {
    return entries_.Text(url, content, RawChecksum(content).low);
  }

  testing::TemporaryDirectory directory_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Detector> detector_;
  EntryBuilder entries_{kScheme};
};

std::vector<std::string> UrlsOf(const std::vector<UrlScore>& scores) {
  std::vector<std::string> urls;
  for (const UrlScore& score : scores) urls.push_back(score.url);
  return urls;
}

TEST_F(PageScoresTest, APageThatWasFetchedIsDueAtItsNextFetch) {
  log::Entry entry = Page("http://host.example/a", "a");
  entry.mutable_page()->set_crawl_id("monday");
  const auto scores = Scores(entry);
  ASSERT_EQ(scores.size(), 1U);
  EXPECT_EQ(scores[0].url, "http://host.example/a");
  EXPECT_EQ(scores[0].host, "host.example");
  EXPECT_TRUE(scores[0].fetched);
  EXPECT_EQ(scores[0].reason, "unique");
  EXPECT_EQ(scores[0].crawl_id, "monday");
  EXPECT_EQ(scores[0].last_status, 200U);
  EXPECT_EQ(scores[0].as_of.time_since_epoch().count() / 1000, entry.page().fetch_time_ms() / 1000);
  EXPECT_GT(scores[0].next_fetch, scores[0].as_of);
  EXPECT_LT(scores[0].score, Score{5'000});
}

TEST_F(PageScoresTest, LinksThatWereNeverFetchedGetAScoreEach) {
  ASSERT_EQ(Scores(Page("http://host.example/b", "b")).size(), 1U);
  log::Entry entry = Page("http://host.example/a", "a");
  SetLinks(entry, {"http://host.example/b", "http://host.example/c", "http://host.example/a"},
           {"https://other.example:8443/d?e=f"});
  const auto scores = Scores(entry);
  EXPECT_THAT(UrlsOf(scores), ElementsAre("http://host.example/a", "http://host.example/c",
                                          "https://other.example:8443/d?e=f"));
  for (const UrlScore& score : scores) EXPECT_TRUE(CheckUrlScore(score).has_value()) << score.url;
  EXPECT_FALSE(scores[1].fetched);
  EXPECT_EQ(scores[1].next_fetch, std::nullopt);
  EXPECT_EQ(scores[1].parent_url, "http://host.example/a");
  EXPECT_EQ(scores[1].action, ScoreAction::kSchedule);
  EXPECT_EQ(scores[1].reason, "none");
  EXPECT_EQ(scores[2].host, "other.example");
}

TEST_F(PageScoresTest, APatternThatBroughtNewContentGoesBeforeOneThatBroughtNone) {
  for (int i = 0; i < 30; ++i) {
    Scores(Page(fmt::format("http://host.example/news/{}.html", i), std::to_string(i)));
    Scores(Page(fmt::format("http://host.example/list.php?from={}", i), "the same"));
  }
  log::Entry entry = Page("http://host.example/", "home");
  SetLinks(entry, {"http://host.example/news/99.html", "http://host.example/list.php?from=99"});
  const auto scores = Scores(entry);
  ASSERT_EQ(scores.size(), 3U);
  EXPECT_GT(scores[1].score, Score{5'000});
  EXPECT_LT(scores[2].score, scores[1].score);
  EXPECT_EQ(scores[2].action, ScoreAction::kSuppress);
  EXPECT_EQ(scores[2].reason, "url_rule");
}

TEST_F(PageScoresTest, APageForWhateverIsMissingIsASoftErrorWhenItWasSeenOften) {
  const auto is_soft_error = [this](const std::string& url, const std::string& content) {
    const auto scores = Scores(Page(url, content));
    return !scores.empty() && scores[0].reason == "soft_error";
  };
  for (int i = 0; i < 8; ++i) {
    EXPECT_FALSE(is_soft_error(fmt::format("http://host.example/{}/gone{}", i % 4, i), "sorry"));
    EXPECT_FALSE(is_soft_error(fmt::format("http://host.example/{}/page{}", i % 4, i),
                               fmt::format("page {}", i)));
  }
  for (int i = 8; i < 40; ++i) {
    const std::string folder(1, static_cast<char>('a' + i % 4));
    const bool is_told =
        is_soft_error(fmt::format("http://host.example/{}/gone{}", folder, i), "sorry");
    if (i >= 20) {
      EXPECT_TRUE(is_told) << i;
    }
    EXPECT_FALSE(is_soft_error(fmt::format("http://host.example/{}/page{}", folder, i),
                               fmt::format("page {}", i)));
  }
}

TEST_F(PageScoresTest, LinksOfAPageThatIsNotToBeFollowedCountAQuarter) {
  const auto value_of = [](const UrlScore& score, std::string_view name) {
    for (const ScoreComponent& component : score.components) {
      if (component.name == name) return component.value.ten_thousandths;
    }
    return 0U;
  };
  log::Entry first = Page("http://host.example/a", "a");
  log::Entry copy = Page("http://host.example/b", "a");
  for (log::Entry* const entry : {&first, &copy}) SetLinks(*entry, {"http://other.example/c"});
  const auto followed = Scores(first);
  const auto repeated = Scores(copy);
  ASSERT_EQ(followed.size(), 2U);
  ASSERT_EQ(repeated.size(), 2U);
  EXPECT_EQ(repeated[0].reason, "exact_duplicate");
  EXPECT_NEAR(value_of(repeated[1], "worth") * 4.0, value_of(followed[1], "worth"), 4);
  EXPECT_EQ(value_of(repeated[1], "chance_of_new"), value_of(followed[1], "chance_of_new"));
  EXPECT_LT(repeated[1].score, followed[1].score);
}

/// Tags of one article: each of their pages has the article, and leads to all of them.
class CopiesTest : public PageScoresTest {
 protected:
  static std::string Tag(int i, const std::string& host = "host.example") {
    return fmt::format("http://{}/tag/t{}x", host, i);
  }

  /// The scores that come with a tag, which has the content. It leads to `other` besides.
  std::vector<UrlScore> ScoresOfTag(int i, const std::string& content,
                                    const std::string& other = "http://host.example/about") {
    log::Entry entry = Page(Tag(i), content);
    std::vector<std::string> links;
    for (int tag = 0; tag < 20; ++tag) links.push_back(Tag(tag));
    links.push_back(other);
    SetLinks(entry, links);
    return Scores(entry);
  }

  static std::ptrdiff_t Copies(const std::vector<UrlScore>& scores) {
    return std::ranges::count_if(scores,
                                 [](const UrlScore& score) { return score.reason == "copies"; });
  }
};

TEST_F(CopiesTest, LinksBesideCopiesOfTheirPageAreSuppressed) {
  Scores(Page("http://host.example/article", "story"));
  int fetched = 0;
  std::vector<UrlScore> scores;
  while (Copies(scores) == 0 && fetched < 19) scores = ScoresOfTag(fetched++, "story");
  EXPECT_GE(fetched, static_cast<int>(site::kMinCopies));
  EXPECT_LT(fetched, 9);
  ASSERT_EQ(scores.size(), 1U + 20 - fetched + 1);
  EXPECT_EQ(Copies(scores), 20 - fetched);
  EXPECT_EQ(scores.back().url, "http://host.example/about");
  EXPECT_EQ(scores.back().reason, "none") << "it has another pattern";
  EXPECT_TRUE(std::ranges::any_of(scores, [](const UrlScore& score) {
    return score.reason == "copies" && score.action == ScoreAction::kSuppress;
  }));
  // A page with a content of its own says nothing of the kind, and lifts it.
  EXPECT_EQ(Copies(ScoresOfTag(fetched, "another story")), 0);
}

TEST_F(CopiesTest, OneThatIsNoneSpeaksAgainstThem) {
  Scores(Page("http://host.example/article", "story"));
  ScoresOfTag(0, "a story of its own");
  for (int i = 1; i < 12; ++i) EXPECT_EQ(Copies(ScoresOfTag(i, "story")), 0) << i;
}

TEST_F(CopiesTest, AreTakenForSuchInTheirOwnSiteAlone) {
  const std::string other = "other.example";
  for (int i = 0; i < 8; ++i) Scores(Page(Tag(i, other), "story"));
  log::Entry entry = Page("http://host.example/article", "story");
  std::vector<std::string> links;
  for (int i = 0; i < 20; ++i) links.push_back(Tag(i, other));
  SetLinks(entry, links);
  EXPECT_EQ(Copies(Scores(entry)), 0) << "a host must not lower another's scores";
}

TEST_F(CopiesTest, OlderRulesKnowNone) {
  log::Entry parameters = ParametersEntry(testing::Parameters(), kScheme);
  parameters.mutable_parameters()->set_fold_version(kFoldVersionOfCopies - 1);
  ASSERT_TRUE(detector_->Fold(parameters).has_value());
  Scores(Page("http://host.example/article", "story"));
  for (int i = 0; i < 12; ++i) EXPECT_EQ(Copies(ScoresOfTag(i, "story")), 0) << i;
}

class OtherSitesTest : public PageScoresTest {
 protected:
  /// The latest pages of a host that its site learns from are so many, and the next one.
  static constexpr int kUntilLearned = site::LatestPages::kMaxPages + 1;

  void SetFoldVersion(std::uint32_t version) {
    log::Entry parameters = ParametersEntry(testing::Parameters(), kScheme);
    parameters.mutable_parameters()->set_fold_version(version);
    ASSERT_TRUE(detector_->Fold(parameters).has_value());
  }

  log::Entry Page(const std::string& url, const std::string& content) {
    log::Entry entry = PageScoresTest::Page(url, content);
    entry.mutable_page()->set_host(std::string(site::SiteOf(url)));
    return entry;
  }

  /// Folds pages of the other site, of which only the first is new.
  void FoldCopies(int from, int to) {
    for (int i = from; i < to; ++i) {
      Scores(Page(fmt::format("http://other.example/list.php?from={}", i), "the same"));
    }
  }

  /// What a page of a host has for a link to another such page.
  UrlScore ScoreOfLinkFrom(const std::string& host) {
    const std::string url = fmt::format("http://{}/p{}", host, ++pages_);
    log::Entry entry = Page(url, url);
    SetLinks(entry, {fmt::format("http://other.example/list.php?from=new{}", pages_)});
    const auto scores = Scores(entry);
    EXPECT_EQ(scores.size(), 2U);
    return scores.back();
  }

 private:
  int pages_ = 0;
};

TEST_F(OtherSitesTest, AreTakenByTheirHostsCountsUntilTheyLearned) {
  const Score first = ScoreOfLinkFrom("host.example").score;
  FoldCopies(0, kUntilLearned - 1);
  const UrlScore counted = ScoreOfLinkFrom("host.example");
  EXPECT_LT(counted.score, first);
  EXPECT_EQ(counted.action, ScoreAction::kSchedule) << "counts alone rule nothing out";
  FoldCopies(kUntilLearned - 1, kUntilLearned + 1);
  EXPECT_EQ(ScoreOfLinkFrom("host.example").reason, "url_rule");
}

TEST_F(OtherSitesTest, TheirOwnPagesKnowMore) {
  FoldCopies(0, kUntilLearned - 1);
  EXPECT_EQ(ScoreOfLinkFrom("host.example").reason, "none");
  EXPECT_EQ(ScoreOfLinkFrom("other.example").reason, "url_rule");
}

TEST_F(OtherSitesTest, AHostWithNewContentGoesBeforeOneWithout) {
  for (int i = 0; i < 10; ++i) {
    Scores(Page(fmt::format("http://fresh.example/{}", i), fmt::format("page {}", i)));
  }
  FoldCopies(0, 10);
  log::Entry entry = Page("http://host.example/", "home");
  SetLinks(entry, {"http://other.example/x", "http://fresh.example/x", "http://unknown.example/x"});
  const auto scores = Scores(entry);
  ASSERT_EQ(scores.size(), 4U);
  EXPECT_LT(scores[1].score, scores[3].score);
  EXPECT_GT(scores[2].score, scores[3].score);
}

TEST_F(OtherSitesTest, OlderRulesLookAtTheirLatestPages) {
  SetFoldVersion(kFoldVersionOfOtherSites - 1);
  FoldCopies(0, site::LimitsOf(site::LatestLayout::kPages).pages);
  EXPECT_EQ(ScoreOfLinkFrom("host.example").reason, "url_rule");
}

TEST_F(OtherSitesTest, CountNothingWhereNothingIsLearnedOfSites) {
  JudgeParameters parameters = testing::Parameters();
  parameters.sites.max = 0;
  ASSERT_TRUE(detector_->Fold(ParametersEntry(parameters, kScheme)).has_value());
  const Score first = ScoreOfLinkFrom("host.example").score;
  FoldCopies(0, 20);
  EXPECT_EQ(ScoreOfLinkFrom("host.example").score, first);
}

TEST_F(PageScoresTest, PagesThatChangeNothingHaveNone) {
  log::Entry later = Page("http://host.example/a", "a");
  log::Entry earlier = Page("http://host.example/a", "b");
  later.mutable_page()->set_fetch_time_ms(kStartMs);
  earlier.mutable_page()->set_fetch_time_ms(kStartMs - 86'400'000);
  EXPECT_EQ(Scores(later).size(), 1U);
  EXPECT_THAT(Scores(earlier), IsEmpty());
  EXPECT_THAT(Scores(entries_.Page("http://host.example/a", log::OUTCOME_DELETED)), IsEmpty());
}

TEST_F(PageScoresTest, LinksThatNobodyPackedAreAnError) {
  log::Entry entry = Page("http://host.example/a", "a");
  entry.mutable_page()->set_links("no stream of DEFLATE");
  const auto folded = detector_->Fold(entry);
  ASSERT_TRUE(folded.has_value());
  const auto scores = detector_->ScoresOf(entry.page(), *folded->verdict);
  ASSERT_FALSE(scores.has_value());
  EXPECT_EQ(scores.error().code, ErrorCode::kCorruption);
}

/// A log whose pages link to each other and to pages that never come.
std::vector<log::Entry> LogWithLinks(std::uint64_t seed, int size) {
  std::vector<log::Entry> log = testing::WithFetches(testing::RandomLog(seed, size), seed);
  for (std::size_t i = 0; i < log.size(); ++i) {
    if (!log[i].has_page()) continue;
    std::mt19937_64 random(seed * 1000 + i);
    std::vector<std::string> links;
    for (int link = 0; link < 5; ++link) {
      const log::Entry& other = log[random() % log.size()];
      if (!other.has_page()) continue;
      std::string url = other.page().canonical_url();
      if (random() % 2 == 0) url += fmt::format("?n={}", random() % 50);
      if (std::ranges::find(links, url) == links.end()) links.push_back(std::move(url));
    }
    SetLinks(log[i], links);
  }
  return log;
}

/// What the other links of the page say of one, as the documentation has it.
site::Beside Beside(std::string_view url, const log::Page& page, const Verdict& verdict,
                    const std::optional<site::Site>& site,
                    const std::map<std::string, std::uint64_t, std::less<>>& representatives) {
  site::Beside counts;
  const bool is_duplicate = verdict.reason == Reason::kExactDuplicate ||
                            verdict.reason == Reason::kNearDuplicate ||
                            verdict.reason == Reason::kUnchanged;
  if (!is_duplicate || !site.has_value()) return counts;
  if (site::SiteOf(url) != site::SiteOf(page.canonical_url())) return counts;
  const auto links = log::UnpackLinks(page.links(), page.canonical_url()).value();
  for (const auto* const list : {&links.main_text, &links.elsewhere}) {
    for (const std::string& other : *list) {
      const auto fetched = representatives.find(other);
      if (fetched == representatives.end()) continue;
      if (site::SiteOf(other) != site::SiteOf(url)) continue;
      if (site->PatternsOf(other).pattern != site->PatternsOf(url).pattern) continue;
      ++(fetched->second == verdict.cluster->id.sequence ? counts.same : counts.different);
    }
  }
  return counts;
}

/// What links of a page are scored by.
struct Known {
  std::optional<site::Site> site;
  site::Expected expected;
};

/// The same fold, all of it committed: so its rows show what there is to know of sites.
class CommittedFold {
 public:
  void Fold(const log::Entry& entry) {
    ASSERT_TRUE(detector_->Fold(entry).has_value());
    ASSERT_TRUE(detector_->Commit({++offset_, "0123456789abcdef"}).has_value());
  }

  Known KnownOf(std::string_view site, const log::Page& page) {
    Known known{std::nullopt, detector_->sites().Expect({})};
    if (site == site::SiteOf(page.canonical_url())) {
      known.site = detector_->SiteAt(site).value();
      return known;
    }
    StoredRows rows(*store_);
    const auto slot = SlotHeldBy(site, detector_->parameters()->sites.max, rows).value();
    if (slot.has_value()) {
      known.site = SiteRow::Read(rows, *slot).value().site;
    } else {
      known.expected = ExpectedOfHosts(site, known.expected, rows).value();
    }
    return known;
  }

 private:
  testing::TemporaryDirectory directory_;
  std::unique_ptr<Store> store_ = Store::Open({.directory = directory_.path()}).value();
  std::unique_ptr<Detector> detector_ =
      Detector::Open(*store_, testing::MakeFlatIndex, kScheme).value();
  std::int64_t offset_ = -1;
};

/// Folds a log, and compares the scores of each page with those by what the state has of the sites.
void ExpectScoresByTheState(const std::vector<log::Entry>& log) {
  CommittedFold committed;
  testing::TemporaryDirectory directory;
  const auto store = Store::Open({.directory = directory.path()}).value();
  const auto detector = Detector::Open(*store, testing::MakeFlatIndex, kScheme).value();
  int links = 0;
  std::int64_t offset = -1;
  std::map<std::string, std::uint64_t, std::less<>> representatives;  // by URL
  for (const log::Entry& entry : log) {
    const auto folded = detector->Fold(entry);
    ASSERT_TRUE(folded.has_value()) << folded.error().message;
    committed.Fold(entry);
    ++offset;
    if (offset % 97 == 0) {
      ASSERT_TRUE(detector->Commit({offset, "0123456789abcdef"}).has_value());
    }
    if (!folded->verdict.has_value()) continue;
    const auto scores = detector->ScoresOf(entry.page(), *folded->verdict);
    ASSERT_TRUE(scores.has_value()) << scores.error().message;
    const site::Expected average = detector->sites().Expect({});
    const Verdict& verdict = *folded->verdict;
    if (verdict.cluster.has_value() && verdict.reason != Reason::kOutdated) {
      representatives[entry.page().canonical_url()] = verdict.cluster->id.sequence;
    }
    for (const UrlScore& score : *scores) {
      const Status valid = CheckUrlScore(score);
      ASSERT_TRUE(valid.has_value()) << score.url << ": " << valid.error().message;
      if (score.fetched) continue;
      ++links;
      const Known known = committed.KnownOf(site::SiteOf(score.url), entry.page());
      site::Advice advice =
          known.site.value_or(site::Site())
              .AdviceFor(score.url, *score.depth, known.expected,
                         Beside(score.url, entry.page(), verdict, known.site, representatives));
      if (!RuleFor(folded->verdict->reason).follow_links) advice.worth /= 4;
      ASSERT_EQ(score.score.ten_thousandths,
                std::uint64_t{site::ScoreOf(advice.worth, average.worth)} * 10'000 / site::kWhole);
      ASSERT_EQ(score.rewrite_to, advice.rewrite_to);
    }
  }
  EXPECT_GT(links, 500);
}

/// The scores of all pages of a log. With `ahead`, what they read is read before.
std::vector<UrlScore> ScoresOfLog(const std::vector<log::Entry>& log,
                                  std::optional<Purpose> ahead) {
  testing::TemporaryDirectory directory;
  const auto store = Store::Open({.directory = directory.path()}).value();
  const auto detector = Detector::Open(*store, testing::MakeFlatIndex, kScheme).value();
  std::vector<UrlScore> all;
  std::int64_t offset = -1;
  for (std::size_t i = 0; i < log.size(); ++i) {
    constexpr std::size_t kTogether = 80;  // commits fall into the middle
    if (ahead.has_value() && i % kTogether == 0) {
      detector->ReadAheadFor(std::span(log).subspan(i, std::min(kTogether, log.size() - i)), 2,
                             *ahead);
    }
    const auto folded = detector->Fold(log[i]).value();
    if (folded.verdict.has_value()) {
      auto scores = detector->ScoresOf(log[i].page(), *folded.verdict).value();
      std::ranges::move(scores, std::back_inserter(all));
    }
    if (++offset % 97 == 0) {
      EXPECT_TRUE(detector->Commit({offset, "0123456789abcdef"}).has_value());
    }
  }
  return all;
}

TEST(PageScoresOfALog, AreTheSameWhereTheirRowsAreReadAhead) {
  const auto log = LogWithLinks(/*seed=*/5, 1500);
  const auto scores = ScoresOfLog(log, std::nullopt);
  EXPECT_GT(scores.size(), 1500U);
  EXPECT_EQ(ScoresOfLog(log, Purpose::kVerdictsAndScores), scores);
  EXPECT_EQ(ScoresOfLog(log, Purpose::kVerdicts), scores);
}

/// Purges hosts, or all, now and then, which goes on over many entries; and bounds the pages.
std::vector<log::Entry> LogWithPurges(std::uint64_t seed, int size) {
  std::mt19937_64 random(seed);
  std::vector<log::Entry> log;
  for (log::Entry& entry : LogWithLinks(seed, size)) {
    log.push_back(std::move(entry));
    if (log.size() % 211 == 0) {
      log::Entry purge;
      purge.mutable_purge()->set_id(fmt::format("purge {}", log.size()));
      if (random() % 2 == 0) {
        purge.mutable_purge()->set_url_prefix("http");
      } else {
        purge.mutable_purge()->set_host(std::string(1, "abc"[random() % 3]) + ".x");
      }
      log.push_back(std::move(purge));
    }
    if (log.size() % 307 == 1) {
      JudgeParameters parameters = testing::ParametersOf(seed);
      parameters.retention.max_pages = 20 + random() % 20;
      parameters.retention.sweep_rows = 6;
      parameters.retention.sweep_entries = 11;
      log.push_back(ParametersEntry(parameters, kScheme));
    }
  }
  return log;
}

/// The scores of all pages of a log, made together. Commits fall anywhere.
std::vector<UrlScore> ScoresTogether(const std::vector<log::Entry>& log, std::size_t pages,
                                     std::size_t threads) {
  testing::TemporaryDirectory directory;
  const auto store = Store::Open({.directory = directory.path()}).value();
  const auto detector = Detector::Open(*store, testing::MakeFlatIndex, kScheme).value();
  std::vector<UrlScore> all;
  const auto take = [&] {
    auto made = detector->TakeScores(threads).value();
    for (auto& scores : made) std::ranges::move(scores, std::back_inserter(all));
  };
  std::size_t wanted = 0;
  std::size_t amid_purges = 0;
  std::int64_t offset = -1;
  for (const log::Entry& entry : log) {
    const auto folded = detector->Fold(entry).value();
    if (entry.has_page() && detector->is_removing()) ++amid_purges;
    if (folded.verdict.has_value()) {
      detector->WantScores(entry.page(), *folded.verdict);
      if (++wanted % pages == 0) take();
    }
    if (++offset % 97 == 0) {
      EXPECT_TRUE(detector->Commit({offset, "0123456789abcdef"}).has_value());
    }
  }
  take();
  EXPECT_GT(amid_purges, 20U);
  return all;
}

TEST(PageScoresOfALog, AreTheSameWhereTheyAreMadeTogether) {
  struct Together {
    std::size_t pages;
    std::size_t threads;
  };
  for (std::uint64_t seed = 1; seed <= (testing::kIsSanitized ? 1 : 4); ++seed) {
    const auto log = LogWithPurges(seed, 1200);
    const auto scores = ScoresOfLog(log, std::nullopt);
    EXPECT_GT(scores.size(), 1200U);
    for (const auto [pages, threads] :
         {Together{1, 2}, Together{3, 1}, Together{60, 1}, Together{60, 5}, Together{10'000, 3}}) {
      SCOPED_TRACE(fmt::format("seed {}, {} pages, {} threads", seed, pages, threads));
      EXPECT_TRUE(ScoresTogether(log, pages, threads) == scores);
    }
  }
}

std::size_t BytesOf(const std::vector<UrlScore>& scores) {
  std::size_t bytes = 0;
  for (const UrlScore& score : scores) {
    bytes += sizeof(UrlScore) + score.url.size() + score.host.size() +
             score.registered_domain.size() + score.components.size() * sizeof(ScoreComponent) +
             score.rewrite_to.size() + score.parent_url.size() + score.crawl_id.size();
  }
  return bytes;
}

TEST_F(PageScoresTest, TakeNoMoreMemoryThanWasSaidBefore) {
  const std::string long_host = std::string(1'000, 'h') + ".example";
  for (const auto& [origin, path] :
       {std::pair<std::string, std::string>{"http://host.example", "/a"},
        {"http://host.example", "/" + std::string(16'000, 'a')},
        {"http://" + long_host, "/" + std::string(15'000, 'a')}}) {
    for (const int links : {0, 1, 60, 2'000}) {
      log::Entry entry = Page(origin + path, origin);
      entry.mutable_page()->set_crawl_id("a crawl that has a name");
      std::vector<std::string> urls;
      urls.reserve(static_cast<std::size_t>(links));
      for (int i = 0; i < links; ++i) urls.push_back(origin + "/" + std::to_string(i));
      SetLinks(entry, urls);
      const auto scores = Scores(entry);
      ASSERT_EQ(scores.size(), 1U + static_cast<std::size_t>(links));
      EXPECT_GE(MostScoreBytes(entry.page()), BytesOf(scores)) << links << " links";
    }
  }
}

TEST_F(PageScoresTest, FewPagesWaitWhoseScoresAreLong) {
  const auto pages_until_full = [&](const std::string& path, int links) {
    log::Entry entry = Page("http://host.example/" + path, path);
    std::vector<std::string> urls;
    urls.reserve(static_cast<std::size_t>(links));
    for (int i = 0; i < links; ++i) {
      urls.push_back(fmt::format("http://host.example/articles/{}/of-{}.html", i * i, i));
    }
    SetLinks(entry, urls);
    ScoreBatch batch;
    EXPECT_TRUE(batch.empty());
    std::size_t pages = 0;
    for (; !batch.is_full() && pages < 1'000; ++pages) batch.Add(entry.page());
    EXPECT_FALSE(batch.empty());
    return pages;
  };
  EXPECT_EQ(pages_until_full("a", 0), ScoreBatch::kMostPages);
  EXPECT_EQ(pages_until_full("a", 60), ScoreBatch::kMostPages);
  EXPECT_LT(pages_until_full(std::string(16'000, 'a'), 60), 40U);
  EXPECT_LT(pages_until_full(std::string(16'000, 'a'), 2'000), 3U);
}

TEST_F(PageScoresTest, WhatIsDiscardedHasNoScores) {
  const log::Entry first = Page("http://host.example/a", "a");
  detector_->WantScores(first.page(), *detector_->Fold(first).value().verdict);
  detector_->Discard();
  EXPECT_THAT(detector_->TakeScores(2).value(), IsEmpty());
}

TEST_F(PageScoresTest, AreOfTheStateBehindTheirPageAndNotOfALaterOne) {
  log::Entry first = Page("http://host.example/a", "a");
  SetLinks(first, {"http://host.example/b"});
  const log::Entry second = Page("http://host.example/b", "b");
  detector_->WantScores(first.page(), *detector_->Fold(first).value().verdict);
  detector_->WantScores(second.page(), *detector_->Fold(second).value().verdict);
  const auto scores = detector_->TakeScores(1).value();
  ASSERT_EQ(scores.size(), 2U);
  EXPECT_THAT(UrlsOf(scores[0]), ElementsAre("http://host.example/a", "http://host.example/b"));
  EXPECT_THAT(UrlsOf(scores[1]), ElementsAre("http://host.example/b"));
}

TEST_F(PageScoresTest, ACommitMakesThoseThatAreWanted) {
  log::Entry first = Page("http://host.example/a", "a");
  SetLinks(first, {"http://host.example/b"});
  detector_->WantScores(first.page(), *detector_->Fold(first).value().verdict);
  ASSERT_TRUE(detector_->Commit({0, "0123456789abcdef"}).has_value());
  const log::Entry second = Page("http://host.example/b", "b");
  ASSERT_TRUE(detector_->Fold(second).has_value());
  const auto scores = detector_->TakeScores(1).value();
  ASSERT_EQ(scores.size(), 1U);
  EXPECT_THAT(UrlsOf(scores[0]), ElementsAre("http://host.example/a", "http://host.example/b"));
}

/// Rows of a store; notes which are read.
class NotingRows final : public RowReader {
 public:
  explicit NotingRows(const Store& store) : rows_(store) {}

  Result<RowMap::Value> Row(Table table, std::string_view key) override {
    read.emplace(table, key);
    return rows_.Row(table, key);
  }

  std::set<std::pair<Table, std::string>> read;

 private:
  StoredRows rows_;
};

/// What was learned of a site before its latest pages isn't named.
bool IsLearnedOfSite(const std::pair<Table, std::string>& row) {
  return row.first == Table::kHosts && row.second.starts_with('\0') && row.second.ends_with('t');
}

TEST(PageScoresOfALog, ReadWhatScoreRowsName) {
  testing::TemporaryDirectory directory;
  const auto store = Store::Open({.directory = directory.path()}).value();
  const auto detector = Detector::Open(*store, testing::MakeFlatIndex, kScheme).value();
  std::map<Table, std::size_t> named_rows;
  std::size_t parts = 0;  // of sites' latest pages
  std::int64_t offset = -1;
  for (const log::Entry& entry : LogWithLinks(/*seed=*/6, 600)) {
    const auto folded = detector->Fold(entry).value();
    ASSERT_TRUE(detector->Commit({++offset, "0123456789abcdef"}).has_value());
    if (!folded.verdict.has_value()) continue;
    const JudgeParameters& parameters = *detector->parameters();
    std::set<std::pair<Table, std::string>> named;
    const RowNamer name = [&named](Table table, std::string_view key) {
      named.emplace(table, key);
    };
    ScoreRows rows({parameters, detector->fold_version()}, 1);
    rows.NameFirst(entry.page(), name);
    StoredRows stored(*store);
    rows.NameParts(stored, name);

    KnownSites sites;
    NotingRows noting(*store);
    ASSERT_TRUE(ScoresOf(entry.page(), *folded.verdict,
                         {parameters, detector->fold_version(), {}, sites, noting})
                    .has_value());
    for (const auto& row : noting.read) {
      if (IsLearnedOfSite(row)) continue;
      ASSERT_TRUE(named.contains(row))
          << "a row of table " << static_cast<int>(row.first)
          << " is read that isn't named, by the page of entry " << offset;
      ++named_rows[row.first];
      if (row.second.starts_with(std::string_view("\0\xff", 2))) ++parts;
    }
  }
  EXPECT_GT(parts, 500U);
  EXPECT_GT(named_rows[Table::kUrls], 500U);
  EXPECT_GT(named_rows[Table::kHosts], 1000U);
}

/// Pages with links to a host each.
std::vector<log::Entry> PagesThatLeadToManyHosts(int pages, std::size_t url_bytes) {
  std::vector<log::Entry> entries;
  for (int i = 0; i < pages; ++i) {
    std::vector<std::string> links;
    for (int j = 0; j < 60; ++j) {
      links.push_back(
          fmt::format("https://host{}.example/{}", i * 60 + j, std::string(url_bytes, 'x')));
    }
    entries.push_back(
        EntryBuilder(kScheme).Text(fmt::format("https://example.org/{}", i), "text", 1));
    SetLinks(entries.back(), links);
  }
  return entries;
}

struct NamedRows {
  std::size_t bytes = 0;
  std::size_t hosts = 0;
};

NamedRows NameFirstRowsOf(const std::vector<log::Entry>& pages, std::size_t parts) {
  const JudgeParameters parameters = testing::Parameters();
  ScoreRows rows({parameters, kFoldVersion}, parts);
  NamedRows named;
  for (const log::Entry& page : pages) {
    rows.NameFirst(page.page(), [&](Table table, std::string_view key) {
      named.bytes += key.size() + ScoreRows::kRowBytes;
      if (table == Table::kHosts) ++named.hosts;
    });
  }
  return named;
}

TEST(ScoreRows, NameNoMoreThanTheirPartOfTheMemory) {
  constexpr std::size_t kParts = 64;
  const auto named = NameFirstRowsOf(PagesThatLeadToManyHosts(40, 900), kParts);
  EXPECT_LE(named.bytes, ScoreRows::kMaxBytes / kParts);
  EXPECT_GT(named.bytes, ScoreRows::kMaxBytes / kParts * 9 / 10);
}

TEST(ScoreRows, NameNoMoreThanTheirPartOfTheSites) {
  constexpr std::size_t kParts = 64;
  const auto named = NameFirstRowsOf(PagesThatLeadToManyHosts(10, 1), kParts);
  EXPECT_EQ(named.hosts, 3 * ScoreRows::kMaxSites / kParts);  // a slot and two hosts of each
}

TEST(PageScoresOfALog, AreValidAndTheSameWithoutMemoryOfSites) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    SCOPED_TRACE(seed);
    ExpectScoresByTheState(LogWithLinks(seed, 1500));
  }
}

/// Two hosts of one site, one of another port, and sites that have each other's slots.
TEST(PageScoresOfALog, AreTheSameWithoutMemoryOfSitesThatShareSlots) {
  static constexpr std::array kHosts{"host.example", "www.host.example", "other.example",
                                     "host.example:8080", "third.example"};
  for (const std::uint64_t max_sites : {1, 2, 3, 5, 1'000'000}) {
    SCOPED_TRACE(max_sites);
    std::mt19937_64 random(max_sites);
    EntryBuilder entries{kScheme};
    JudgeParameters parameters = testing::Parameters();
    parameters.sites.max = max_sites;
    std::vector<log::Entry> log{ParametersEntry(parameters, kScheme)};
    for (int i = 0; i < 600; ++i) {
      // Some hosts have more pages, so that sites take and lose slots.
      const auto host_of = [&] { return kHosts[std::min(random() % 5, random() % 5)]; };
      const std::string content = fmt::format("page {}", random() % 400);
      log.push_back(entries.Text(fmt::format("http://{}/{}/{}", host_of(), i % 3, i), content,
                                 RawChecksum(content).low));
      SetLinks(log.back(), {fmt::format("http://{}/{}/new{}", host_of(), i % 3, i),
                            fmt::format("http://{}/{}/newer{}", host_of(), i % 4, i)});
    }
    ExpectScoresByTheState(log);
  }
}

}  // namespace
}  // namespace crawlsieve

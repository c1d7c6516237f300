// What the fold learns of sites: which pages count, as what, and what is kept.
#include "plugin/judge/detector.h"
#include "plugin/judge/page_site.h"
#include "plugin/judge/rows.h"
#include "plugin/judge/state_hash.h"
#include "plugin/site/latest_pages.h"
#include "tests/plugin/judge/random_log.h"
#include "tests/support/entry_builder.h"
#include "tests/support/make_flat_index.h"
#include "tests/support/temporary_directory.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

using ::testing::ElementsAre;
using testing::EntryBuilder;
using testing::kScheme;
using ::testing::Pair;
using testing::Parameters;

constexpr const char* kSite = "host.example";
/// What keys of latest pages in rows of their own begin with.
constexpr std::string_view kPart("\0\xff", 2);
/// The latest pages of a host that its site learns from are so many, and the next one.
constexpr int kUntilTaken = site::LatestPages::kMaxPages + 1;

class SiteFoldTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Open();
    SetMaxSites(1'000'000);
  }

  void Open() {
    store_ = Store::Open({.directory = directory_.path() / "state"}).value();
    detector_ = Detector::Open(*store_, testing::MakeFlatIndex, kScheme).value();
  }

  void SetMaxSites(std::uint64_t max, std::uint32_t fold_version = kFoldVersion) {
    JudgeParameters parameters = Parameters();
    parameters.sites.max = max;
    log::Entry entry = ParametersEntry(parameters, kScheme);
    entry.mutable_parameters()->set_fold_version(fold_version);
    Fold(entry);
  }

  void Commit() { ASSERT_TRUE(detector_->Commit({++log_offset_, "0123456789abcdef"}).has_value()); }

  /// Keys of table hosts whose rows are parts of latest pages, of all hosts.
  std::vector<std::string> Parts() {
    Commit();
    std::vector<std::string> keys;
    EXPECT_TRUE(store_->ForEach(Table::kHosts, [&keys](std::string_view key, std::string_view) {
      if (key.starts_with(kPart)) keys.emplace_back(key);
      return Status();
    }));
    return keys;
  }

  void Fold(const log::Entry& entry) {
    const auto folded = detector_->Fold(entry);
    EXPECT_TRUE(folded.has_value()) << folded.error().message;
  }

  /// A page with text of its own, unless `content` came before.
  log::Entry Page(const std::string& url, const std::string& content) {
    log::Entry entry = entries_.Text(url, content, RawChecksum(content).low);
    Sketch sketch;
    for (std::size_t i = 0; i < sketch.words.size(); ++i) {
      sketch.words[i] = RawChecksum(fmt::format("{} {}", content, i)).low;
    }
    EntryBuilder::SetSketch(entry, sketch);
    return entry;
  }

  log::Entry Answer(int status, const std::string& url) {
    log::Entry entry = entries_.Page(url, log::OUTCOME_ERROR_STATUS);
    entry.mutable_page()->set_status(status);
    entry.mutable_page()->set_detail(std::to_string(status));
    return entry;
  }

  site::FetchCounts Counts(const std::string& name = kSite) {
    const auto site = detector_->SiteAt(name);
    EXPECT_TRUE(site.has_value()) << site.error().message;
    return site.has_value() && site->has_value() ? (*site)->counts() : site::FetchCounts();
  }

  static std::uint32_t Fetches(std::uint32_t count) { return count / site::FetchCounts::kFetch; }

  /// What the last page brings to whoever hears of sites.
  std::vector<SiteNews> News() {
    auto news = detector_->NewsOfSites();
    EXPECT_TRUE(news.has_value()) << news.error().message;
    return news.value_or(std::vector<SiteNews>());
  }

  site::Advice Advise(const std::string& url) {
    const auto site = detector_->SiteAt(site::SiteOf(url)).value();
    return site.has_value() ? site->AdviceFor(url, 1) : site::Advice();
  }

  testing::TemporaryDirectory directory_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Detector> detector_;
  EntryBuilder entries_{kScheme};
  std::int64_t log_offset_ = -1;
  int pages_ = 0;
};

TEST_F(SiteFoldTest, NothingIsKnownOfASiteWithoutPages) {
  EXPECT_FALSE(detector_->SiteAt(kSite).value().has_value());
}

TEST_F(SiteFoldTest, FirstFetchesCountAndSoDoesWhatTheyBring) {
  Fold(Page("http://host.example/a", "a"));
  Fold(Page("http://host.example/b", "b"));
  Fold(Page("http://host.example/c", "a"));  // exact duplicate
  Fold(Page("http://host.example/a", "a"));  // unchanged
  Fold(Page("http://host.example/a", "d"));  // updated
  EXPECT_EQ(Fetches(Counts().fetched), 3U);
  EXPECT_EQ(Fetches(Counts().fresh), 2U);
}

TEST_F(SiteFoldTest, WwwIsTheSameSiteAndAnotherPortIsNot) {
  Fold(Page("http://www.host.example/a", "a"));
  Fold(Page("http://host.example:8080/b", "b"));
  EXPECT_EQ(Fetches(Counts().fetched), 1U);
  EXPECT_EQ(Fetches(Counts("host.example:8080").fetched), 1U);
}

TEST_F(SiteFoldTest, MissingPagesAreErrorsAndFailuresTellNothing) {
  Fold(Answer(404, "http://host.example/a"));
  Fold(Answer(410, "http://host.example/b"));
  for (const int status : {500, 429, 403, 304}) {
    Fold(Answer(status, fmt::format("http://host.example/{}", status)));
  }
  EXPECT_EQ(Fetches(Counts().fetched), 2U);
  EXPECT_EQ(Fetches(Counts().errors), 2U);
}

TEST_F(SiteFoldTest, AFetchThatFailedLeavesTheFirstOneToCome) {
  Fold(Answer(503, "http://host.example/a"));
  Fold(Page("http://host.example/a", "a"));
  EXPECT_EQ(Fetches(Counts().fetched), 1U);
  EXPECT_EQ(Fetches(Counts().fresh), 1U);
}

TEST_F(SiteFoldTest, APageThatComesBackIsNoFirstFetch) {
  Fold(Answer(404, "http://host.example/a"));
  Fold(Page("http://host.example/a", "a"));
  EXPECT_EQ(Fetches(Counts().fetched), 1U);
  EXPECT_EQ(Fetches(Counts().errors), 1U);
}

TEST_F(SiteFoldTest, ARedirectBringsNothingNewAndIsNoError) {
  log::Entry entry = Answer(301, "http://host.example/a");
  entry.mutable_page()->set_redirect_target("http://host.example/b");
  entry.mutable_page()->set_redirect_host("host.example");
  Fold(entry);
  EXPECT_EQ(Fetches(Counts().fetched), 1U);
  EXPECT_EQ(Fetches(Counts().errors), 0U);
  EXPECT_EQ(Fetches(Counts().fresh), 0U);
}

TEST_F(SiteFoldTest, CanonicalLinksOfAPageSpeakForTheRuleThatLeadsThere) {
  for (int i = 0; i < 30; ++i) {
    log::Entry entry = Page(fmt::format("http://host.example/p{}?ref={}", i, i * 7 % 30),
                            fmt::format("page {}", i));
    entry.mutable_page()->set_canonical_link(fmt::format("http://host.example/p{}", i));
    Fold(entry);
  }
  const site::Advice advice = Advise("http://host.example/new?ref=3");
  EXPECT_EQ(advice.action, site::Action::kRewrite);
  EXPECT_EQ(advice.rewrite_to, "http://host.example/new");
}

TEST_F(SiteFoldTest, CanonicalLinksToAnotherHostMakeNoRuleThere) {
  for (int i = 0; i < 30; ++i) {
    log::Entry entry =
        Page(fmt::format("http://evil.example/p{}?ref={}", i, i), fmt::format("page {}", i));
    entry.mutable_page()->set_host("evil.example");
    entry.mutable_page()->set_canonical_link(fmt::format("http://host.example/p{}", i));
    Fold(entry);
  }
  Fold(Page("http://host.example/a", "a"));
  for (const char* const name : {"host.example", "evil.example"}) {
    const auto site = detector_->SiteAt(name).value();
    ASSERT_TRUE(site.has_value());
    for (const auto& [hash, rule] : site->rules().rules()) {
      EXPECT_EQ(rule.without.same, 0U) << name;
      EXPECT_FALSE(rule.rewrites) << name;
    }
  }
}

TEST_F(SiteFoldTest, ARefetchWithACanonicalLinkCountsNothing) {
  for (int i = 0; i < 40; ++i) {
    log::Entry entry = Page("http://host.example/p?ref=1", "page");
    entry.mutable_page()->set_canonical_link("http://host.example/p");
    Fold(entry);
  }
  const auto site = detector_->SiteAt(kSite).value();
  ASSERT_TRUE(site.has_value());
  for (const auto& [hash, rule] : site->rules().rules()) EXPECT_LE(rule.without.same, 2U);
}

TEST_F(SiteFoldTest, DeletedOutdatedAndUnreadPagesTellNothing) {
  Fold(entries_.Page("http://host.example/a", log::OUTCOME_DELETED));
  Fold(entries_.Page("http://host.example/b", log::OUTCOME_NOT_EVALUATED));
  log::Entry later = Page("http://host.example/c", "c");
  log::Entry earlier = Page("http://host.example/c", "d");
  later.mutable_page()->set_fetch_time_ms(1'700'000'000'000);
  earlier.mutable_page()->set_fetch_time_ms(1'600'000'000'000);
  Fold(later);
  Fold(earlier);
  EXPECT_EQ(Fetches(Counts().fetched), 1U);
}

TEST_F(SiteFoldTest, SessionsAreLearnedFromPagesAndSuppressed) {
  for (int i = 0; i < 60; ++i) {
    const std::string path = fmt::format("http://host.example/page{}.html", i / 2);
    Fold(Page(fmt::format("{}?sid={}", path, 1000 + i), fmt::format("page {}", i / 2)));
  }
  EXPECT_EQ(Advise("http://host.example/page0.html?sid=7").action, site::Action::kSuppress);
  EXPECT_EQ(Advise("http://host.example/page99.html?sid=7").action, site::Action::kSchedule);
  EXPECT_EQ(Advise("http://other.example/page0.html?sid=7").action, site::Action::kSchedule);
}

TEST_F(SiteFoldTest, ASiteIsNewsWhenItsFetchesHaveDoubled) {
  std::vector<int> with_news;
  for (int i = 1; i <= 250; ++i) {
    Fold(Page(fmt::format("http://host.example/{}", i), std::to_string(i)));
    const std::vector<SiteNews> news = News();
    if (news.empty()) continue;
    with_news.push_back(i);
    ASSERT_EQ(news.size(), 1U);
    EXPECT_EQ(news[0].name, kSite);
    ASSERT_TRUE(news[0].report.has_value());
    EXPECT_EQ(news[0].report->sequence, static_cast<std::uint64_t>(i) + 1) << "the parameters, too";
    EXPECT_EQ(Fetches(news[0].report->site->counts().fetched), i);
  }
  // The latest 64 pages are moved by the one behind them.
  EXPECT_THAT(with_news, ElementsAre(65, 129));
}

TEST_F(SiteFoldTest, ASiteIsNewsWhenARuleComesIntoUseAndWhenItGoes) {
  const auto is_suppressed = [](const SiteReport& report) {
    const auto& rules = report.site->rules().rules();
    return std::any_of(rules.begin(), rules.end(),
                       [](const auto& rule) { return rule.value.suppresses; });
  };
  std::vector<bool> told;
  for (int i = 0; i < 700; ++i) {
    // Up to the 70th page each has a path of its own; from the 300th on, the parameter matters.
    const int path = i < 70 ? i : 1000 + i / 2;
    const int content = i < 300 ? path : i;
    Fold(Page(fmt::format("http://host.example/page{}.html?sid={}", path, 1000 + i),
              fmt::format("page {}", content)));
    for (const SiteNews& news : News()) {
      const bool suppresses = is_suppressed(news.report.value());
      if (told.empty() || told.back() != suppresses) told.push_back(suppresses);
    }
  }
  EXPECT_THAT(told, ElementsAre(false, true, false));
}

TEST_F(SiteFoldTest, AnEntryWithoutAPageBringsNoNews) {
  for (int i = 0; i < kUntilTaken; ++i) {
    Fold(Page(fmt::format("http://host.example/{}", i), std::to_string(i)));
  }
  EXPECT_EQ(News().size(), 1U);
  SetMaxSites(2'000'000);
  EXPECT_EQ(News().size(), 0U);
}

TEST_F(SiteFoldTest, ASiteThatIsForgottenIsNewsIfItWasBefore) {
  SetMaxSites(1);
  for (int i = 0; i < kUntilTaken; ++i) {
    Fold(Page(fmt::format("http://host.example/{}", i), fmt::format("own {}", i)));
  }
  for (int i = 0; i < kUntilTaken; ++i) {
    EXPECT_EQ(News().size(), i == 0 ? 1U : 0U) << i;
    Fold(Page(fmt::format("http://other.example/{}", i), fmt::format("other {}", i)));
  }
  const std::vector<SiteNews> news = News();
  ASSERT_EQ(news.size(), 2U);
  EXPECT_EQ(news[0].name, kSite);
  EXPECT_FALSE(news[0].report.has_value());
  EXPECT_EQ(news[1].name, "other.example");
  EXPECT_TRUE(news[1].report.has_value());
}

TEST_F(SiteFoldTest, WhatAllSitesBroughtIsTheirAverage) {
  EXPECT_EQ(detector_->sites(), site::FetchCounts());
  for (int i = 0; i < kUntilTaken; ++i) {
    Fold(Page(fmt::format("http://host.example/{}", i), std::to_string(i)));
  }
  EXPECT_EQ(Fetches(detector_->sites().fetched), 64U);
  EXPECT_EQ(Fetches(Counts().fetched), 65U);
}

TEST_F(SiteFoldTest, DiscardAndANewStartLeaveWhatWasCommitted) {
  for (int i = 0; i < kUntilTaken + 5; ++i) {
    Fold(Page(fmt::format("http://host.example/{}", i), std::to_string(i)));
  }
  ASSERT_TRUE(detector_->Commit({++log_offset_, "0123456789abcdef"}).has_value());
  const site::FetchCounts counts = Counts();
  const site::FetchCounts average = detector_->sites();
  EXPECT_FALSE(average == site::FetchCounts());
  for (int i = kUntilTaken + 5; i < 2 * kUntilTaken + 5; ++i) {
    Fold(Page(fmt::format("http://host.example/{}", i), std::to_string(i)));
  }
  EXPECT_FALSE(Counts() == counts);
  detector_->Discard();
  EXPECT_EQ(Counts(), counts);
  EXPECT_EQ(detector_->sites(), average);
  ASSERT_TRUE(detector_->Flush().has_value());
  detector_.reset();
  store_.reset();
  Open();
  EXPECT_EQ(Counts(), counts);
  EXPECT_EQ(detector_->sites(), average);
}

TEST_F(SiteFoldTest, NothingIsLearnedWithoutRoomForSites) {
  SetMaxSites(0);
  Fold(Page("http://host.example/a", "a"));
  EXPECT_FALSE(detector_->SiteAt(kSite).value().has_value());
}

TEST_F(SiteFoldTest, OfTwoSitesInOneSlotTheOneWithMorePagesStays) {
  SetMaxSites(1);
  for (int i = 0; i < 129; ++i) {
    Fold(Page(fmt::format("http://host.example/{}", i), fmt::format("own {}", i)));
  }
  for (int i = 0; i < 128; ++i) {
    Fold(Page(fmt::format("http://other.example/{}", i), fmt::format("other {}", i)));
  }
  EXPECT_EQ(Fetches(Counts().fetched), 129U);
  EXPECT_EQ(Fetches(Counts("other.example").fetched), 64U);
  // One more, and there is no patience left.
  Fold(Page("http://other.example/last", "last"));
  EXPECT_EQ(Fetches(Counts().fetched), 1U);
  EXPECT_EQ(Fetches(Counts("other.example").fetched), 65U);
  // Nothing is left of what was learned of the first, but for its latest page.
  ASSERT_TRUE(detector_->Commit({++log_offset_, "0123456789abcdef"}).has_value());
  std::map<char, int> rows;
  ASSERT_TRUE(store_->ForEach(Table::kHosts, [&rows](std::string_view key, std::string_view) {
    if (key.starts_with('\0') && !key.starts_with(kPart)) ++rows[key[9]];
    return Status();
  }));
  EXPECT_THAT(rows, ElementsAre(Pair('o', 1), Pair('t', 1)));
}

TEST_F(SiteFoldTest, LatestPagesOfTwoSitesThatShareASlotAreNeverMixed) {
  SetMaxSites(1);
  for (int i = 0; i < 12; ++i) {
    Fold(Page(fmt::format("http://{}.example/{}", i % 3 == 0 ? "host" : "other", i),
              fmt::format("page {}", i)));
  }
  EXPECT_EQ(Fetches(Counts().fetched), 4U);
  EXPECT_EQ(Fetches(Counts("other.example").fetched), 8U);
}

TEST_F(SiteFoldTest, EachLatestPageHasARowOfItsOwn) {
  for (int i = 0; i < 64; ++i) {
    Fold(Page(fmt::format("http://host.example/a/{}.html", i), std::to_string(i)));
  }
  ASSERT_TRUE(detector_->Commit({++log_offset_, "0123456789abcdef"}).has_value());
  const auto row = store_->Get(Table::kHosts, kSite).value().value();
  state::Host host;
  ASSERT_TRUE(host.ParseFromString(row));
  EXPECT_EQ(host.latest_pages(), 64U);
  EXPECT_EQ(host.latest(), "");
  std::size_t bytes = 0;
  for (std::uint32_t i = 0; i < host.latest_parts(); ++i) {
    bytes += store_->Get(Table::kHosts, LatestPart::Key(kSite, i)).value().value().size();
  }
  EXPECT_EQ(host.latest_parts(), 63U) << "the first waits for the second";
  EXPECT_EQ(bytes, host.latest_part_bytes());
  EXPECT_EQ(Parts().size(), host.latest_parts());
  EXPECT_EQ(Fetches(Counts().fetched), 64U);
  // With the next page the site takes them all.
  Fold(Page("http://host.example/a/64.html", "64"));
  EXPECT_TRUE(Parts().empty());
  EXPECT_EQ(Fetches(Counts().fetched), 65U);
}

TEST_F(SiteFoldTest, AVisitThatFoundNothingChangedTeachesNothing) {
  const auto latest_pages = [this] {
    Commit();
    state::Host host;
    EXPECT_TRUE(host.ParseFromString(store_->Get(Table::kHosts, kSite).value().value()));
    return host.latest_pages();
  };
  Fold(Page("http://host.example/a", "a"));
  EXPECT_EQ(latest_pages(), 1U);
  for (int i = 0; i < 3; ++i) Fold(Page("http://host.example/a", "a"));
  EXPECT_EQ(latest_pages(), 1U);
  Fold(Page("http://host.example/a", "b"));
  EXPECT_EQ(latest_pages(), 2U) << "what it shows by now tells what URLs like it show";
  SetMaxSites(1'000'000, kFoldVersionOfLatestParts);
  Fold(Page("http://host.example/a", "b"));
  EXPECT_EQ(latest_pages(), 3U);
}

TEST_F(SiteFoldTest, APageIsAnAliasIfBothItAndItsContentSaySo) {
  const auto aliases = [this](const std::string& second, const std::string& content,
                              const std::string& canonical, std::uint32_t fold_version) {
    const int n = ++pages_;
    SetMaxSites(1'000'000, fold_version);
    const auto text = [n](std::string_view of) { return fmt::format("{} {}", of, n); };
    Fold(Page(fmt::format("http://host.example/first/{}", text("x")), text("first")));
    Fold(Page(fmt::format("http://other.example/first/{}", text("x")), text("first")));
    log::Entry entry =
        Page(fmt::format("http://host.example/{}/{}", second, text("x")), text(content));
    if (!canonical.empty()) {
      entry.mutable_page()->set_canonical_link(fmt::format("{}/{}", canonical, text("x")));
    }
    Fold(entry);
    const auto site = detector_->SiteAt(kSite).value();
    return site.has_value() && site->patterns().Find(fmt::format("/{}/*", second)).aliases > 0;
  };
  const std::string first = "http://host.example/first";
  EXPECT_TRUE(aliases("a", "first", first, kFoldVersion));
  EXPECT_FALSE(aliases("b", "first", "", kFoldVersion)) << "it doesn't say so";
  EXPECT_FALSE(aliases("c", "own", first, kFoldVersion)) << "another content";
  EXPECT_FALSE(aliases("d", "first", "http://host.example/nowhere", kFoldVersion));
  EXPECT_FALSE(aliases("e", "first", "http://other.example/first", kFoldVersion));
  EXPECT_FALSE(aliases("f", "first", "http://host.example/f", kFoldVersion)) << "itself";
  EXPECT_FALSE(aliases("g", "first", first, kFoldVersionOfLatestParts));
}

TEST_F(SiteFoldTest, RowsOfHostsAloneTeachTheSame) {
  const auto fold_pages = [this](std::uint32_t fold_version) {
    SetMaxSites(1'000'000, fold_version);
    for (int i = 0; i < 11; ++i) {
      const int n = ++pages_;
      Fold(Page(fmt::format("http://{}host.example/a/{}.html?s={}", n % 3 == 0 ? "www." : "", n, n),
                std::to_string(n / 2)));
    }
    return detector_->SiteAt(kSite).value().value().Encode();
  };
  std::vector<std::string> sites;
  // Version 8 has no parts; a log may come from there in the middle of a host's pages.
  struct Log {
    std::uint32_t first;
    std::uint32_t second;
  };
  constexpr Log kLogs[] = {{kFoldVersionOfSites, kFoldVersionOfLatestParts},
                           {kFoldVersionOfSites, kFoldVersionOfLatestRows},
                           {kFoldVersionOfLatestParts, kFoldVersionOfLatestParts},
                           {kFoldVersionOfLatestRows, kFoldVersionOfLatestRows},
                           {kFoldVersionOfLatestRows, kFoldVersionOfMoreLatestPages},
                           {kFoldVersionOfMoreLatestPages, kFoldVersionOfMoreLatestPages}};
  for (const auto& [first, second] : kLogs) {
    detector_.reset();
    store_.reset();
    std::filesystem::remove_all(directory_.path() / "state");
    Open();
    entries_ = EntryBuilder(kScheme);
    log_offset_ = -1;
    pages_ = 0;
    for (int turn = 0; turn < 2; ++turn) {
      sites.push_back(fold_pages(first));
      EXPECT_EQ(Parts().empty(), first == kFoldVersionOfSites);
    }
    for (int turn = 0; turn < 2; ++turn) sites.push_back(fold_pages(second));
    for (int turn = 0; turn < 8; ++turn) sites.push_back(fold_pages(kFoldVersion));
  }
  ASSERT_EQ(sites.size(), 72U);
  for (std::size_t i = 12; i < sites.size(); ++i) EXPECT_EQ(sites[i], sites[i % 12]) << i;
}

TEST_F(SiteFoldTest, PartsGoWithTheirHost) {
  for (const char* host : {"host.example", "host.example.org", "www.host.example"}) {
    for (int i = 0; i < 14; ++i) {
      log::Entry entry = Page(fmt::format("http://{}/archive/of/the/year/{}.html", host, i),
                              fmt::format("{}{}", host, i));
      entry.mutable_page()->set_host(host);
      Fold(entry);
    }
  }
  const auto parts_of = [this](std::string_view host) {
    std::string first = LatestPart::Key(host, 0);
    first.pop_back();
    return std::ranges::count_if(
        Parts(), [&first](const std::string& key) { return key.starts_with(first); });
  };
  const auto of_other = parts_of("host.example.org");
  EXPECT_GE(of_other, 2);
  EXPECT_GE(parts_of("host.example"), 2);
  EXPECT_GE(parts_of("www.host.example"), 2);
  log::Entry purge;
  purge.mutable_purge()->set_id("1");
  purge.mutable_purge()->set_host("host.example");
  Fold(purge);
  EXPECT_EQ(parts_of("host.example.org"), of_other);
  EXPECT_EQ(static_cast<std::ptrdiff_t>(Parts().size()), of_other);
}

/// A URL that can't be taken apart is kept as it is, NUL included. What it has in the place of a
/// host may look like the key of another row.
TEST_F(SiteFoldTest, AUrlWithNulNamesNoOtherRow) {
  for (int i = 0; i < 20; ++i) {
    Fold(Page(fmt::format("http://host.example/a/{}.html", i % 18), std::to_string(i)));
  }
  Commit();
  std::vector<std::string> keys;
  ASSERT_TRUE(store_->ForEach(Table::kHosts, [&keys](std::string_view key, std::string_view) {
    // Texts of an entry are UTF-8.
    const bool is_text = std::ranges::all_of(key, [](char c) { return c >= 0; });
    if (is_text) keys.emplace_back(key);
    return Status();
  }));
  ASSERT_GE(keys.size(), 2U);  // of the host and of its patterns
  for (const std::string& key : keys) {
    SCOPED_TRACE(::testing::PrintToString(key));
    const std::string url = "http://" + key + "/b.html";
    log::Entry entry = Page(url, "b" + key);
    if (key != kSite) entry.mutable_page()->clear_host();
    const auto folded = detector_->Fold(entry);
    ASSERT_TRUE(folded.has_value()) << folded.error().message;
    const auto scores = detector_->ScoresOf(entry.page(), *folded->verdict);
    EXPECT_TRUE(scores.has_value()) << scores.error().message;
    log::Question question;
    question.set_url(url);
    question.set_host(key);
    const auto answer = detector_->AnswerTo(question);
    EXPECT_TRUE(answer.has_value()) << answer.error().message;
    if (key == kSite) continue;
    log::Entry purge;
    purge.mutable_purge()->set_id(key);
    purge.mutable_purge()->set_url_prefix("http://" + key + "/");
    const auto purged = detector_->Fold(purge);
    EXPECT_TRUE(purged.has_value()) << purged.error().message;
  }
  EXPECT_EQ(Fetches(Counts().fetched), 19U);
}

TEST_F(SiteFoldTest, KeysOfPartsStayWithinTheirBoundWhateverTheName) {
  for (const auto layout :
       {site::LatestLayout::kParts, site::LatestLayout::kPages, site::LatestLayout::kMorePages}) {
    const site::LatestLimits limits = site::LimitsOf(layout);
    const bool comes_later = layout == site::LatestLayout::kParts;
    for (std::size_t host_bytes = 1; host_bytes <= 1024; ++host_bytes) {
      const std::size_t key_bytes = LatestPart::Key(std::string(host_bytes, 'h'), 0).size();
      // Full pages are taken before the next one comes.
      const std::size_t of_bytes = limits.bytes / site::LatestPages::PartBytes(layout, host_bytes);
      const std::size_t parts =
          comes_later ? std::min(limits.pages - 1, of_bytes) : std::min(limits.pages, of_bytes + 1);
      EXPECT_LE(parts * key_bytes, limits.key_bytes) << host_bytes;
    }
  }
}

/// Four parts of version 9 with as little as they may have, a short page, and one that makes a part
/// of version 10 with it.
TEST_F(SiteFoldTest, KeysOfPartsStayWithinTheirBoundWhereTheRulesChange) {
  const std::string name(253, 'h');
  const auto fold = [&](int i, std::size_t path_bytes) {
    const std::string path = fmt::format("/{:0{}}", i, path_bytes - 1);
    log::Entry entry = Page("http://" + name + path, std::to_string(i));
    entry.mutable_page()->set_host(name);
    Fold(entry);
  };
  SetMaxSites(1'000'000, kFoldVersionOfLatestParts);
  for (int i = 0; i < 8; ++i) fold(i, 236);
  fold(8, 2);
  EXPECT_EQ(Parts().size(), 4U);
  SetMaxSites(1'000'000);
  fold(9, 700);
  std::size_t bytes = 0;
  for (const std::string& key : Parts()) bytes += key.size();
  EXPECT_LE(bytes, site::LimitsOf(site::LatestLayout::kMorePages).key_bytes);
  const auto site = detector_->SiteAt(name).value();
  ASSERT_TRUE(site.has_value());
  EXPECT_EQ(Fetches(site->counts().fetched), 10U);
}

/// A part for each page under the rules before: with as many more there would be too many keys.
TEST_F(SiteFoldTest, KeysOfPartsStayWithinTheirBoundWhereMorePagesMayCome) {
  struct Case {
    std::uint32_t fold_version;
    std::size_t host_bytes;
  };
  for (const auto& [fold_version, host_bytes] :
       {Case{kFoldVersionOfOtherSites, 24}, Case{kFoldVersionOfOtherSites, 31},
        Case{kFoldVersionOfOtherSites, 45}, Case{kFoldVersionOfLatestParts, 64},
        Case{kFoldVersionOfLatestParts, 83}}) {
    SCOPED_TRACE(fmt::format("host of {} bytes from version {}", host_bytes, fold_version));
    const std::string host(host_bytes, static_cast<char>('a' + host_bytes % 26));
    const int before = fold_version == kFoldVersionOfLatestParts ? 16 : 32;
    for (int i = 0; i < 2 * kUntilTaken; ++i) {
      if (i == 0 || i == before) SetMaxSites(1'000'000, i == 0 ? fold_version : kFoldVersion);
      log::Entry entry = Page(fmt::format("http://{}/{:0{}}", host, i, i < before ? 9 : 70),
                              fmt::format("{} {}", host, i));
      entry.mutable_page()->set_host(host);
      Fold(entry);
      std::size_t bytes = 0;
      for (const std::string& key : Parts()) bytes += key.find(host) == 2 ? key.size() : 0;
      ASSERT_LE(bytes, site::LimitsOf(site::LatestLayout::kMorePages).key_bytes) << i;
    }
    EXPECT_EQ(Fetches(detector_->SiteAt(host).value().value().counts().fetched), 2 * kUntilTaken);
  }
}

/// Up to here nothing is known of the site, which has a name of its own because of the port.
TEST_F(SiteFoldTest, AVisitThatTeachesNothingLeavesNoRow) {
  SetMaxSites(0);
  Fold(Page("http://host.example:8080/a", "a"));
  SetMaxSites(1'000'000);
  Fold(Page("http://host.example:8080/a", "a"));
  Commit();
  EXPECT_FALSE(store_->Get(Table::kHosts, "host.example:8080").value().has_value());
  Fold(Page("http://host.example:8080/b", "b"));
  Commit();
  EXPECT_TRUE(store_->Get(Table::kHosts, "host.example:8080").value().has_value());
}

TEST_F(SiteFoldTest, MorePartsThanThereCanBeAreCorruption) {
  for (int i = 0; i < 9; ++i) {
    Fold(Page(fmt::format("http://host.example/a/{}.html", i), std::to_string(i)));
  }
  Commit();
  state::Host host;
  ASSERT_TRUE(host.ParseFromString(store_->Get(Table::kHosts, kSite).value().value()));
  host.set_latest_parts(300);
  Changes changes;
  changes.Put(Table::kHosts, kSite, host.SerializeAsString());
  ASSERT_TRUE(store_->Apply(changes).has_value());
  const auto site = detector_->SiteAt(kSite);
  ASSERT_FALSE(site.has_value());
  EXPECT_EQ(site.error().code, ErrorCode::kCorruption);
  const auto folded = detector_->Fold(Page("http://host.example/a/9.html", "9"));
  ASSERT_FALSE(folded.has_value());
  EXPECT_EQ(folded.error().code, ErrorCode::kCorruption);
}

TEST_F(SiteFoldTest, AMissingPartIsCorruption) {
  for (int i = 0; i < 9; ++i) {
    Fold(Page(fmt::format("http://host.example/a/{}.html", i), std::to_string(i)));
  }
  ASSERT_TRUE(detector_->Commit({++log_offset_, "0123456789abcdef"}).has_value());
  Changes lost;
  lost.Delete(Table::kHosts, LatestPart::Key(kSite, 0));
  ASSERT_TRUE(store_->Apply(lost).has_value());
  const auto site = detector_->SiteAt(kSite);
  ASSERT_FALSE(site.has_value());
  EXPECT_EQ(site.error().code, ErrorCode::kCorruption);
}

TEST_F(SiteFoldTest, BothHostsOfASiteHaveLatestPagesOfTheirOwn) {
  for (int i = 0; i < 40; ++i) {
    Fold(Page(fmt::format("http://{}host.example/{}", i % 4 == 0 ? "www." : "", i),
              fmt::format("page {}", i)));
    EXPECT_EQ(Fetches(Counts().fetched), i + 1);
  }
}

TEST_F(SiteFoldTest, ASiteOfThousandsOfPagesTakesRowsOfBoundedSize) {
  for (int i = 0; i < 3000; ++i) {
    Fold(Page(fmt::format("http://host.example/{}/{}.html?q={}", i % 300, i, i * 7), "one"));
  }
  ASSERT_TRUE(detector_->Commit({++log_offset_, "0123456789abcdef"}).has_value());
  const auto bytes_of_hosts = [&] {
    std::size_t bytes = 0;
    EXPECT_TRUE(
        store_->ForEach(Table::kHosts, [&bytes](std::string_view key, std::string_view row) {
          // Path patterns of schedules have rows of their own, with their own bound.
          if (key.starts_with('\0') || key.find('\0') == std::string_view::npos) {
            bytes += key.size() + row.size();
          }
          return Status();
        }));
    return bytes;
  };
  EXPECT_GT(bytes_of_hosts(), 1000U);
  EXPECT_LT(bytes_of_hosts(), 64U << 10);
  // URLs as large as they can be, of many parts and parameters.
  for (int i = 0; i < 300; ++i) {
    std::string url = fmt::format("http://host.example/{}", i);
    for (int part = 0; part < 30; ++part) url += fmt::format("/part{}-{}", part, i * 7919 + part);
    for (int part = 0; part < 40; ++part)
      url += fmt::format("{}p{}={}", part == 0 ? '?' : '&', i + part, i);
    url += std::string(1500, 'x');
    Fold(Page(url, std::to_string(i)));
  }
  ASSERT_TRUE(detector_->Commit({++log_offset_, "0123456789abcdef"}).has_value());
  EXPECT_LT(bytes_of_hosts(), 64U << 10);
}

/// The scale of a million hosts, at a hundredth: what is learned of them is in their own rows.
TEST_F(SiteFoldTest, HostsWithOnePageEachTakeNoRowsOfSites) {
  constexpr int kHosts = 10'000;
  for (int i = 0; i < kHosts; ++i) {
    Fold(Page(fmt::format("http://host{}.example/a/page.html", i), std::to_string(i)));
  }
  ASSERT_TRUE(detector_->Commit({++log_offset_, "0123456789abcdef"}).has_value());
  std::size_t rows_of_sites = 0;
  std::size_t most = 0;
  std::size_t bytes = 0;
  ASSERT_TRUE(store_->ForEach(Table::kHosts, [&](std::string_view key, std::string_view row) {
    if (key.starts_with('\0')) ++rows_of_sites;
    if (key.find('\0') != std::string_view::npos) return Status();
    most = std::max(most, row.size());
    state::Host host;
    EXPECT_TRUE(host.ParseFromArray(row.data(), static_cast<int>(row.size())));
    bytes += host.latest().size();
    return Status();
  }));
  EXPECT_EQ(rows_of_sites, 0U);
  EXPECT_LT(most, 150U);
  EXPECT_LT(bytes, 60U * kHosts);
}

/// A host that floods the crawl with URLs, at a thousandth of ten million.
TEST_F(SiteFoldTest, ALargeHostCostsNoMoreOnceItsTablesAreFull) {
  std::size_t most = 0;
  for (int i = 0; i < 10'000; ++i) {
    Fold(Page(fmt::format("http://host.example/{}/{}/{}.html?s={}", i % 700, i % 13, i, i * 31),
              std::to_string(i / 2)));
    if (i % 1000 != 999) continue;
    const auto site = detector_->SiteAt(kSite).value();
    ASSERT_TRUE(site.has_value());
    most = std::max(most, site->Encode().size());
  }
  EXPECT_LE(most, site::Site::kMaxEncodedBytes);
}

TEST_F(SiteFoldTest, ReadAheadChangesNothing) {
  const std::vector<log::Entry> log = testing::WithCanonicalLinks(
      testing::WithFetches(testing::RandomLog(/*seed=*/7, 3000), /*seed=*/7));
  std::vector<Checksum> hashes;
  for (const bool reads_ahead : {false, true}) {
    testing::TemporaryDirectory directory;
    const auto store = Store::Open({.directory = directory.path()}).value();
    const auto detector = Detector::Open(*store, testing::MakeFlatIndex, kScheme).value();
    std::int64_t offset = -1;
    for (std::size_t i = 0; i < log.size(); ++i) {
      if (reads_ahead && i % 200 == 0) {
        detector->ReadAheadFor(
            std::span(log).subspan(i, std::min<std::size_t>(200, log.size() - i)), 3);
      }
      ASSERT_TRUE(detector->Fold(log[i]).has_value());
      if (++offset % 500 == 499) {
        ASSERT_TRUE(detector->Commit({offset, "0123456789abcdef"}).has_value());
      }
    }
    ASSERT_TRUE(detector->Commit({offset, "0123456789abcdef"}).has_value());
    EXPECT_GT(detector->sites().fetched, 0U);
    hashes.push_back(StateHash(*store).value());
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}

}  // namespace
}  // namespace crawlsieve

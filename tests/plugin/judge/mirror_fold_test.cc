// What the fold learns of hosts that show the same pages: what counts, who hears of it, and that
// nobody suffers from it.
#include "plugin/judge/detector.h"
#include "plugin/judge/page_mirrors.h"
#include "plugin/judge/state_hash.h"
#include "plugin/site/url_parts.h"
#include "tests/plugin/judge/random_log.h"
#include "tests/support/entry_builder.h"
#include "tests/support/make_flat_index.h"
#include "tests/support/temporary_directory.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

using testing::EntryBuilder;
using ::testing::IsEmpty;
using testing::kScheme;
using testing::Parameters;

constexpr const char* kA = "http://a.example";
constexpr const char* kB = "https://b.example";
constexpr const char* kC = "http://c.example";
constexpr std::uint64_t kSeed = 20;

/// A judge, and pages for it.
class Crawl {
 public:
  explicit Crawl(const JudgeParameters& parameters = SiteParameters()) {
    store_ = Store::Open({.directory = directory_.path() / "state"}).value();
    detector_ = Detector::Open(*store_, testing::MakeFlatIndex, kScheme).value();
    Fold(ParametersEntry(parameters, kScheme));
  }

  static JudgeParameters SiteParameters() {
    JudgeParameters parameters = Parameters();
    parameters.sites.max = 1'000'000;
    return parameters;
  }

  void Fold(const log::Entry& entry) {
    const auto folded = detector_->Fold(entry);
    ASSERT_TRUE(folded.has_value()) << folded.error().message;
    const auto news = detector_->NewsOfSites();
    ASSERT_TRUE(news.has_value()) << news.error().message;
    for (const SiteNews& of_site : *news) ++news_[of_site.name];
  }

  /// A page with text of its own, unless `content` came before, and bytes of its own likewise.
  log::Entry Page(const std::string& url, const std::string& content, const std::string& bytes) {
    log::Entry entry = entries_.Text(url, content, RawChecksum(content).low);
    Sketch sketch;
    for (std::size_t i = 0; i < sketch.words.size(); ++i) {
      sketch.words[i] = RawChecksum(fmt::format("{} {}", content, i)).low;
    }
    EntryBuilder::SetSketch(entry, sketch);
    log::Page& page = *entry.mutable_page();
    page.set_host(std::string(HostOf(url)));
    page.set_raw_checksum(ToBytes(RawChecksum(bytes)));
    return entry;
  }
  void Fetch(const std::string& url, const std::string& content, const std::string& bytes) {
    Fold(Page(url, content, bytes));
  }
  void Fetch(const std::string& url, const std::string& content) { Fetch(url, content, content); }

  /// Pages `from` to `to` of a documentation, the last one left out.
  void FetchPages(const std::string& origin, int from, int to) {
    for (int i = from; i < to; ++i) {
      Fetch(fmt::format("{}/p{}.html", origin, i), fmt::format("page {}", i));
    }
  }

  std::vector<MirrorReport> Mirrors(const std::string& site) {
    const auto report = detector_->ReportOn(site).value();
    std::vector<MirrorReport> mirrors;
    if (!report.has_value()) return mirrors;
    for (const HostReport& host : report->hosts) {
      mirrors.insert(mirrors.end(), host.mirrors.begin(), host.mirrors.end());
    }
    return mirrors;
  }
  /// Origins that the site is said to be a mirror of.
  std::set<std::string> MirrorOf(const std::string& site) {
    std::set<std::string> origins;
    for (const MirrorReport& mirror : Mirrors(site)) {
      if (mirror.in_use) origins.insert(mirror.origin);
    }
    return origins;
  }

  Detector& detector() { return *detector_; }
  EntryBuilder& entries() { return entries_; }
  std::map<std::string, int>& news() { return news_; }

  Checksum Commit(std::int64_t offset) {
    EXPECT_TRUE(detector_->Commit({offset, std::string(16, 'x')}).has_value());
    return StateHash(*store_).value();
  }

  static std::string_view HostOf(std::string_view url) {
    const std::string_view host = site::PartsOf(url).host;
    return host.substr(0, host.find(':'));
  }

 private:
  testing::TemporaryDirectory directory_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Detector> detector_;
  EntryBuilder entries_{kScheme};
  std::map<std::string, int> news_;
};

TEST(MirrorFold, AHostWithThePagesOfAnotherOneSaysSo) {
  Crawl crawl;
  crawl.FetchPages(kA, 0, 30);
  crawl.news().clear();
  crawl.FetchPages(kB, 0, 19);
  EXPECT_THAT(crawl.MirrorOf("b.example"), IsEmpty());
  const int before = crawl.news()["b.example"];
  crawl.FetchPages(kB, 19, 20);
  EXPECT_EQ(crawl.MirrorOf("b.example"), std::set<std::string>{kA});
  EXPECT_EQ(crawl.news()["b.example"], before + 1);
  crawl.FetchPages(kB, 20, 30);
  const auto mirrors = crawl.Mirrors("b.example");
  ASSERT_EQ(mirrors.size(), 1U);
  EXPECT_EQ(mirrors[0].evidence.pairs, (site::PairCounts{30, 0}));
  EXPECT_EQ(mirrors[0].evidence.same, 30U);
  EXPECT_EQ(mirrors[0].evidence.pages, 30U);
}

TEST(MirrorFold, OfTheHostThatCameFirstNothingIsSaid) {
  Crawl crawl;
  crawl.FetchPages(kA, 0, 30);
  crawl.news().clear();
  crawl.FetchPages(kB, 0, 30);
  EXPECT_THAT(crawl.Mirrors("a.example"), IsEmpty());
  EXPECT_EQ(crawl.news().count("a.example"), 0U);
}

TEST(MirrorFold, BothAtOnceCountTogether) {
  Crawl crawl;
  for (int i = 0; i < 30; ++i) {
    crawl.FetchPages(i % 2 == 0 ? kA : kB, i, i + 1);
    crawl.FetchPages(i % 2 == 0 ? kB : kA, i, i + 1);
  }
  EXPECT_EQ(crawl.MirrorOf("a.example"), std::set<std::string>{kB});
  EXPECT_EQ(crawl.MirrorOf("b.example"), std::set<std::string>{kA});
  EXPECT_EQ(crawl.Mirrors("a.example")[0].evidence.pairs, (site::PairCounts{30, 0}));
}

TEST(MirrorFold, SamePagesUnderOtherPathsAreNone) {
  Crawl crawl;
  crawl.FetchPages(kA, 0, 30);
  crawl.FetchPages(std::string(kB) + "/copy", 0, 30);
  EXPECT_THAT(crawl.Mirrors("b.example"), IsEmpty());
}

TEST(MirrorFold, TheSameTextInOtherBytesIsTheNextVersion) {
  Crawl crawl;
  crawl.FetchPages(kA, 0, 60);
  for (int i = 0; i < 60; ++i) {
    crawl.Fetch(fmt::format("{}/p{}.html", kB, i), fmt::format("page {}", i),
                fmt::format("version 2 of page {}", i));
  }
  EXPECT_THAT(crawl.MirrorOf("b.example"), IsEmpty());
  const auto mirrors = crawl.Mirrors("b.example");
  ASSERT_EQ(mirrors.size(), 1U);
  EXPECT_EQ(mirrors[0].evidence.pairs, (site::PairCounts{0, 60}));
}

TEST(MirrorFold, PagesThatAreUnlikeSpeakAgainstIt) {
  Crawl crawl;
  crawl.FetchPages(kA, 0, 100);
  for (int i = 0; i < 100; ++i) {
    crawl.Fetch(fmt::format("{}/p{}.html", kB, i),
                i % 4 == 3 ? fmt::format("new page {}", i) : fmt::format("page {}", i));
  }
  EXPECT_THAT(crawl.MirrorOf("b.example"), IsEmpty());
  EXPECT_EQ(crawl.Mirrors("b.example")[0].evidence.pairs, (site::PairCounts{75, 25}));
}

TEST(MirrorFold, AHostWithMorePagesIsNoMirrorOfThePart) {
  Crawl crawl;
  crawl.FetchPages(kA, 0, 40);
  crawl.FetchPages(kB, 1000, 1060);
  crawl.FetchPages(kB, 0, 40);
  EXPECT_THAT(crawl.MirrorOf("b.example"), IsEmpty());
  EXPECT_EQ(crawl.Mirrors("b.example")[0].evidence.coverage(), site::Share{site::kWhole * 4 / 10});
}

TEST(MirrorFold, OneOfThreeIsComparedWithBoth) {
  Crawl crawl;
  for (int i = 0; i < 60; ++i) {
    crawl.FetchPages(i % 2 == 0 ? kA : kB, i, i + 1);
    crawl.FetchPages(i % 2 == 0 ? kB : kA, i, i + 1);
  }
  crawl.FetchPages(kC, 0, 60);
  EXPECT_EQ(crawl.MirrorOf("c.example"), (std::set<std::string>{kA, kB}));
}

TEST(MirrorFold, WwwAndSchemesOfOneSiteAreNoMirrors) {
  Crawl crawl;
  crawl.FetchPages("http://www.a.example", 0, 30);
  crawl.FetchPages("https://a.example", 0, 30);
  EXPECT_THAT(crawl.Mirrors("a.example"), IsEmpty());
}

TEST(MirrorFold, APortIsAnotherHost) {
  Crawl crawl;
  crawl.FetchPages(kA, 0, 30);
  crawl.FetchPages("http://a.example:8080", 0, 30);
  EXPECT_EQ(crawl.MirrorOf("a.example:8080"), std::set<std::string>{kA});
  EXPECT_THAT(crawl.MirrorOf("a.example"), IsEmpty());
}

TEST(MirrorFold, ItEndsWhenNewPagesHaveNoCounterpart) {
  Crawl crawl;
  crawl.FetchPages(kA, 0, 40);
  crawl.FetchPages(kB, 0, 40);
  ASSERT_EQ(crawl.MirrorOf("b.example"), std::set<std::string>{kA});
  crawl.FetchPages(kB, 100, 117);
  EXPECT_EQ(crawl.MirrorOf("b.example"), std::set<std::string>{kA});
  const int before = crawl.news()["b.example"];
  // It is looked at after every 16 pages.
  crawl.FetchPages(kB, 117, 132);
  EXPECT_THAT(crawl.MirrorOf("b.example"), IsEmpty());
  EXPECT_GT(crawl.news()["b.example"], before);
}

TEST(MirrorFold, ItEndsWhenNewPagesDiffer) {
  Crawl crawl;
  crawl.FetchPages(kA, 0, 80);
  crawl.FetchPages(kB, 0, 40);
  for (int i = 40; i < 55; ++i) {
    crawl.Fetch(fmt::format("{}/p{}.html", kB, i), fmt::format("new page {}", i));
  }
  EXPECT_THAT(crawl.MirrorOf("b.example"), IsEmpty());
}

/// A mirror whose original has changed.
class MirrorFoldOfChanged : public ::testing::Test {
 protected:
  void SetUp() override {
    crawl_.FetchPages(kA, 0, 40);
    crawl_.FetchPages(kB, 0, 40);
    ASSERT_EQ(crawl_.MirrorOf("b.example"), std::set<std::string>{kA});
    for (int i = 0; i < 40; ++i) Change(kA, i);
  }

  void Change(const std::string& origin, int i) {
    crawl_.Fetch(fmt::format("{}/p{}.html", origin, i), fmt::format("new page {}", i));
  }

  Crawl crawl_;
};

TEST_F(MirrorFoldOfChanged, ItIsOneStillWhenItFollows) {
  for (int i = 0; i < 40; ++i) Change(kB, i);
  EXPECT_EQ(crawl_.MirrorOf("b.example"), std::set<std::string>{kA});
  EXPECT_EQ(crawl_.Mirrors("b.example")[0].evidence.pairs, (site::PairCounts{40, 0}));
}

TEST_F(MirrorFoldOfChanged, ItIsNoneWhenItStaysAsItWas) {
  crawl_.FetchPages(kB, 0, 40);
  EXPECT_THAT(crawl_.MirrorOf("b.example"), IsEmpty());
}

TEST(MirrorFold, NobodyIsScoredByIt) {
  // Whoever copies a host before it is crawled makes its pages duplicates. That they have the same
  // paths, so that the host is called a mirror of the copy, makes it no worse.
  Crawl as_mirror;
  Crawl as_copy;
  as_mirror.FetchPages(kC, 0, 40);
  as_copy.FetchPages(std::string(kC) + "/copy", 0, 40);
  as_mirror.FetchPages(kA, 0, 40);
  as_copy.FetchPages(kA, 0, 40);
  ASSERT_EQ(as_mirror.MirrorOf("a.example"), std::set<std::string>{kC});
  ASSERT_THAT(as_copy.MirrorOf("a.example"), IsEmpty());
  EXPECT_EQ(as_mirror.detector().SiteAt("a.example").value()->Encode(),
            as_copy.detector().SiteAt("a.example").value()->Encode());
}

TEST(MirrorFold, ACopyThatComesLaterChangesNothingOfTheOriginal) {
  Crawl crawl;
  crawl.FetchPages(kA, 0, 40);
  const std::string before = crawl.detector().SiteAt("a.example").value()->Encode();
  crawl.FetchPages(kC, 0, 40);
  EXPECT_EQ(crawl.MirrorOf("c.example"), std::set<std::string>{kA});
  EXPECT_EQ(crawl.detector().SiteAt("a.example").value()->Encode(), before);
  EXPECT_THAT(crawl.Mirrors("a.example"), IsEmpty());
}

TEST(MirrorFold, ManyCopiesDontPutAMirrorOut) {
  Crawl crawl;
  crawl.FetchPages(kB, 0, 40);
  for (int i = 0; i < 100; ++i) {
    const std::string copy = fmt::format("http://copy{}.example", i);
    crawl.Fetch(fmt::format("{}/q{}.html", copy, i), fmt::format("other page {}", i));
  }
  crawl.FetchPages(kA, 0, 40);
  for (int i = 0; i < 8; ++i) {
    crawl.Fetch(fmt::format("{}/q{}.html", kA, i), fmt::format("other page {}", i));
  }
  EXPECT_EQ(crawl.MirrorOf("a.example"), std::set<std::string>{kB});
  EXPECT_EQ(crawl.Mirrors("a.example").size(), site::Mirrors::kMaxMirrors);
}

TEST(MirrorFold, APurgedHostHasNoneAnyMore) {
  Crawl crawl;
  crawl.FetchPages(kA, 0, 30);
  crawl.FetchPages(kB, 0, 30);
  ASSERT_EQ(crawl.MirrorOf("b.example"), std::set<std::string>{kA});
  log::Entry purge;
  purge.mutable_purge()->set_id("1");
  purge.mutable_purge()->set_host("b.example");
  crawl.Fold(purge);
  EXPECT_THAT(crawl.Mirrors("b.example"), IsEmpty());
}

TEST(MirrorFold, NothingIsLearnedWithoutSites) {
  JudgeParameters parameters = Parameters();
  parameters.sites.max = 0;
  Crawl crawl(parameters);
  crawl.FetchPages(kA, 0, 30);
  crawl.FetchPages(kB, 0, 30);
  EXPECT_THAT(crawl.Mirrors("b.example"), IsEmpty());
}

TEST(MirrorFold, ADamagedRowIsAnError) {
  state::Host record;
  record.set_mirrors("no mirrors");
  class NoRows final : public RowReader {
   public:
    Result<RowMap::Value> Row(Table /*table*/, std::string_view /*key*/) override {
      return RowMap::Value();
    }
  } rows;
  const auto mirrors = MirrorsOf("a.example", record, rows);
  ASSERT_FALSE(mirrors.has_value());
  EXPECT_EQ(mirrors.error().code, ErrorCode::kCorruption);
}

/// What is known of mirrors by the rules in words, with maps in the place of rows: for pages that
/// are fetched once, of hosts that are few enough.
class MirrorOracle {
 public:
  struct Pair {
    site::PairCounts pairs;
    std::uint32_t same = 0;
    std::uint32_t misses = 0;
    bool in_use = false;
  };

  void Fetch(const std::string& host, const std::string& path, const std::string& content,
             const std::string& bytes) {
    ++pages_[host];
    const auto [first, is_new] = first_.try_emplace(content, First{host, path, bytes});
    const bool matches = !is_new && first->second.host != host && first->second.path == path;
    auto& others = pairs_[host];
    if (matches) others[first->second.host];
    for (auto& [other, pair] : others) {
      const bool is_matched = matches && other == first->second.host;
      const auto there = shown_.find({other, path});
      if (!is_matched) {
        if (pair.same < 2 || pair.misses >= 64) continue;
        if (there == shown_.end()) {
          ++pair.misses;
          continue;
        }
      }
      if (is_matched || there->second == content) {
        ++pair.same;
        if (!is_matched) continue;
        pair.pairs.Add(first->second.bytes == bytes);
      } else {
        pair.pairs.Add(false);
      }
      pair.misses = 0;
      Decide(host, other, pair);
    }
    for (auto& [other, pair] : others) {
      if (pair.in_use && pages_[host] % 16 == 0) Decide(host, other, pair);
    }
    shown_[{host, path}] = content;
  }

  std::set<std::string> MirrorOf(const std::string& host) {
    std::set<std::string> mirrors;
    for (const auto& [other, pair] : pairs_[host]) {
      if (pair.in_use) mirrors.insert(other);
    }
    return mirrors;
  }
  std::map<std::string, Pair>& PairsOf(const std::string& host) { return pairs_[host]; }

 private:
  struct First {
    std::string host;
    std::string path;
    std::string bytes;
  };

  void Decide(const std::string& host, const std::string& other, Pair& pair) {
    const Pair back = pairs_[other][host];
    const std::uint64_t same_bytes = pair.pairs.same + back.pairs.same;
    const std::uint64_t all = pair.pairs.pairs() + back.pairs.pairs();
    const std::uint64_t same = std::min<std::uint64_t>(pair.same + back.same, pages_[host]);
    const std::uint32_t percent = pair.in_use ? 70 : 80;
    pair.in_use = all >= 20 && site::LowerBound(same_bytes, all) >= site::Percent(percent) &&
                  (same << 16) / pages_[host] >= site::Percent(percent);
  }

  std::map<std::string, First> first_;  // by content
  std::map<std::pair<std::string, std::string>, std::string> shown_;
  std::map<std::string, std::map<std::string, Pair>> pairs_;
  std::map<std::string, std::uint64_t> pages_;
};

TEST(MirrorFold, IsWhatTheRulesInWordsSay) {
  std::mt19937_64 random(kSeed);
  std::size_t told = 0;
  for (int round = 0; round < 30; ++round) {
    Crawl crawl;
    MirrorOracle oracle;
    const std::uint64_t unlike_one_in = 5 + random() % 100;
    const std::uint64_t bytes_one_in = 5 + random() % 100;
    const std::uint64_t twins_one_in = 5 + random() % 100;
    std::vector<std::pair<std::string, int>> fetches;
    for (const char* const host : {"a.example", "b.example", "c.example"}) {
      const int from = static_cast<int>(random() % 20);
      for (int i = from; i < from + 90; ++i) fetches.emplace_back(host, i);
    }
    if (round % 2 == 0) std::shuffle(fetches.begin(), fetches.end(), random);
    for (const auto& [host, number] : fetches) {
      const std::string path = fmt::format("/p{}.html", number);
      std::string content = fmt::format("page {}", number);
      if (random() % twins_one_in == 0) content = fmt::format("page {}", number / 8);
      if (random() % unlike_one_in == 0) content += " of " + host;
      std::string bytes = content;
      if (random() % bytes_one_in == 0) bytes += " from " + host;
      crawl.Fetch("http://" + host + path, content, bytes);
      oracle.Fetch(host, path, content, bytes);
    }
    for (const char* const host : {"a.example", "b.example", "c.example"}) {
      std::set<std::string> expected;
      for (const std::string& other : oracle.MirrorOf(host)) expected.insert("http://" + other);
      ASSERT_EQ(crawl.MirrorOf(host), expected) << "seed " << kSeed << ", round " << round;
      told += expected.size();
      for (const MirrorReport& mirror : crawl.Mirrors(host)) {
        const std::string other(site::PartsOf(mirror.origin).host);
        const auto& own = oracle.PairsOf(host)[other];
        const auto& back = oracle.PairsOf(other)[host];
        ASSERT_EQ(mirror.evidence.pairs.same, own.pairs.same + back.pairs.same);
        ASSERT_EQ(mirror.evidence.pairs.different, own.pairs.different + back.pairs.different);
        ASSERT_EQ(mirror.evidence.same, own.same + back.same);
      }
    }
  }
  EXPECT_GT(told, 20U) << "the rounds say too little";
}

TEST(MirrorFold, TheSameLogGivesTheSameStateHoweverItIsRead) {
  std::vector<Checksum> states;
  for (const bool reads_ahead : {false, true}) {
    Crawl crawl;
    std::mt19937_64 random(kSeed);
    std::vector<log::Entry> log;
    for (int i = 0; i < 400; ++i) {
      const std::uint64_t number = random() % 60;
      const std::uint64_t version = random() % 30 == 0 ? 1 : 0;
      log.push_back(crawl.Page(fmt::format("{}/p{}.html", i % 3 == 0 ? kA : kB, number),
                               fmt::format("page {} {}", number, version), "bytes"));
    }
    for (std::size_t i = 0; i < log.size(); ++i) {
      if (reads_ahead && i % 50 == 0) {
        crawl.detector().ReadAheadFor(std::span(log).subspan(i, 50), 2);
      }
      crawl.Fold(log[i]);
      if (!reads_ahead && i % 70 == 0) crawl.Commit(static_cast<std::int64_t>(i));
    }
    EXPECT_THAT(crawl.Mirrors("b.example"), ::testing::SizeIs(1));
    states.push_back(crawl.Commit(static_cast<std::int64_t>(log.size())));
  }
  EXPECT_EQ(states[0], states[1]);
}

}  // namespace
}  // namespace crawlsieve

#include "plugin/schedule/crawl_schedule.h"

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve::schedule {
namespace {

constexpr Seconds kDay = 86'400;
constexpr Seconds kStart = 20'000 * kDay;
constexpr std::uint32_t kDue = Score::kOne / 2;

ScheduleOptions FetchesADay(std::uint64_t fetches) {
  ScheduleOptions options;
  options.goal.fetches_a_day_thousandths = 1'000 * fetches;
  return options;
}

double MeanDays(LogRate rate) { return static_cast<double>(MeanOfRate(rate)) / kDay; }

Fetch Content(Seconds time, bool changed) { return {time, FetchClass::kContent, changed, {}}; }

/// A host with the patterns of its URLs.
struct Host {
  HostSchedule schedule;
  std::map<std::uint8_t, PatternSet> sets;

  PatternSet& SetOf(const std::string& pattern) { return sets[PatternSet::SetOf(pattern)]; }
  friend bool operator==(const Host&, const Host&) = default;
};

FetchEffect Take(CrawlSchedule& crawl, UrlSchedule& url, Host& host, const std::string& pattern,
                 const Fetch& fetch) {
  const TakenFetch taken = crawl.Take(url, host.schedule, host.SetOf(pattern), pattern, fetch);
  crawl.Add(taken.change);
  return taken.outcome.effect;
}

LogRate RateOf(const CrawlSchedule& crawl, const UrlSchedule& url, Host& host,
               const std::string& pattern) {
  return crawl.RateOf(url, host.schedule, host.SetOf(pattern), pattern);
}

/// Visits `url` every `interval` and finds a change in one of `each` visits; none if that is 0.
void Visits(CrawlSchedule& crawl, UrlSchedule& url, Host& host, const std::string& pattern,
            int count, Seconds interval, int each) {
  for (int i = 1; i <= count; ++i) {
    Take(crawl, url, host, pattern,
         Content(std::max(url.last_visit, kStart) + interval, each > 0 && i % each == 0));
  }
}

TEST(CrawlSchedule, ANewUrlIsExpectedToChangeLikeItsPatternThenItsHostThenAll) {
  CrawlSchedule crawl(FetchesADay(10));
  Host busy;
  Host quiet;
  std::vector<UrlSchedule> urls(20);
  for (int i = 0; i < 10; ++i) {
    Visits(crawl, urls[i], busy, i % 2 == 0 ? "/news/*" : "/about/*", 50, kDay, i % 2 == 0 ? 1 : 0);
    Visits(crawl, urls[10 + i], quiet, "/x", 50, kDay, 0);
  }
  const UrlSchedule unknown;
  Host nothing;
  const LogRate news = RateOf(crawl, unknown, busy, "/news/*");
  const LogRate of_host = RateOf(crawl, unknown, busy, "/other");
  const LogRate about = RateOf(crawl, unknown, busy, "/about/*");
  const LogRate still = RateOf(crawl, unknown, quiet, "/other");
  const LogRate of_crawl = RateOf(crawl, unknown, nothing, "/other");
  EXPECT_GT(news, of_host);
  EXPECT_GT(of_host, about);
  EXPECT_GT(of_host, of_crawl);
  EXPECT_GT(of_crawl, still);
}

TEST(CrawlSchedule, AUrlsOwnVisitsOutweighThoseOfItsHost) {
  CrawlSchedule crawl(FetchesADay(10));
  Host host;
  std::vector<UrlSchedule> others(10);
  for (UrlSchedule& other : others) Visits(crawl, other, host, "/a", 50, kDay, 0);
  UrlSchedule own;
  Visits(crawl, own, host, "/a", 60, kDay, 2);
  // Every second day a change is found: a mean time of 1 / ln 2 days.
  EXPECT_NEAR(MeanDays(RateOf(crawl, own, host, "/a")), 1.44, 0.4);
}

TEST(CrawlSchedule, AUrlThatIsAloneOnItsHostIsNotItsOwnPrior) {
  CrawlSchedule crawl(FetchesADay(1));
  Host host;
  UrlSchedule url;
  Visits(crawl, url, host, "/a", 3, 10 * kDay, 0);
  Host nothing;
  // As if the host had shown nothing at all, but for what all URLs showed.
  EXPECT_NEAR(RateOf(crawl, url, host, "/a"), RateOf(crawl, url, nothing, "/a"), kLogOne / 20);
}

TEST(CrawlSchedule, WhatAUrlDoesNowCountsMoreThanWhatItDidLastYear) {
  CrawlSchedule crawl(FetchesADay(10));
  Host host;
  UrlSchedule woke_up;
  UrlSchedule fell_asleep;
  Visits(crawl, woke_up, host, "/a", 100, 3 * kDay, 0);
  Visits(crawl, woke_up, host, "/a", 10, 3 * kDay, 1);
  Visits(crawl, fell_asleep, host, "/a", 100, 3 * kDay, 1);
  Visits(crawl, fell_asleep, host, "/a", 10, 3 * kDay, 0);
  const auto rate_without_weeks = [&](UrlSchedule url) {
    url.weeks = {};
    return RateOf(crawl, url, host, "/a");
  };
  EXPECT_GT(RateOf(crawl, woke_up, host, "/a"), rate_without_weeks(woke_up) + kLogOne / 2);
  EXPECT_LT(RateOf(crawl, fell_asleep, host, "/a"), rate_without_weeks(fell_asleep) - kLogOne / 2);
}

TEST(CrawlSchedule, ScoresReachOneHalfAtTheNextFetchWhateverHappened) {
  std::mt19937_64 random(11);
  CrawlSchedule crawl(FetchesADay(5));
  std::map<int, Host> hosts;
  std::vector<UrlSchedule> urls(100);
  constexpr int kStatuses[] = {200, 200, 200, 200, 304, 302, 301, 404, 410, 500, 0};
  Seconds now = kStart;
  for (int i = 0; i < 20'000; ++i) {
    now += random() % 4'000;
    const std::size_t number = random() % urls.size();
    UrlSchedule& url = urls[number];
    Host& host = hosts[static_cast<int>(number % 7)];
    const std::string pattern = "/" + std::to_string(number % 5);
    const Fetch fetch{now - random() % 2 * kDay, ClassOfStatus(kStatuses[random() % 11]),
                      random() % 3 == 0, std::nullopt};
    Take(crawl, url, host, pattern, fetch);
    const LogRate rate = RateOf(crawl, url, host, pattern);
    const Seconds next = crawl.NextFetch(url, host.schedule, rate);
    ASSERT_GE(crawl.ScoreAt(url, host.schedule, rate, next).ten_thousandths, kDue);
    if (next > 0) {
      ASSERT_LT(crawl.ScoreAt(url, host.schedule, rate, next - 1).ten_thousandths, kDue);
    }
    ASSERT_EQ(UrlSchedule::Decode(url.Encode()).value(), url);
  }
  std::uint64_t counted = 0;
  for (const UrlSchedule& url : urls) counted += url.bucket != UrlSchedule::kNoBucket ? 1 : 0;
  EXPECT_EQ(crawl.histogram().total(), counted) << "each URL once, and only while it is live";
}

TEST(CrawlSchedule, ALateCopyChangesNothing) {
  CrawlSchedule crawl(FetchesADay(10));
  Host host;
  UrlSchedule url;
  Visits(crawl, url, host, "/a", 5, kDay, 2);
  const UrlSchedule url_before = url;
  const Host host_before = host;
  const CrawlSchedule crawl_before = crawl;
  EXPECT_EQ(Take(crawl, url, host, "/a", Content(url.last_visit - kDay, true)),
            FetchEffect::kOutdated);
  EXPECT_EQ(crawl, crawl_before);
  EXPECT_EQ(url, url_before);
  EXPECT_EQ(host, host_before);
}

TEST(CrawlSchedule, AFailingHostHoldsAllItsUrlsBack) {
  CrawlSchedule crawl(FetchesADay(10));
  Host host;
  UrlSchedule good;
  Visits(crawl, good, host, "/a", 1, kDay, 0);
  std::vector<UrlSchedule> failing(25);
  const Seconds now = kStart + 400 * kDay;
  for (UrlSchedule& url : failing) {
    Take(crawl, url, host, "/b", {now, FetchClass::kTemporaryFailure, false, {}});
  }
  const LogRate rate = RateOf(crawl, good, host, "/a");
  EXPECT_EQ(crawl.NextFetch(good, host.schedule, rate), now + 2 * 3'600);
  EXPECT_EQ(crawl.ScoreAt(good, host.schedule, rate, now).ten_thousandths, 0U);
}

TEST(CrawlSchedule, APageThatCantBeReadIsTriedAgainAndIsNoFailureOfItsHost) {
  CrawlSchedule crawl(FetchesADay(10));
  Host host;
  std::vector<UrlSchedule> urls(30);
  for (UrlSchedule& url : urls) {
    EXPECT_EQ(Take(crawl, url, host, "/a", {kStart, FetchClass::kUnreadable, false, {}}),
              FetchEffect::kRetry);
  }
  EXPECT_EQ(host.schedule.paused_until(), 0U);
  EXPECT_EQ(crawl.NextFetch(urls[0], host.schedule, 0), kStart + 2 * 3'600);
}

TEST(CrawlSchedule, ADeletedUrlIsTakenOutOfTheHistogram) {
  CrawlSchedule crawl(FetchesADay(10));
  Host host;
  UrlSchedule url;
  Visits(crawl, url, host, "/a", 3, kDay, 2);
  EXPECT_EQ(crawl.histogram().total(), 1U);
  crawl.Add(CrawlSchedule::Forget(url));
  EXPECT_EQ(crawl.histogram().total(), 0U);
  crawl.Add(CrawlSchedule::Forget(UrlSchedule()));
  EXPECT_EQ(crawl.histogram().total(), 0U);
}

TEST(CrawlSchedule, OtherOptionsCountAtOnce) {
  CrawlSchedule crawl(FetchesADay(10));
  Host host;
  std::vector<UrlSchedule> urls(200);
  for (UrlSchedule& url : urls) Visits(crawl, url, host, "/a", 2, 10 * kDay, 2);
  const LogValue before = crawl.threshold();
  crawl.SetOptions(FetchesADay(10));
  EXPECT_EQ(crawl.threshold(), before);
  crawl.SetOptions(FetchesADay(1));
  EXPECT_GT(crawl.threshold(), before) << "fewer fetches: each must be worth more";
}

TEST(CrawlSchedule, ComesBackFromItsBytesAndGoesOnAlike) {
  CrawlSchedule crawl(FetchesADay(3));
  Host host;
  std::vector<UrlSchedule> urls(50);
  for (UrlSchedule& url : urls) Visits(crawl, url, host, "/a", 3, kDay, 2);
  CrawlSchedule again = CrawlSchedule::Decode(crawl.Encode(), FetchesADay(3)).value();
  EXPECT_EQ(again, crawl);
  Host other = host;
  std::vector<UrlSchedule> others = urls;
  for (std::size_t i = 0; i < urls.size(); ++i) {
    Visits(crawl, urls[i], host, "/a", 5, kDay, 3);
    Visits(again, others[i], other, "/a", 5, kDay, 3);
  }
  EXPECT_EQ(again.Encode(), crawl.Encode());
  EXPECT_EQ(others, urls);
  EXPECT_LE(crawl.Encode().size(), 1024U);
}

TEST(CrawlSchedule, DamagedBytesAreAnErrorOrAnotherCrawlAndNeverACrash) {
  CrawlSchedule crawl(FetchesADay(3));
  Host host;
  UrlSchedule url;
  Visits(crawl, url, host, "/a", 20, kDay, 2);
  const std::string bytes = crawl.Encode();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto decoded = CrawlSchedule::Decode(bytes.substr(0, size), FetchesADay(3));
    ASSERT_FALSE(decoded.has_value()) << size;
    EXPECT_EQ(decoded.error().code, ErrorCode::kCorruption);
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ 1 << bit);
      auto decoded = CrawlSchedule::Decode(damaged, FetchesADay(3));
      if (!decoded) continue;
      UrlSchedule again = url;
      Host other = host;
      Visits(*decoded, again, other, "/a", 1, kDay, 1);
    }
  }
  EXPECT_FALSE(CrawlSchedule::Decode(bytes + "x", FetchesADay(3)).has_value());
}

TEST(CrawlSchedule, FetchingWhatIsDueComesToTheConfiguredRate) {
  std::mt19937_64 random(12);
  constexpr std::size_t kUrls = 300;
  constexpr int kFetchesADay = 20;
  CrawlSchedule crawl(FetchesADay(kFetchesADay));
  std::vector<Host> hosts(30);
  std::vector<UrlSchedule> urls(kUrls);
  std::vector<double> rates;
  for (std::size_t i = 0; i < kUrls; ++i) {
    rates.push_back(1.0 / (2 << random() % 9));  // changes a day
  }
  int fetches = 0;
  constexpr int kDays = 300;
  for (int day = 0; day < kDays; ++day) {
    const Seconds now = kStart + static_cast<Seconds>(day) * kDay;
    for (std::size_t i = 0; i < kUrls; ++i) {
      Host& host = hosts[i % hosts.size()];
      const LogRate rate = RateOf(crawl, urls[i], host, "/a");
      if (crawl.NextFetch(urls[i], host.schedule, rate) > now) continue;
      const double elapsed = static_cast<double>(now - urls[i].last_visit) / kDay;
      const bool changed = std::bernoulli_distribution(-std::expm1(-rates[i] * elapsed))(random);
      Take(crawl, urls[i], host, "/a", Content(now, changed));
      if (day >= kDays / 2) ++fetches;
    }
  }
  EXPECT_NEAR(fetches / (kDays / 2.0), kFetchesADay, 0.15 * kFetchesADay);
}

}  // namespace
}  // namespace crawlsieve::schedule

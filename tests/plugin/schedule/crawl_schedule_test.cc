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

/// Visits `url` every `interval` and finds a change in one of `each` visits; none if that is 0.
void Visits(CrawlSchedule& crawl, UrlSchedule& url, HostSchedule& host, const std::string& pattern,
            int count, Seconds interval, int each) {
  for (int i = 1; i <= count; ++i) {
    crawl.Take(url, host, pattern,
               Content(std::max(url.last_visit, kStart) + interval, each > 0 && i % each == 0),
               IntervalBounds());
  }
}

TEST(CrawlSchedule, ANewUrlIsExpectedToChangeLikeItsPatternThenItsHostThenAll) {
  CrawlSchedule crawl(FetchesADay(10));
  HostSchedule busy;
  HostSchedule quiet;
  std::vector<UrlSchedule> urls(20);
  for (int i = 0; i < 10; ++i) {
    Visits(crawl, urls[i], busy, i % 2 == 0 ? "/news/*" : "/about/*", 50, kDay, i % 2 == 0 ? 1 : 0);
    Visits(crawl, urls[10 + i], quiet, "/x", 50, kDay, 0);
  }
  const UrlSchedule unknown;
  const HostSchedule nothing;
  const LogRate news = crawl.RateOf(unknown, busy, "/news/*");
  const LogRate of_host = crawl.RateOf(unknown, busy, "/other");
  const LogRate about = crawl.RateOf(unknown, busy, "/about/*");
  const LogRate still = crawl.RateOf(unknown, quiet, "/other");
  const LogRate of_crawl = crawl.RateOf(unknown, nothing, "/other");
  EXPECT_GT(news, of_host);
  EXPECT_GT(of_host, about);
  EXPECT_GT(of_host, of_crawl);
  EXPECT_GT(of_crawl, still);
}

TEST(CrawlSchedule, AUrlsOwnVisitsOutweighThoseOfItsHost) {
  CrawlSchedule crawl(FetchesADay(10));
  HostSchedule host;
  std::vector<UrlSchedule> others(10);
  for (UrlSchedule& other : others) Visits(crawl, other, host, "/a", 50, kDay, 0);
  UrlSchedule own;
  Visits(crawl, own, host, "/a", 60, kDay, 2);
  // Every second day a change is found: a mean time of 1 / ln 2 days.
  EXPECT_NEAR(MeanDays(crawl.RateOf(own, host, "/a")), 1.44, 0.4);
}

TEST(CrawlSchedule, AUrlThatIsAloneOnItsHostIsNotItsOwnPrior) {
  CrawlSchedule crawl(FetchesADay(1));
  HostSchedule host;
  UrlSchedule url;
  Visits(crawl, url, host, "/a", 3, 10 * kDay, 0);
  const HostSchedule nothing;
  // As if the host had shown nothing at all, but for what all URLs showed.
  EXPECT_NEAR(crawl.RateOf(url, host, "/a"), crawl.RateOf(url, nothing, "/a"), kLogOne / 20);
}

TEST(CrawlSchedule, WhatAUrlDoesNowCountsMoreThanWhatItDidLastYear) {
  CrawlSchedule crawl(FetchesADay(10));
  HostSchedule host;
  UrlSchedule woke_up;
  UrlSchedule fell_asleep;
  Visits(crawl, woke_up, host, "/a", 100, 3 * kDay, 0);
  Visits(crawl, woke_up, host, "/a", 10, 3 * kDay, 1);
  Visits(crawl, fell_asleep, host, "/a", 100, 3 * kDay, 1);
  Visits(crawl, fell_asleep, host, "/a", 10, 3 * kDay, 0);
  const auto rate_without_weeks = [&](UrlSchedule url) {
    url.weeks = {};
    return crawl.RateOf(url, host, "/a");
  };
  EXPECT_GT(crawl.RateOf(woke_up, host, "/a"), rate_without_weeks(woke_up) + kLogOne / 2);
  EXPECT_LT(crawl.RateOf(fell_asleep, host, "/a"), rate_without_weeks(fell_asleep) - kLogOne / 2);
}

TEST(CrawlSchedule, ScoresReachOneHalfAtTheNextFetchWhateverHappened) {
  std::mt19937_64 random(11);
  CrawlSchedule crawl(FetchesADay(5));
  std::map<int, HostSchedule> hosts;
  std::vector<UrlSchedule> urls(100);
  const IntervalBounds bounds;
  constexpr int kStatuses[] = {200, 200, 200, 200, 304, 302, 301, 404, 410, 500, 0};
  Seconds now = kStart;
  for (int i = 0; i < 20'000; ++i) {
    now += random() % 4'000;
    const std::size_t number = random() % urls.size();
    UrlSchedule& url = urls[number];
    HostSchedule& host = hosts[static_cast<int>(number % 7)];
    const std::string pattern = "/" + std::to_string(number % 5);
    const Fetch fetch{now - random() % 2 * kDay, ClassOfStatus(kStatuses[random() % 11]),
                      random() % 3 == 0, std::nullopt};
    (void)crawl.Take(url, host, pattern, fetch, bounds);
    const LogRate rate = crawl.RateOf(url, host, pattern);
    const Seconds next = crawl.NextFetch(url, host, rate, bounds);
    ASSERT_GE(crawl.ScoreAt(url, host, rate, bounds, next).ten_thousandths, kDue);
    if (next > 0) {
      ASSERT_LT(crawl.ScoreAt(url, host, rate, bounds, next - 1).ten_thousandths, kDue);
    }
    ASSERT_EQ(UrlSchedule::Decode(url.Encode()).value(), url);
  }
  std::uint64_t counted = 0;
  for (const UrlSchedule& url : urls) counted += url.bucket != UrlSchedule::kNoBucket ? 1 : 0;
  EXPECT_EQ(crawl.histogram().total(), counted) << "each URL once, and only while it is live";
}

TEST(CrawlSchedule, ALateCopyChangesNothing) {
  CrawlSchedule crawl(FetchesADay(10));
  HostSchedule host;
  UrlSchedule url;
  Visits(crawl, url, host, "/a", 5, kDay, 2);
  const UrlSchedule url_before = url;
  const HostSchedule host_before = host;
  const FetchOutcome outcome =
      crawl.Take(url, host, "/a", Content(url.last_visit - kDay, true), IntervalBounds());
  EXPECT_EQ(outcome.effect, FetchEffect::kOutdated);
  EXPECT_EQ(url, url_before);
  EXPECT_EQ(host, host_before);
}

TEST(CrawlSchedule, AFailingHostHoldsAllItsUrlsBack) {
  CrawlSchedule crawl(FetchesADay(10));
  HostSchedule host;
  UrlSchedule good;
  Visits(crawl, good, host, "/a", 1, kDay, 0);
  std::vector<UrlSchedule> failing(25);
  const Seconds now = kStart + 400 * kDay;
  for (UrlSchedule& url : failing) {
    crawl.Take(url, host, "/b", {now, FetchClass::kTemporaryFailure, false, {}}, IntervalBounds());
  }
  const LogRate rate = crawl.RateOf(good, host, "/a");
  EXPECT_EQ(crawl.NextFetch(good, host, rate, IntervalBounds()), now + 2 * 3'600);
  EXPECT_EQ(crawl.ScoreAt(good, host, rate, IntervalBounds(), now).ten_thousandths, 0U);
}

TEST(CrawlSchedule, FetchingWhatIsDueComesToTheConfiguredRate) {
  std::mt19937_64 random(12);
  constexpr std::size_t kUrls = 300;
  constexpr int kFetchesADay = 20;
  CrawlSchedule crawl(FetchesADay(kFetchesADay));
  std::vector<HostSchedule> hosts(30);
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
      HostSchedule& host = hosts[i % hosts.size()];
      const LogRate rate = crawl.RateOf(urls[i], host, "/a");
      if (crawl.NextFetch(urls[i], host, rate, IntervalBounds()) > now) continue;
      const double elapsed = static_cast<double>(now - urls[i].last_visit) / kDay;
      const bool changed = std::bernoulli_distribution(-std::expm1(-rates[i] * elapsed))(random);
      crawl.Take(urls[i], host, "/a", Content(now, changed), IntervalBounds());
      if (day >= kDays / 2) ++fetches;
    }
  }
  EXPECT_NEAR(fetches / (kDays / 2.0), kFetchesADay, 0.15 * kFetchesADay);
}

}  // namespace
}  // namespace crawlsieve::schedule

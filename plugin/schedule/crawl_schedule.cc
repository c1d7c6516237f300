#include "plugin/schedule/crawl_schedule.h"

#include <algorithm>

namespace crawlsieve::schedule {
namespace {

/// A bound on fetches that isn't from the URL's value: a retry, a 404, a pause of the host.
Seconds NotBefore(const UrlSchedule& url, const HostSchedule& host) {
  return std::max(url.not_before, host.paused_until());
}

bool HasRate(const UrlSchedule& url) { return url.state == UrlState::kLive && url.last_visit != 0; }

}  // namespace

CrawlSchedule::CrawlSchedule(const ScheduleOptions& options)
    : options_(options), threshold_(SolveThreshold(histogram_, options.goal, IntervalBounds())) {}

FetchOutcome CrawlSchedule::Take(UrlSchedule& url, HostSchedule& host, std::string_view pattern,
                                 const Fetch& fetch, const IntervalBounds& bounds) {
  FetchOutcome outcome = TakeFetch(url, fetch, options_.retry, options_.half_lives);
  if (outcome.effect == FetchEffect::kOutdated) return outcome;
  const bool is_failure =
      outcome.effect == FetchEffect::kRetry || outcome.effect == FetchEffect::kError;
  host.AddAnswer(fetch.time, is_failure, options_.retry);
  if (outcome.effect == FetchEffect::kUnchanged || outcome.effect == FetchEffect::kChanged) {
    const bool changed = outcome.effect == FetchEffect::kChanged;
    host.AddVisit(pattern, fetch.time, outcome.interval, changed, options_.half_lives.years);
    changes_.FadeTo(fetch.time, options_.half_lives.years);
    changes_.evidence.Add(outcome.interval, changed);
  }

  if (url.bucket != UrlSchedule::kNoBucket) histogram_.Remove(url.bucket);
  url.bucket = UrlSchedule::kNoBucket;
  if (HasRate(url)) {
    url.bucket = RateHistogram::BucketOf(RateOf(url, host, pattern));
    histogram_.Add(url.bucket);
  }
  SolveIfDue(bounds);
  return outcome;
}

LogRate CrawlSchedule::RateOf(const UrlSchedule& url, const HostSchedule& host,
                              std::string_view pattern) const {
  const auto others = [&](const FadingEvidence& all) {
    ChangeEvidence own = url.years;
    own.Fade(url.last_visit, all.as_of, options_.half_lives.years);
    return all.evidence.Without(own);
  };
  LogRate rate = RateOfMean(options_.usual_mean);
  rate = EstimateRate(changes_.evidence, rate, options_.crawl_weight);
  rate = EstimateRate(others(host.changes()), rate, options_.host_weight);
  if (const PatternSchedule* like = host.Find(pattern); like != nullptr) {
    rate = EstimateRate(others(like->changes), rate, options_.pattern_weight);
  }
  rate = EstimateRate(url.years, rate, options_.url_weight);
  return EstimateRate(url.weeks, rate, options_.weeks_weight);
}

Seconds CrawlSchedule::NextFetch(const UrlSchedule& url, const HostSchedule& host, LogRate rate,
                                 const IntervalBounds& bounds) const {
  const Seconds not_before = NotBefore(url, host);
  if (!HasRate(url)) return not_before;
  return std::max(url.last_visit + FetchInterval(rate, threshold_, bounds), not_before);
}

Score CrawlSchedule::ScoreAt(const UrlSchedule& url, const HostSchedule& host, LogRate rate,
                             const IntervalBounds& bounds, Seconds now) const {
  if (now < NotBefore(url, host)) return Score{0};
  if (!HasRate(url)) return Score{Score::kOne / 2};
  return ScoreOfFetch(rate, threshold_, bounds, now - std::min(now, url.last_visit));
}

void CrawlSchedule::SolveIfDue(const IntervalBounds& bounds) {
  if (++fetches_ < solve_at_) return;
  solve_at_ = fetches_ + std::min(fetches_, options_.solve_every);
  threshold_ = SolveThreshold(histogram_, options_.goal, bounds);
}

}  // namespace crawlsieve::schedule

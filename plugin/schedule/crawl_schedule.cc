#include "plugin/schedule/crawl_schedule.h"

#include "plugin/schedule/evidence_bytes.h"
#include "plugin/schedule/path_pattern.h"

#include <algorithm>
#include <utility>

namespace crawlsieve::schedule {
namespace {

constexpr std::uint64_t kFormat = 1;
constexpr std::size_t kValueBytes = 4;

/// A bound on fetches that isn't from the URL's value: a retry, a 404, a pause of the host.
Seconds NotBefore(const UrlSchedule& url, const HostSchedule& host) {
  return std::max(url.not_before, host.paused_until());
}

}  // namespace

IntervalBounds BoundsOf(const ScheduleOptions& options, std::string_view host,
                        std::string_view url) {
  std::optional<std::string> pattern;
  for (const ScheduleBounds& one : options.url_bounds) {
    if (!one.host.empty() && one.host != host) continue;
    if (!one.pattern.empty()) {
      if (!pattern.has_value()) pattern = PathPattern(url);
      if (one.pattern != *pattern) continue;
    }
    return {one.min_seconds, one.max_seconds};
  }
  return options.bounds;
}

CrawlSchedule::CrawlSchedule(const ScheduleOptions& options)
    : options_(options), threshold_(SolveThreshold(histogram_, options.goal, options.bounds)) {}

void CrawlSchedule::SetOptions(const ScheduleOptions& options) {
  if (options == options_) return;
  options_ = options;
  threshold_ = SolveThreshold(histogram_, options_.goal, options_.bounds);
}

TakenFetch CrawlSchedule::Take(UrlSchedule& url, HostSchedule& host, PatternSet& patterns,
                               std::string_view pattern, const Fetch& fetch) const {
  TakenFetch taken;
  taken.outcome = TakeFetch(url, fetch, options_.retry, options_.half_lives);
  const FetchEffect effect = taken.outcome.effect;
  CrawlChange& change = taken.change;
  change.old_bucket = change.new_bucket = url.bucket;
  if (effect != FetchEffect::kOutdated) {
    change.is_fetch = true;
    const bool failed = fetch.result != FetchClass::kUnreadable &&
                        (effect == FetchEffect::kRetry || effect == FetchEffect::kError);
    host.AddAnswer(fetch.time, failed, options_.retry);
    if (effect == FetchEffect::kUnchanged || effect == FetchEffect::kChanged) {
      const Seconds interval = taken.outcome.interval;
      const bool changed = effect == FetchEffect::kChanged;
      host.AddVisit(fetch.time, interval, changed, options_.half_lives.years);
      patterns.AddVisit(pattern, fetch.time, interval, changed, options_.half_lives.years);
      change.visit = {fetch.time, interval, changed};
    }
  }
  if (url.has_rate()) {
    taken.rate =
        RateStepsOf(url, host, patterns, pattern, ChangesWith(change.visit).evidence).weeks;
  }
  if (change.is_fetch) {
    url.bucket = url.has_rate() ? RateHistogram::BucketOf(taken.rate) : UrlSchedule::kNoBucket;
    change.new_bucket = url.bucket;
  }
  return taken;
}

CrawlChange CrawlSchedule::Forget(const UrlSchedule& url) {
  CrawlChange change;
  change.old_bucket = url.bucket;
  return change;
}

void CrawlSchedule::Add(const CrawlChange& change) {
  changes_ = ChangesWith(change.visit);
  if (change.old_bucket != change.new_bucket) {
    if (change.old_bucket != UrlSchedule::kNoBucket) histogram_.Remove(change.old_bucket);
    if (change.new_bucket != UrlSchedule::kNoBucket) histogram_.Add(change.new_bucket);
  }
  if (!change.is_fetch || ++fetches_ < solve_at_) return;
  solve_at_ = fetches_ + std::min(fetches_, options_.solve_every);
  threshold_ = SolveThreshold(histogram_, options_.goal, options_.bounds);
}

FadingEvidence CrawlSchedule::ChangesWith(const std::optional<CrawlChange::Visit>& visit) const {
  FadingEvidence changes = changes_;
  if (visit.has_value()) {
    changes.FadeTo(visit->time, options_.half_lives.years);
    changes.evidence.Add(visit->interval, visit->changed);
  }
  return changes;
}

RateSteps CrawlSchedule::RateStepsOf(const UrlSchedule& url, const HostSchedule& host,
                                     const PatternSet& patterns, std::string_view pattern) const {
  return RateStepsOf(url, host, patterns, pattern, changes_.evidence);
}

RateSteps CrawlSchedule::RateStepsOf(const UrlSchedule& url, const HostSchedule& host,
                                     const PatternSet& patterns, std::string_view pattern,
                                     const ChangeEvidence& of_crawl) const {
  const auto others = [&](const FadingEvidence& all) {
    ChangeEvidence own = url.years;
    own.Fade(url.last_visit, all.as_of, options_.half_lives.years);
    return all.evidence.Without(own);
  };
  RateSteps steps;
  steps.crawl = EstimateRate(of_crawl, RateOfMean(options_.usual_mean), options_.crawl_weight);
  steps.host = EstimateRate(others(host.changes()), steps.crawl, options_.host_weight);
  const PatternSchedule* const like = patterns.Find(pattern);
  steps.pattern = like == nullptr
                      ? steps.host
                      : EstimateRate(others(like->changes), steps.host, options_.pattern_weight);
  steps.years = EstimateRate(url.years, steps.pattern, options_.url_weight);
  steps.weeks = EstimateRate(url.weeks, steps.years, options_.weeks_weight);
  return steps;
}

Seconds CrawlSchedule::NextFetch(const UrlSchedule& url, const HostSchedule& host, LogRate rate,
                                 const IntervalBounds& bounds) const {
  const Seconds not_before = NotBefore(url, host);
  if (!url.has_rate()) return not_before;
  return std::max(url.last_visit + FetchInterval(rate, threshold_, bounds), not_before);
}

Score CrawlSchedule::ScoreAt(const UrlSchedule& url, const HostSchedule& host, LogRate rate,
                             Seconds now, const IntervalBounds& bounds) const {
  if (now < NotBefore(url, host)) return Score{0};
  if (!url.has_rate()) return Score{Score::kOne / 2};
  return ScoreOfFetch(rate, threshold_, bounds, now - std::min(now, url.last_visit));
}

std::string CrawlSchedule::Encode() const {
  ByteWriter out;
  out.Varint(kFormat);
  WriteEvidence(out, changes_);
  out.Varint(fetches_);
  out.Varint(solve_at_);
  out.Fixed(static_cast<std::uint32_t>(threshold_), kValueBytes);
  for (std::size_t i = 0; i < RateHistogram::kBuckets; ++i) {
    out.Varint(histogram_.count(static_cast<RateHistogram::Bucket>(i)));
  }
  return std::move(out).Take();
}

Result<CrawlSchedule> CrawlSchedule::Decode(std::string_view bytes,
                                            const ScheduleOptions& options) {
  const auto damaged = [](const char* what) {
    return MakeError(ErrorCode::kCorruption, std::string("schedule of the crawl: ") + what);
  };
  ByteReader in(bytes);
  if (in.Varint() != kFormat) return damaged("unknown format");
  CrawlSchedule crawl(options);
  crawl.changes_ = ReadEvidence(in);
  crawl.fetches_ = in.Varint();
  crawl.solve_at_ = in.Varint();
  crawl.threshold_ = static_cast<LogValue>(static_cast<std::uint32_t>(in.Fixed(kValueBytes)));
  for (std::size_t i = 0; i < RateHistogram::kBuckets; ++i) {
    crawl.histogram_.Set(static_cast<RateHistogram::Bucket>(i), in.Varint());
  }
  if (!in.ok() || !in.at_end()) return damaged("length");
  return crawl;
}

}  // namespace crawlsieve::schedule

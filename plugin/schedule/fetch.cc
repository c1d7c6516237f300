#include "plugin/schedule/fetch.h"

#include <algorithm>
#include <chrono>

namespace crawlsieve::schedule {
namespace {

FetchOutcome TakeVisit(UrlSchedule& url, const Fetch& fetch, const HalfLives& half_lives) {
  const bool is_back = url.state == UrlState::kGone || url.state == UrlState::kMissing;
  const Seconds before = url.last_visit;
  url.state = UrlState::kLive;
  url.failures = 0;
  url.not_before = 0;
  url.last_visit = fetch.time;
  if (before == 0) return {FetchEffect::kFirstVisit, 0, std::nullopt};
  // Content that comes back after an absence has changed twice at least.
  const bool changed = fetch.result != FetchClass::kNotModified && (fetch.changed || is_back);
  const Seconds interval = fetch.time - before;
  url.years.Fade(before, fetch.time, half_lives.years);
  url.weeks.Fade(before, fetch.time, half_lives.weeks);
  url.years.Add(interval, changed);
  url.weeks.Add(interval, changed);
  return {changed ? FetchEffect::kChanged : FetchEffect::kUnchanged, interval, std::nullopt};
}

FetchOutcome TakeFailure(UrlSchedule& url, const Fetch& fetch, const RetryOptions& retry) {
  if (url.failures < UrlSchedule::kMaxFailures) ++url.failures;
  const bool is_error = url.failures >= retry.error_after;
  const Seconds asked = std::min(fetch.retry_after.value_or(0), retry.longest_retry_after);
  const Seconds wait = std::max(
      is_error ? std::max(retry.error, retry.longest) : BackOff(retry, url.failures), asked);
  url.not_before = std::max(url.not_before, fetch.time + wait);
  return {is_error ? FetchEffect::kError : FetchEffect::kRetry, 0, std::nullopt};
}

FetchOutcome TakeGone(UrlSchedule& url, const Fetch& fetch, const RetryOptions& retry) {
  url.state = UrlState::kGone;
  url.failures = 0;
  url.not_before = fetch.time + retry.gone;
  return {FetchEffect::kGone, 0, std::nullopt};
}

FetchOutcome TakeNotFound(UrlSchedule& url, const Fetch& fetch, const RetryOptions& retry) {
  if (url.state == UrlState::kGone) return TakeGone(url, fetch, retry);
  if (url.state != UrlState::kMissing) {
    url.state = UrlState::kMissing;
    url.failures = 0;
    url.not_before = fetch.time + retry.gone_between;
    return {FetchEffect::kMissing, 0, std::nullopt};
  }
  // `not_before` is the first 404 and the time between, or later after failures in between.
  if (fetch.time < url.not_before) return {FetchEffect::kMissing, 0, std::nullopt};
  return TakeGone(url, fetch, retry);
}

FetchOutcome TakeMove(UrlSchedule& url, const Fetch& fetch, const RetryOptions& retry) {
  UrlSchedule history = url;
  url = UrlSchedule();
  url.bucket = history.bucket;
  url.state = UrlState::kMoved;
  url.not_before = fetch.time + retry.gone;
  history.bucket = UrlSchedule::kNoBucket;
  return {FetchEffect::kMoved, 0, history};
}

}  // namespace

Seconds BackOff(const RetryOptions& retry, std::uint32_t failures) {
  Seconds wait = retry.first;
  for (std::uint32_t i = 1; i < failures && wait < retry.longest; ++i) wait *= 2;
  return std::min(wait, retry.longest);
}

FetchClass ClassOfStatus(int status) {
  switch (status) {
    case 301:
    case 308:
      return FetchClass::kPermanentRedirect;
    case 302:
    case 303:
    case 307:
      return FetchClass::kTemporaryRedirect;
    case 304:
      return FetchClass::kNotModified;
    case 404:
      return FetchClass::kNotFound;
    case 410:
      return FetchClass::kGone;
    default:
      return status >= 200 && status <= 300 ? FetchClass::kContent : FetchClass::kTemporaryFailure;
  }
}

Seconds ClampedFetchTime(Timestamp fetched, Timestamp recorded) {
  constexpr std::chrono::hours kTolerance{24};
  // Compared as differences that can't overflow: the times may be any 64 bits.
  constexpr Timestamp kLatest{std::chrono::milliseconds{std::int64_t{1} << 50}};
  const Timestamp around = std::clamp(recorded, Timestamp{}, kLatest);
  const Timestamp time = recorded > Timestamp{}
                             ? std::clamp(fetched, around - kTolerance, around + kTolerance)
                             : std::clamp(fetched, Timestamp{}, kLatest);
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
  return static_cast<Seconds>(std::max<std::int64_t>(seconds, 1));
}

FetchOutcome TakeFetch(UrlSchedule& url, const Fetch& fetch, const RetryOptions& retry,
                       const HalfLives& half_lives) {
  if (fetch.time < url.last_visit) return {FetchEffect::kOutdated, 0, std::nullopt};
  FetchOutcome outcome;
  switch (fetch.result) {
    case FetchClass::kContent:
    case FetchClass::kNotModified:
    case FetchClass::kTemporaryRedirect:
      outcome = TakeVisit(url, fetch, half_lives);
      break;
    case FetchClass::kTemporaryFailure:
    case FetchClass::kUnreadable:
      outcome = TakeFailure(url, fetch, retry);
      break;
    case FetchClass::kNotFound:
      outcome = TakeNotFound(url, fetch, retry);
      break;
    case FetchClass::kGone:
      outcome = TakeGone(url, fetch, retry);
      break;
    case FetchClass::kPermanentRedirect:
      outcome = TakeMove(url, fetch, retry);
      break;
  }
  url.Fit();
  return outcome;
}

void AdoptHistory(UrlSchedule& target, const UrlSchedule& history) {
  if (target.last_visit != 0) return;
  target.last_visit = history.last_visit;
  target.years = history.years;
  target.weeks = history.weeks;
}

}  // namespace crawlsieve::schedule

#pragma once

#include "plugin/base/timestamp.h"
#include "plugin/schedule/url_schedule.h"

#include <cstdint>
#include <optional>

namespace crawlsieve::schedule {

/// What an HTTP status says about a URL's schedule.
enum class FetchClass {
  kContent,            ///< 200 and the other 2xx, 300
  kNotModified,        ///< 304
  kNotFound,           ///< 404
  kGone,               ///< 410
  kTemporaryFailure,   ///< 5xx, 429, no answer (status 0), and every other status
  kUnreadable,         ///< an answer whose content could not be evaluated
  kPermanentRedirect,  ///< 301, 308
  kTemporaryRedirect,  ///< 302, 303, 307
};

/// Takes any number. A status that no row of the table names (401, 403, 1xx, 999, ...) says nothing
/// about the content, so it is a temporary failure.
[[nodiscard]] FetchClass ClassOfStatus(int status);

/// A fetch time can't be trusted: it is moved to within a day of the time of its input record.
/// Never before the first second of 1970: 0 stands for "no visit". Arrival doesn't count: a record
/// that comes late keeps its fetch time. A record without a time (0 or below) moves nothing.
[[nodiscard]] Seconds ClampedFetchTime(Timestamp fetched, Timestamp recorded);

/// One fetch of a URL.
struct Fetch {
  Seconds time = 0;  ///< clamped
  FetchClass result = FetchClass::kContent;
  /// For kContent and kTemporaryRedirect: whether the content, or for a redirect the target, is
  /// another than at the visit before.
  bool changed = false;
  std::optional<Seconds> retry_after;  ///< the header Retry-After, as a time from the fetch on
};

/// When to try again what failed. Seconds.
struct RetryOptions {
  Seconds first = 2 * 3'600;  ///< after the first failure; twice as long after each further one,
  Seconds longest = 86'400;   ///< and this at most
  std::uint32_t error_after = 3;                       ///< so many failures in a row are an error,
  Seconds error = Seconds{7} * 86'400;                 ///< which is tried again after this time
  Seconds longest_retry_after = Seconds{30} * 86'400;  ///< Retry-After counts up to this
  Seconds gone_between = 86'400;                       ///< two 404 at least this far apart: gone
  Seconds gone = Seconds{90} * 86'400;                 ///< a URL that is gone, or has moved

  friend bool operator==(const RetryOptions&, const RetryOptions&) = default;
};

/// Time to the next attempt after `failures` failures in a row; at least one.
[[nodiscard]] Seconds BackOff(const RetryOptions& retry, std::uint32_t failures);

/// How long evidence of a URL lasts. Seconds.
struct HalfLives {
  Seconds years = Seconds{365} * 86'400;
  Seconds weeks = Seconds{30} * 86'400;

  friend bool operator==(const HalfLives&, const HalfLives&) = default;
};

enum class FetchEffect {
  kFirstVisit,  ///< content for the first time: nothing to compare
  kUnchanged,   ///< a visit that found the same content
  kChanged,     ///< a visit that found other content
  kOutdated,    ///< older than the latest visit: changes nothing
  kRetry,       ///< a temporary failure or an unreadable answer: says nothing about the content
  kError,       ///< `error_after` failures in a row
  kMissing,     ///< the first 404
  kGone,        ///< 410, or the second 404
  kMoved,       ///< a permanent redirect: `history` is the target's from now on
};

struct FetchOutcome {
  FetchEffect effect = FetchEffect::kFirstVisit;
  /// For kUnchanged and kChanged: time since the visit before. Counts for pattern, host and crawl.
  Seconds interval = 0;
  /// For kMoved: what was known of the source, for AdoptHistory. Nothing of it stays with the
  /// source.
  std::optional<UrlSchedule> history;
};

/// Takes one fetch into the URL's schedule. Pure: the table of docs/frontier.md, "What a status
/// says". The caller keeps `bucket` in step with its histogram.
[[nodiscard]] FetchOutcome TakeFetch(UrlSchedule& url, const Fetch& fetch,
                                     const RetryOptions& retry, const HalfLives& half_lives);

/// Gives the history of a URL that has moved to its target. A target with visits of its own keeps
/// its own: two histories of the same time would count each change twice.
void AdoptHistory(UrlSchedule& target, const UrlSchedule& history);

}  // namespace crawlsieve::schedule

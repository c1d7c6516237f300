#pragma once

#include "plugin/schedule/fading_evidence.h"
#include "plugin/schedule/fetch.h"
#include "plugin/schedule/host_schedule.h"
#include "plugin/schedule/threshold.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace crawlsieve::schedule {

/// How a crawl's fetches are scheduled. Weights count visits, in steps of 1 /
/// ChangeEvidence::kVisit: how many visits of its own outweigh what is expected of a URL, pattern
/// or host.
struct ScheduleOptions {
  ScheduleGoal goal;
  RetryOptions retry;
  HalfLives half_lives;
  /// Mean time between changes before anything is known, in seconds.
  Seconds usual_mean = Seconds{60} * 86'400;
  std::uint64_t crawl_weight = 512;    ///< of the usual mean against what all URLs showed
  std::uint64_t host_weight = 512;     ///< of the crawl against the host
  std::uint64_t pattern_weight = 512;  ///< of the host against the pattern
  std::uint64_t url_weight = 256;      ///< of the pattern against the URL
  std::uint64_t weeks_weight = 384;    ///< of the URL's years against its last weeks
  /// The threshold is solved again after this many fetches; twice as many each time up to here.
  std::uint64_t solve_every = 4'096;

  friend bool operator==(const ScheduleOptions&, const ScheduleOptions&) = default;
};

/// What is kept of the crawl as a whole, and the rules that join URL, pattern, host and crawl.
///
/// Every result is a function of the fetches in their order and the options. Thread-compatible.
class CrawlSchedule {
 public:
  explicit CrawlSchedule(const ScheduleOptions& options);

  /// Takes one fetch: updates the URL, its host and the crawl. `pattern` is the PathPattern of the
  /// URL. `bounds` are those of the host or pattern.
  FetchOutcome Take(UrlSchedule& url, HostSchedule& host, std::string_view pattern,
                    const Fetch& fetch, const IntervalBounds& bounds);

  /// How often the URL changes, by its own visits and those of URLs like it. What a URL itself
  /// showed is left out of what is expected of it.
  [[nodiscard]] LogRate RateOf(const UrlSchedule& url, const HostSchedule& host,
                               std::string_view pattern) const;

  /// When to fetch the URL again; 0 for a URL that was never fetched. Never before a pause of its
  /// host ends.
  [[nodiscard]] Seconds NextFetch(const UrlSchedule& url, const HostSchedule& host, LogRate rate,
                                  const IntervalBounds& bounds) const;

  /// How much the URL is due at `now`: at least 0.5 from NextFetch on, below it before. A URL that
  /// is gone, or waits for a retry, has 0 until then and 0.5 from then on.
  [[nodiscard]] Score ScoreAt(const UrlSchedule& url, const HostSchedule& host, LogRate rate,
                              const IntervalBounds& bounds, Seconds now) const;

  /// Value of a fetch from which on a URL is due.
  [[nodiscard]] LogValue threshold() const { return threshold_; }
  [[nodiscard]] const RateHistogram& histogram() const { return histogram_; }

 private:
  void SolveIfDue(const IntervalBounds& bounds);

  ScheduleOptions options_;
  FadingEvidence changes_;
  RateHistogram histogram_;
  LogValue threshold_;
  std::uint64_t fetches_ = 0;
  std::uint64_t solve_at_ = 16;
};

}  // namespace crawlsieve::schedule

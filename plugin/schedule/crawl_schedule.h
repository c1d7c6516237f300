#pragma once

#include "plugin/base/result.h"
#include "plugin/schedule/fading_evidence.h"
#include "plugin/schedule/fetch.h"
#include "plugin/schedule/host_schedule.h"
#include "plugin/schedule/pattern_set.h"
#include "plugin/schedule/threshold.h"
#include "plugin/verdict/parameters.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::schedule {

/// How a crawl's fetches are scheduled. Weights count visits, in steps of 1 /
/// ChangeEvidence::kVisit: how many visits of its own outweigh what is expected of a URL, pattern
/// or host.
struct ScheduleOptions {
  ScheduleGoal goal;
  IntervalBounds bounds;
  /// For some URLs, in the place of `bounds`. The threshold is solved as if there were none.
  std::vector<ScheduleBounds> url_bounds;
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

/// The bounds of a URL: those of the first of `url_bounds` that it is of, else the general ones.
/// `host`: as ScheduleBounds has it.
[[nodiscard]] IntervalBounds BoundsOf(const ScheduleOptions& options, std::string_view host,
                                      std::string_view url);

/// What a page adds to the sums of the crawl.
struct CrawlChange {
  struct Visit {
    Seconds time = 0;
    Seconds interval = 0;
    bool changed = false;
  };

  bool is_fetch = false;                             ///< counts towards the next solution
  std::optional<Visit> visit;                        ///< found the content changed, or not
  std::uint8_t old_bucket = UrlSchedule::kNoBucket;  ///< where the URL was counted
  std::uint8_t new_bucket = UrlSchedule::kNoBucket;  ///< where it is to be counted
};

struct TakenFetch {
  FetchOutcome outcome;
  CrawlChange change;
  LogRate rate = 0;  ///< RateOf the URL behind the fetch
};

/// How a URL's change rate comes about: each step starts from the one before.
struct RateSteps {
  LogRate crawl = 0;
  LogRate host = 0;
  LogRate pattern = 0;
  LogRate years = 0;  ///< with the URL's own visits
  LogRate weeks = 0;  ///< with its latest ones: what counts
};

/// What is kept of the crawl as a whole, and the rules that join URL, pattern, host and crawl.
///
/// Every result is a function of the fetches in their order and the options. Thread-compatible.
class CrawlSchedule {
 public:
  explicit CrawlSchedule(const ScheduleOptions& options);

  /// Goes on by other options. The threshold is solved again at once if they differ.
  void SetOptions(const ScheduleOptions& options);

  /// Takes one fetch into the URL, its host and, if it was a visit, its pattern. `patterns` is the
  /// set that `pattern`, the PathPattern of the URL, belongs to. The crawl stays as it is until
  /// Add. A fetch that is outdated changes nothing.
  [[nodiscard]] TakenFetch Take(UrlSchedule& url, HostSchedule& host, PatternSet& patterns,
                                std::string_view pattern, const Fetch& fetch) const;

  /// What a URL that is deleted takes out of the sums.
  [[nodiscard]] static CrawlChange Forget(const UrlSchedule& url);

  /// Adds what a page changed. Solves the threshold when it is time.
  void Add(const CrawlChange& change);

  /// How often the URL changes, by its own visits and those of URLs like it. What a URL itself
  /// showed is left out of what is expected of it.
  [[nodiscard]] LogRate RateOf(const UrlSchedule& url, const HostSchedule& host,
                               const PatternSet& patterns, std::string_view pattern) const {
    return RateStepsOf(url, host, patterns, pattern).weeks;
  }
  [[nodiscard]] RateSteps RateStepsOf(const UrlSchedule& url, const HostSchedule& host,
                                      const PatternSet& patterns, std::string_view pattern) const;

  /// When to fetch the URL again; 0 for a URL that was never fetched. Never before a pause of its
  /// host ends.
  [[nodiscard]] Seconds NextFetch(const UrlSchedule& url, const HostSchedule& host, LogRate rate,
                                  const IntervalBounds& bounds) const;
  [[nodiscard]] Seconds NextFetch(const UrlSchedule& url, const HostSchedule& host,
                                  LogRate rate) const {
    return NextFetch(url, host, rate, options_.bounds);
  }

  /// How much the URL is due at `now`: at least 0.5 from NextFetch on, below it before. A URL that
  /// is gone, or waits for a retry, has 0 until then and 0.5 from then on.
  [[nodiscard]] Score ScoreAt(const UrlSchedule& url, const HostSchedule& host, LogRate rate,
                              Seconds now, const IntervalBounds& bounds) const;
  [[nodiscard]] Score ScoreAt(const UrlSchedule& url, const HostSchedule& host, LogRate rate,
                              Seconds now) const {
    return ScoreAt(url, host, rate, now, options_.bounds);
  }

  [[nodiscard]] const ScheduleOptions& options() const { return options_; }
  /// Value of a fetch from which on a URL is due.
  [[nodiscard]] LogValue threshold() const { return threshold_; }
  [[nodiscard]] const RateHistogram& histogram() const { return histogram_; }

  /// All but the options.
  [[nodiscard]] std::string Encode() const;
  /// Errors: kCorruption for bytes that Encode never writes.
  [[nodiscard]] static Result<CrawlSchedule> Decode(std::string_view bytes,
                                                    const ScheduleOptions& options);

  friend bool operator==(const CrawlSchedule&, const CrawlSchedule&) = default;

 private:
  [[nodiscard]] RateSteps RateStepsOf(const UrlSchedule& url, const HostSchedule& host,
                                      const PatternSet& patterns, std::string_view pattern,
                                      const ChangeEvidence& of_crawl) const;
  [[nodiscard]] FadingEvidence ChangesWith(const std::optional<CrawlChange::Visit>& visit) const;

  ScheduleOptions options_;
  FadingEvidence changes_;
  RateHistogram histogram_;
  LogValue threshold_;
  std::uint64_t fetches_ = 0;
  std::uint64_t solve_at_ = 16;
};

}  // namespace crawlsieve::schedule

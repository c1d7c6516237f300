#pragma once

#include "plugin/base/result.h"
#include "plugin/base/timestamp.h"
#include "plugin/judge/fold_progress.h"
#include "plugin/judge/state_view.h"
#include "plugin/judge/stored_schedules.h"
#include "plugin/judge/view.h"
#include "plugin/schedule/crawl_schedule.h"
#include "plugin/score/url_score.h"
#include "plugin/site/site.h"
#include "plugin/verdict/reason.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve {

/// A live, kept version of a page.
struct KeptVersion {
  std::uint64_t sequence = 0;  ///< of the entry that brought it
  std::string url;             ///< canonical
  std::string id;
  Timestamp first_seen;
  std::uint64_t cluster_size = 0;  ///< how often a URL came to have the content
  std::uint32_t features = 0;      ///< distinct ones of the text; 0: it isn't text
};

/// What a URL's fetches came to.
struct UrlHistory {
  std::uint64_t fetches = 0;  ///< that had content, or said that it is the same
  std::uint64_t changes = 0;  ///< of these, with other content than the one before
  /// What the last verdict can have been: verdicts aren't part of the state. Empty: nothing says.
  std::vector<Reason> last_reasons;
  /// The history may be that of a URL that redirects here, and the URL not fetched yet.
  bool may_be_adopted = false;
  std::optional<KeptVersion> kept;     ///< of the URL itself
  std::optional<KeptVersion> repeats;  ///< of another URL, whose content it had
  bool repeats_exactly = false;        ///< the same content checksum; else near
  bool repeats_retired = false;        ///< what it repeated isn't kept any more
};

/// What the next fetch rests on.
struct ScheduleEvidence {
  schedule::UrlSchedule url;
  std::string pattern;               ///< of the path
  std::uint64_t pattern_visits = 0;  ///< of URLs of the host with that pattern; 0: none is known
  std::optional<schedule::RateSteps> rates;  ///< nullopt: no change rate counts
  schedule::Seconds host_paused_until = 0;   ///< 0: it doesn't pause
  StoredScore score;
};

/// What is learned of the URL's site says about a URL like this.
struct SiteEvidence {
  std::string name;
  bool is_known = false;  ///< anything was learned of the site
  site::UrlPatterns patterns;
  site::FetchCounts of_site;
  site::FetchCounts of_shape;
  site::FetchCounts of_pattern;
  site::FetchCounts of_folder;
  site::Expected average;  ///< of a fetch of the crawl
  site::ExpectedSteps steps;
  bool is_explored = false;
  site::Advice advice;                ///< were the URL not fetched
  std::optional<site::UrlRule> rule;  ///< where the advice's ground is one
};

/// Why a URL has its score.
struct UrlExplanation {
  std::string url;  ///< canonical
  std::string crawl_id;
  std::uint64_t sequence = 0;         ///< of the state's last entry
  std::optional<UrlHistory> history;  ///< nullopt: it was never fetched
  std::uint64_t host_pages = 0;
  std::uint64_t host_duplicates = 0;
  std::optional<ScheduleEvidence> schedule;
  std::optional<SiteEvidence> site;  ///< nullopt: the URL has no host
  /// As a frontier takes it, but for the registered domain; nullopt: the URL was last fetched under
  /// fold version 5 or before, and has no date.
  std::optional<UrlScore> score;
};

/// Which URL is to be explained, and when.
struct ExplainedUrl {
  std::string url;               ///< canonical
  std::uint32_t path_depth = 0;  ///< for the chance of a URL that was never fetched
  std::string crawl_id;          ///< counts where crawls have URLs of their own
  Timestamp now;                 ///< not before 1970
};

/// Errors: kIo, kCorruption.
[[nodiscard]] Result<UrlExplanation> Explain(const ExplainedUrl& asked,
                                             const FoldProgress& progress, RowReader& rows);

/// The crawls that have a history of the URL, in byte order, the first `most` of them; empty where
/// crawls share URLs. Errors: kIo, kCorruption.
[[nodiscard]] Result<std::vector<std::string>> CrawlsThatKnow(const std::string& url,
                                                              std::size_t most, StateView& state);

}  // namespace crawlsieve

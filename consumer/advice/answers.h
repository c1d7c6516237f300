#pragma once

#include "extract/url/options.h"
#include "plugin/base/result.h"
#include "plugin/base/timestamp.h"
#include "plugin/judge/due_urls.h"
#include "plugin/judge/state_view.h"
#include "plugin/score/url_score.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

// What people and frontiers ask a judge's state, by commands and over HTTP. Pure functions of
// question and state. Errors of all: kInvalidInput where the question is wrong, or nothing is known
// of what it asks for; those of the state. Text of pages that comes with an error is escaped.

/// A time of 1970 or later in RFC 3339, or "now", which is `now`.
[[nodiscard]] Result<Timestamp> TimeAsked(const std::string& text, Timestamp now);

/// The host that is meant by a host as people write it, or by a URL.
[[nodiscard]] Result<std::string> HostAsked(const std::string& text);

/// How an answer is written: as JSON on one line, or as text for people.
enum class AnswerForm { kJson, kText };

/// What was learned of a site: docs/schemas/site.schema.json. `host`: with its port if it has one,
/// or a URL.
[[nodiscard]] Result<std::string> AnswerSite(const std::string& host, AnswerForm form,
                                             StateView& state);

struct ExplainQuestion {
  std::string url;                   ///< in any spelling
  std::optional<std::string> crawl;  ///< where each has URLs of its own
  Timestamp at;
};

/// Why a URL has its score and its last verdict: docs/schemas/explanation.schema.json.
[[nodiscard]] Result<std::string> AnswerExplain(const ExplainQuestion& question,
                                                const extract::UrlOptions& urls, AnswerForm form,
                                                StateView& state);

/// Gives each URL that is due to `take` as frontiers take it, with its registered domain, as
/// ForEachDue does.
[[nodiscard]] Result<DueCounts> ForEachDueScore(StateView& state, const DueOptions& options,
                                                const std::function<Status(UrlScore&&)>& take);

struct DueQuestion {
  static constexpr std::size_t kMostDue = 1'000;
  static constexpr std::size_t kMostUrls = 50'000;

  Timestamp before;
  std::string host;              ///< empty: all
  std::string after;             ///< `next` of the answer before; empty: from the first on
  std::size_t limit = kMostDue;  ///< of the answer's scores; 1 to kMostDue
  /// Whether it is time to stop. At least one URL is looked at.
  std::function<bool()> is_late = {};
};

/// A page of the URLs that are due, in the order of the URLs:
///
///     {"sequence": of the state, "urls": looked at, "due": of them, "without_schedule": of them,
///      "next": text for DueQuestion::after, or null at the end,
///      "scores": [docs/schemas/url_score.schema.json, ...]}
///
/// Looks at kMostUrls of them at most, and ends behind 2 MiB.
[[nodiscard]] Result<std::string> AnswerDue(const DueQuestion& question, StateView& state);

struct ScoresQuestion {
  static constexpr std::size_t kMostUrls = 500;

  /// Each as the value of a record of the topic of asked URLs.
  std::vector<std::string> urls;
  Timestamp as_of;  ///< where a URL has no time of its own
  /// Whether it takes too long.
  std::function<bool()> is_late = {};
};

/// The scores of URLs, in their order: {"sequence": of the state, "scores": [...]}. Error besides:
/// kBusy: it took too long.
[[nodiscard]] Result<std::string> AnswerScores(const ScoresQuestion& question,
                                               const extract::UrlOptions& urls, StateView& state);

}  // namespace crawlsieve::consumer

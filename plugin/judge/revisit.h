#pragma once

#include "plugin/base/result.h"
#include "plugin/judge/finding.h"
#include "plugin/judge/rows.h"
#include "plugin/log/entry.pb.h"
#include "plugin/schedule/url_schedule.h"
#include "plugin/verdict/parameters.h"

#include <optional>
#include <string>
#include <string_view>

namespace crawlsieve {

/// The first and the last of the visits, one after the other, that had the content which a URL's
/// row is of: their fetch times as the crawler gave them, never 0. Value type.
struct ShownTimes {
  schedule::Seconds first = 0;
  schedule::Seconds last = 0;

  /// `last_visit`: of the URL's schedule.
  [[nodiscard]] static ShownTimes Of(const state::Url& url, schedule::Seconds last_visit);
  void WriteTo(state::Url& url, schedule::Seconds last_visit) const;
};

/// When the page was fetched, as ShownTimes have it.
[[nodiscard]] schedule::Seconds ShownAt(const log::Page& page);

/// The row of the URL that a page of outcome REVISIT refers to; nullopt: the page's own.
[[nodiscard]] std::optional<std::string> RevisitedKey(const log::Page& page, Scope scope);

/// What a page without a body was found to be.
struct RevisitFinding {
  Finding finding;               ///< kNotEvaluated: nothing is known of what it refers to
  std::string content_checksum;  ///< of the page's content, where it is known
};

/// What is known of the page's own URL.
struct RevisitingUrl {
  const state::Url& record;
  ShownTimes shown;
  const std::optional<DocumentRow>& own;  ///< its live kept version
};

/// Finds what a page of outcome REVISIT repeats: docs/verdicts.md, "Revisit records". Nothing
/// counts but a fetch that was judged itself, known by its URL and its time. Reads rows alone, no
/// candidates. Errors: those of `rows`.
[[nodiscard]] Result<RevisitFinding> FindRevisited(const log::Page& page, const RevisitingUrl& url,
                                                   const JudgeParameters& parameters,
                                                   RowReader& rows);

}  // namespace crawlsieve

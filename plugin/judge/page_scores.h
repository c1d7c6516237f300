#pragma once

#include "plugin/base/result.h"
#include "plugin/judge/known_sites.h"
#include "plugin/judge/view.h"
#include "plugin/log/entry.pb.h"
#include "plugin/score/url_score.h"
#include "plugin/site/share.h"
#include "plugin/verdict/parameters.h"
#include "plugin/verdict/verdict.h"

#include <vector>

namespace crawlsieve {

/// What scores of a page's URLs are made of besides the page.
struct ScoreContext {
  const JudgeParameters& parameters;
  /// The chance that a fetch of the crawl brings something new.
  site::Share average = 0;
  KnownSites& sites;
  RowReader& rows;  ///< the state as it is behind the page
};

/// Scores of the page's own URL and of the URLs it links to that were never fetched, as of the
/// fetch of the page; docs/frontier.md. None for pages that change nothing: outdated ones.
///
/// A function of the log up to the page. It reads the state and changes nothing of it, so whoever
/// needs no scores does without. Errors: kIo, kCorruption, also for links that no extract process
/// writes.
[[nodiscard]] Result<std::vector<UrlScore>> ScoresOf(const log::Page& page, const Verdict& verdict,
                                                     const ScoreContext& context);

}  // namespace crawlsieve

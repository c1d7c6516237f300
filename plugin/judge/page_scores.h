#pragma once

#include "plugin/base/result.h"
#include "plugin/judge/known_sites.h"
#include "plugin/judge/view.h"
#include "plugin/log/entry.pb.h"
#include "plugin/score/url_score.h"
#include "plugin/site/share.h"
#include "plugin/site/site.h"
#include "plugin/verdict/parameters.h"
#include "plugin/verdict/verdict.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace crawlsieve {

/// What scores of a page's URLs are made of besides the page.
struct ScoreContext {
  const JudgeParameters& parameters;
  std::uint32_t fold_version;
  site::Expected average;  ///< of a fetch of the crawl
  KnownSites& sites;
  RowReader& rows;  ///< the state as it is behind the page
};

/// A share in the steps of a score, rounded down.
[[nodiscard]] Score ScoreOfShare(site::Share share);

[[nodiscard]] ScoreAction ActionOf(site::Action action);

/// Puts what is advised of a URL that was never fetched into its score: how soon, what to do and
/// why. `average`: as in ScoreContext.
void SetAdvice(site::Advice&& advice, const site::Expected& average, UrlScore& score);

/// Scores of the page's own URL and of the URLs it links to that were never fetched, as of the
/// fetch of the page; docs/frontier.md. None for pages that change nothing: outdated ones.
///
/// A function of the log up to the page. It reads the state and changes nothing of it, so whoever
/// needs no scores does without. Errors: kIo, kCorruption, also for links that no extract process
/// writes.
[[nodiscard]] Result<std::vector<UrlScore>> ScoresOf(const log::Page& page, const Verdict& verdict,
                                                     const ScoreContext& context);

/// Bytes of memory that ScoresOf gives at most, about, as far as that is known before the links are
/// unpacked. Each link takes a packed byte at least, and each score repeats the URL of the page.
[[nodiscard]] std::size_t MostScoreBytes(const log::Page& page);

}  // namespace crawlsieve

#pragma once

#include "consumer/output/scores/rendering.h"

namespace crawlsieve::consumer {

/// For Nutch's injector: a line of a seed file, URL and score with a tab between. Key = URL.
///
/// Read in: apache/nutch, Injector.
///
/// Direction: the generator takes the highest score first.
/// Range: 0 to 1, in decimal.
/// Actions: schedule and probe are lines, a rewrite is a line for the URL to fetch, suppress is
/// none. What isn't due is left out: an injected URL is due at once.
/// Frontier ahead of the verdict: a URL that the CrawlDb knows keeps its status and date. With
/// `db.injector.update` it gets the score, without it the line is ignored.
/// Can't be said: dates, suppress (a URL filter can), components, depth, parent, crawl, reason.
/// `nutch.fetchInterval` is left to Nutch: the record has a date, not an interval. So a fetched
/// URL is not fetched earlier than Nutch's own schedule has it.
[[nodiscard]] RenderedScores RenderForNutch(const UrlScore& record);

}  // namespace crawlsieve::consumer

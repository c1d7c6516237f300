#pragma once

#include "consumer/output/scores/rendering.h"

namespace crawlsieve::consumer {

/// For Browsertrix Crawler: a command to the Redis that holds the crawl's queue, in Redis'
/// protocol, as `redis-cli --pipe` takes it. Key = URL.
///
/// Read in: webrecorder/browsertrix-crawler, src/util/state.ts.
///
/// Direction: the queue `ID:q` is a sorted set, and the lowest score is taken first.
/// Range: 10 down to 0 for scores of 0 to 1: 10 (1 - score). Browsertrix's own pages have their
/// depth there, so a score of 0.5 counts as five links from a seed.
/// Actions: schedule and probe queue the URL, if the set of seen URLs `ID:s` doesn't have it;
/// suppress puts it into that set, so that it is never queued; a rewrite does both. What isn't due,
/// or was fetched, is left out: a crawl fetches nothing twice.
/// Frontier ahead of the verdict: a URL that Browsertrix has seen stays as it is, queued or
/// fetched. So links that the crawler queues itself keep the crawler's order; suppress comes too
/// late for them.
/// Can't be said: dates, components, reason, parent. The crawl's id is that of Browsertrix
/// (`--crawlId`); records without one, or with a `{` in it, are left out. The page counts as found
/// from the first seed (`seedId` 0), whose scope Browsertrix checks.
[[nodiscard]] RenderedScores RenderForBrowsertrix(const UrlScore& record);

}  // namespace crawlsieve::consumer

#pragma once

#include "consumer/output/scores/rendering.h"

namespace crawlsieve::consumer {

/// For URLFrontier: items of its call PutURLs, as Protocol Buffers or as their JSON. Key = URL.
///
/// Read in: crawler-commons/url-frontier, API/urlfrontier.proto.
///
/// Direction: URLFrontier has no score. A queue is ordered by date, then URL: the earlier date is
/// sooner, and a URL whose date is in the future isn't given out.
/// Range: FetchDate, 1 up to the end of the year 9999, in seconds. 0 means never.
/// Actions: schedule and probe are `known` items with that date. Suppress is a `known` item with
/// date 0. A rewrite is the same for the URL, and a `discovered` item for the one to fetch, which
/// the frontier skips if it knows it.
/// Frontier ahead of the verdict: a `known` item overwrites the date. If the crawler fetched the
/// URL after the verdict's log entry, the URL is fetched once more before the crawler's own next
/// update counts. After a suppress it stays out until a later record.
/// Can't be said: components, last status, depth, parent. Score and reason are in the metadata,
/// where they decide nothing; `discovered` items have no date, so the score of a rewrite's target
/// doesn't count. The queue is the host; a deployment with queues by domain or address needs
/// another key.
[[nodiscard]] RenderedScores RenderForUrlFrontier(const UrlScore& record);
[[nodiscard]] RenderedScores RenderForUrlFrontierJson(const UrlScore& record);

}  // namespace crawlsieve::consumer

#pragma once

#include "consumer/output/scores/rendering.h"

namespace crawlsieve::consumer {

/// For scrapy-cluster: a crawl request in JSON for the topic `{prefix}.incoming`. Key = URL.
///
/// Read in: istresearch/scrapy-cluster, scraper_schema.json and scraper_handler.py of
/// kafka-monitor/plugins.
///
/// Direction: the highest priority first.
/// Range: 1 to 100: 1 + score x 99, rounded down.
/// Actions: schedule and probe are requests, a rewrite is a request for the URL to fetch, suppress
/// is none. What isn't due is left out: a request is due at once.
/// Frontier ahead of the verdict: the spiders' duplicate filter drops a URL that the crawl has
/// seen, until SCHEDULER_... expire the filter; a fetched URL needs a crawl of its own to be
/// fetched again.
/// Can't be said: dates, suppress, components. `maxdepth` is left at 0, so the spider doesn't
/// follow links by itself: those come as scores of their own. The crawl's id is `crawlid`, or
/// "crawlsieve" if the record has none; one of more than 40 characters doesn't fit the schema, and
/// such records are left out. Score, reason, depth and parent are in `attrs`.
[[nodiscard]] RenderedScores RenderForScrapyCluster(const UrlScore& record);

}  // namespace crawlsieve::consumer

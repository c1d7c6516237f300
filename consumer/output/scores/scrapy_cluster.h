#pragma once

#include "consumer/output/scores/rendering.h"

namespace crawlsieve::consumer {

/// For scrapy-cluster: a crawl request in JSON for the topic `{prefix}.incoming`. Key = URL.
///
/// Read in: istresearch/scrapy-cluster, scraper_schema.json and scraper_handler.py of
/// kafka-monitor/plugins, distributed_scheduler.py of crawler/crawling.
///
/// Direction: the highest priority first, in the queue of each registered domain.
/// Range: 1 to 100: 1 + score x 99, rounded down.
/// Actions: schedule and probe are requests, a rewrite is a request for the URL to fetch, suppress
/// is none. What isn't due is left out: a request is due at once.
/// Frontier ahead of the verdict: the duplicate filter is asked about links of spiders, not about
/// requests of the topic. So the URL is fetched once more.
/// Can't be said: dates, suppress, components. `maxdepth` is left at 0, so the spider doesn't
/// follow links by itself: those come as scores of their own. The crawl's id is `crawlid`, or
/// "crawlsieve" if the record has none; one of more than 40 characters doesn't fit the schema, and
/// such records are left out. Score, reason, depth and parent are in `attrs`.
[[nodiscard]] RenderedScores RenderForScrapyCluster(const UrlScore& record);

}  // namespace crawlsieve::consumer

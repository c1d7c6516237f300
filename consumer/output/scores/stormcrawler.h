#pragma once

#include "consumer/output/scores/rendering.h"

namespace crawlsieve::consumer {

/// For StormCrawler's status index in OpenSearch or Elasticsearch: the two lines of one item of a
/// `_bulk` request. Key = the document's id, SHA-256 of the URL in hexadecimal digits.
///
/// Read in: apache/stormcrawler, AbstractStatusUpdaterBolt of core; StatusUpdaterBolt and
/// AggregationSpout of external/opensearch.
///
/// Direction: the spout asks for documents with a `nextFetchDate` up to now and takes those with
/// the earliest date of each key first. A document without a date is never taken.
/// Range: FetchDate as a time, up to the year 9999.
/// Actions: schedule and probe update the date of the document, or create it: DISCOVERED if it was
/// never fetched, else by the last status. Suppress sets the date to null. A rewrite does the same,
/// names the other URL in metadata `_redirTo`, and creates a document DISCOVERED for that URL if
/// there is none.
/// Frontier ahead of the verdict: an update touches `nextFetchDate` and our metadata alone, so the
/// topology's status, signature and error count stay. But the date is overwritten: a URL that was
/// fetched after the verdict's log entry is fetched once more.
/// Can't be said: components, sequence. Score and reason are in the metadata `crawlsieveScore` and
/// `crawlsieveReason`, which the topology keeps only if `metadata.persist` names them.
/// The key is the host, as `partition.url.mode: byHost` has it, and routes the document, as
/// StormCrawler's sample configuration has it.
[[nodiscard]] RenderedScores RenderForStormCrawler(const UrlScore& record);

}  // namespace crawlsieve::consumer

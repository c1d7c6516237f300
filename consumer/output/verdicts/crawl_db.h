#pragma once

#include "consumer/output/verdicts/verdict_format.h"

#include <string>

namespace crawlsieve::consumer {

/// A record of crawl_fetch, the part of a Nutch segment that `updatedb` takes into the CrawlDb:
/// URLs that are gone as fetched in vain, duplicates as db_duplicate. Others have none, because
/// Nutch knows better what it fetched.
///
/// The CrawlDb takes the later one of two dates of next fetch. A duplicate's is 91 days after the
/// fetch, or later: a day more than Nutch waits at most (db.fetch.interval.max).
[[nodiscard]] RenderedVerdict RenderCrawlDatum(const VerdictFacts& verdict);

/// What the file begins with: a SequenceFile of Text and CrawlDatum.
[[nodiscard]] std::string CrawlDatumFileHead();

}  // namespace crawlsieve::consumer

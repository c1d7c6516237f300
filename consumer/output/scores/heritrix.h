#pragma once

#include "consumer/output/scores/rendering.h"

#include <cstdint>

namespace crawlsieve::consumer {

/// For Heritrix with the UK Web Archive's Kafka receiver: a crawl request in JSON, for the topic
/// `uris.tocrawl`. Key = MurmurHash3 of the URL's authority, as that project's own requests have
/// it, so that a host's URLs go to one crawler.
///
/// Read in: ukwa/ukwa-heritrix, KafkaUrlReceiver and KafkaKeyedCrawlLogFeed; Hop of Heritrix.
///
/// Direction: Heritrix has no score. A request whose hop is `E` gets scheduling directive HIGH and
/// precedence 1, before all with the hop `L`.
/// Range: two classes: `E` from a score of 0.75 on, `L` below.
/// Actions: schedule and probe are requests, a rewrite is a request for the URL to fetch, suppress
/// is none. The receiver could block with a sheet (`blockAll`), but sheets hold for every URL that
/// begins like the one given, `?id=10` with `?id=1`: too much for advice about one URL. What isn't
/// due is left out: a request is due at once.
/// Frontier ahead of the verdict: a URL that was never fetched as of the record comes without
/// `forceFetch`, so the crawler's filter of seen URLs drops it. A fetched one comes with it, and is
/// fetched once more.
/// Can't be said: dates, order within a class, suppress, components, crawl, reason. Hops `E` count
/// as embedded objects: a scope that takes those from other hosts takes this URL too. The path from
/// the seed is made up of as many `L` as the depth says, 50 at most.
[[nodiscard]] RenderedScores RenderForHeritrix(const UrlScore& record);

/// MurmurHash3_x86_32 with seed 0 (Appleby, public domain), as 8 hexadecimal digits of its bytes,
/// least significant first.
[[nodiscard]] std::string Murmur3Hex(std::string_view bytes);

}  // namespace crawlsieve::consumer

#pragma once

#include "consumer/output/scores/rendering.h"

namespace crawlsieve::consumer {

/// For Frontera: a message `update_score` of the topic `frontier-score`, in MessagePack.
/// Key = fingerprint of the URL.
///
/// Read in: frontera 0.8.1 (PyPI), contrib/backends/remote/codecs/msgpack.py,
/// worker/components/scoring_consumer.py, the queues of contrib/backends, utils/fingerprint.py.
///
/// Direction: with the HBase queue the highest score first. The SQLAlchemy queue of that version
/// sorts scores ascending, so it takes the lowest first: don't use this rendering with it.
/// Range: 0 to 1; the HBase queue raises on anything else.
/// Actions: schedule and probe are messages with `schedule` true, a rewrite is one for the URL to
/// fetch, suppress is none: a message with `schedule` false changes nothing in the queue. What
/// isn't due is left out, because the queue gives out what it has, whatever its date.
/// Frontier ahead of the verdict: the URL is queued again, and fetched once more.
/// Can't be said: dates, suppress, components, depth, parent, crawl, reason. The meta data has what
/// the queue needs: `fingerprint`, the SHA-1 of the URL as w3lib 1.22 canonicalises it, and
/// `domain`, by host name. A deployment with another URL_FINGERPRINT_FUNCTION, or with
/// TLDEXTRACT_DOMAIN_INFO, needs other ones.
[[nodiscard]] RenderedScores RenderForFrontera(const UrlScore& record);

/// A renderable URL as canonicalize_url of w3lib 1.22 (PyPI) has it: arguments of the query sorted,
/// path and query unescaped and escaped again.
[[nodiscard]] std::string W3libCanonicalUrl(std::string_view url);

}  // namespace crawlsieve::consumer

#pragma once

#include "consumer/claims/stored_body.h"
#include "consumer/input/formats/body_ref.h"
#include "consumer/input/formats/input_format.h"
#include "extract/page.h"

namespace crawlsieve::consumer {

/// The page with its body.
///
/// Of a WARC record status, content type, Location, Retry-After and fetch time are the record's
/// own; URLs, id, crawl and attrs are those that the claim brought. A body that lies by itself has
/// what the claim says.
///
/// A reference may lead astray, so there must be evidence that the record is the page's: it has the
/// claim's URL or final URL as WARC-Target-URI, or the claim's digest is that of its payload. The
/// payload is what follows the HTTP header, as stored or with transfer codings undone. A revisit
/// record has none: it must have the URL.
///
/// Page::body_problem: that of `stored`, kDigestMismatch, kBodyOfOtherPage,
/// kBodyDamaged (no WARC record of a page), kBadBodyRef (a digest that can't be read; one of an
/// unknown algorithm is not looked at), and those of DecodeWarc. Pure function.
[[nodiscard]] extract::Page Redeem(ClaimedPage claim, StoredBody stored,
                                   const DecodeLimits& limits);

}  // namespace crawlsieve::consumer

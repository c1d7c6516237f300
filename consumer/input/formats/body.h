#pragma once

#include "extract/page.h"

#include <string>
#include <string_view>
#include <utility>

namespace crawlsieve::consumer {

// The values of Page::body_problem: codes that a verdict `not_evaluated` carries as its detail.
inline constexpr std::string_view kBadEncoding = "bad_encoding";  ///< base64 or compression broken
inline constexpr std::string_view kTruncated = "truncated";       ///< cut before its end
inline constexpr std::string_view kBodyTooLarge = "body_too_large";
inline constexpr std::string_view kDecompressionRatio = "decompression_ratio";
inline constexpr std::string_view kHeaderTooLarge = "header_too_large";
inline constexpr std::string_view kMalformed = "malformed_message";  ///< HTTP or WARC framing
inline constexpr std::string_view kMissingBody = "missing_body";  ///< the record has no field of it
inline constexpr std::string_view kFetchFailed = "fetch_failed";  ///< says the crawler
inline constexpr std::string_view kAmbiguousBody = "ambiguous_body";  ///< several, in one array
inline constexpr std::string_view kUnsupportedBodyRef = "unsupported_body_ref";

/// A body on its way into a Page.
struct Body {
  std::string bytes;
  std::string_view problem;  ///< one of the codes above; empty: none, and `bytes` is the body
};

/// Puts `body` into `page`; one with a problem leaves only its code there.
inline void SetBody(Body body, extract::Page& page) {
  page.body_problem = body.problem;
  page.body = body.problem.empty() ? std::move(body.bytes) : std::string();
}

}  // namespace crawlsieve::consumer

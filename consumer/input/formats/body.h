#pragma once

#include "extract/page.h"

#include <optional>
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
// Of bodies that lie elsewhere (BodyRef):
inline constexpr std::string_view kUnsupportedBodyRef = "unsupported_body_ref";  ///< no such store
inline constexpr std::string_view kBadBodyRef = "bad_body_ref";  ///< can't be used as it is
inline constexpr std::string_view kBodyNotFound = "body_not_found";
inline constexpr std::string_view kBodyDamaged = "body_damaged";  ///< no whole record is there
inline constexpr std::string_view kDigestMismatch = "digest_mismatch";
inline constexpr std::string_view kBodyOfOtherPage = "body_of_other_page";
// Of WARC revisit records, which have no body:
inline constexpr std::string_view kRevisitRecord = "revisit_record";    ///< with Page::revisit
inline constexpr std::string_view kRevisitProfile = "revisit_profile";  ///< of unknown meaning

/// A body on its way into a Page.
struct Body {
  std::string bytes;
  std::string_view problem;  ///< one of the codes above; empty: none, and `bytes` is the body
  std::optional<extract::Payload> payload = std::nullopt;  ///< as Page::payload
};

/// Puts `body` into `page`; one with a problem leaves only its code there.
inline void SetBody(Body body, extract::Page& page) {
  page.body_problem = body.problem;
  page.payload = std::move(body.payload);
  page.body = body.problem.empty() ? std::move(body.bytes) : std::string();
}

}  // namespace crawlsieve::consumer

#pragma once

#include "consumer/input/formats/input_format.h"

#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// What a WARC record holds.
enum class WarcContent {
  kResponse,
  kResource,
  kText,     ///< `conversion`: a page's text, as in the WET files of Common Crawl
  kRevisit,  ///< a fetch that brought what an earlier one had
  kOther,    ///< no page: other types, and URIs of the schemes urn, dns, whois, metadata, filedesc
};

/// By WARC-Type and WARC-Target-URI.
[[nodiscard]] WarcContent ClassifyWarc(std::string_view type, std::string_view uri);

/// Reads a record whose value is one WARC record (0.17 to 1.1), plain or packed with gzip:
///
///   response with application/http  status, content type and body of the HTTP response in it
///   response of another kind        the block, with the record's own Content-Type
///   resource                        the same
///   conversion                      the block as text in UTF-8, if it is text/plain or nameless
///   revisit, not modified           status 304
///   revisit, identical payload      Page::revisit, and status and headers where the block has
///   them;
///                                   kRevisitRecord. Without WARC-Refers-To-Target-URI it is of the
///                                   same URL, unless the profile says that it may be of any
///   revisit of another profile      kRevisitProfile
///
/// WARC-Date is the fetch time. A block shorter than its Content-Length, or marked with
/// WARC-Truncated, is kTruncated (of a revisit, which is always cut, only the first); the packed
/// record is bounded by twice the limits of `limits`.
///
/// Precondition: the record has a value. NotAPage: WarcContent::kOther. Failures:
/// `unsupported_format` (not WARC, no type), `missing_url`, `bad_encoding` (damaged gzip from which
/// no header could be had).
[[nodiscard]] Decoded DecodeWarc(InputRecord record, const DecodeLimits& limits);

/// The URL in a WARC-Target-URI field: old versions of wget put it between < and >.
[[nodiscard]] std::string_view WarcTargetUri(std::string_view value);

}  // namespace crawlsieve::consumer

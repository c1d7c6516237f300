#pragma once

#include "extract/references.h"
#include "plugin/base/timestamp.h"

#include <cstdint>
#include <optional>
#include <string>

namespace crawlsieve::extract {

/// What `Page::body` holds.
enum class BodyKind {
  kBytes,  ///< the document as fetched, content encodings undone; `content_type` says what it is
  kText,   ///< text already stripped of markup by the crawler, in UTF-8
};

/// Whether a response with this HTTP status sends its reader to another URL.
[[nodiscard]] constexpr bool IsRedirectStatus(int status) {
  return (status >= 301 && status <= 303) || status == 307 || status == 308;
}

/// A body as the crawler stored it, before content codings are undone: what WARC calls the payload.
struct Payload {
  std::uint64_t bytes = 0;
  std::string sha1;    ///< 20 bytes; empty: not wanted
  std::string sha256;  ///< 32 bytes; the same
};

/// An earlier fetch whose payload a page has again.
struct Revisit {
  std::string url;                ///< that was fetched; never empty
  std::optional<Timestamp> time;  ///< of that fetch
};

/// One fetched page as an input format yields it: all the crawler said, nothing yet believed.
struct Page {
  std::string url;          ///< as asked for; never empty
  std::string final_url;    ///< after redirects; empty: the same as `url`
  std::string id;           ///< the crawler's own name for the page; may be empty
  std::string crawl_id;     ///< may be empty
  std::string attrs;        ///< JSON text echoed in the verdict; empty: none
  int status_code = 200;    ///< of the HTTP response
  std::string location;     ///< the header of that name: where a redirect leads; may be empty
  std::string retry_after;  ///< the header of that name; may be empty
  std::optional<Timestamp> fetch_time;
  std::string content_type;  ///< the header's value, parameters included; may be empty
  std::string charset;       ///< named by the crawler apart from `content_type`; may be empty
  BodyKind body_kind = BodyKind::kBytes;
  std::string body;
  /// Set when the URL is known but the body could not be had: the code of the verdict
  /// `not_evaluated`, such as "bad_encoding", "truncated", "body_too_large". `body` is then empty.
  std::string body_problem;
  std::optional<Payload> payload;  ///< nullopt: not wanted, or the body could not be had
  /// Set where the crawler left out a body that it had fetched before; `body_problem` says so.
  std::optional<Revisit> revisit;
  /// The page's links as the crawler found them, which count in place of those in the body.
  std::optional<References> links;
};

}  // namespace crawlsieve::extract

#pragma once

#include "extract/page.h"
#include "plugin/base/result.h"
#include "plugin/base/timestamp.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace crawlsieve::consumer {

/// How the value of an input record is to be read. The names in `kafka.input.format`.
enum class FormatKind {
  kCanonical,  ///< "canonical": one JSON object
  kRaw,        ///< "raw": the body's bytes; the URL in header `url` or in the key
  kWarc,       ///< "warc": one WARC record, response or resource
};

[[nodiscard]] std::string_view FormatName(FormatKind kind);
[[nodiscard]] std::optional<FormatKind> FormatFromName(std::string_view name);

/// A header of a record; a null value is an empty one.
struct Header {
  std::string name;
  std::string value;

  friend bool operator==(const Header&, const Header&) = default;
};

/// One record as Kafka or a file delivers it. Owns its bytes.
struct InputRecord {
  std::optional<std::string> key;
  std::optional<std::string> value;  ///< nullopt: a tombstone
  std::vector<Header> headers;
  Timestamp timestamp;
};

/// A record that deletes a document: null value, the URL as key.
struct Tombstone {
  std::string url;
};

/// Why a record has no URL and goes to the dead letters.
struct DecodeFailure {
  std::string code;  ///< `invalid_json`, `missing_url`, `bad_encoding`, `unsupported_format`
  std::string message;
};

using Decoded = std::variant<extract::Page, Tombstone, DecodeFailure>;

/// Sizes at which decoding stops and the page is `not_evaluated`.
struct DecodeLimits {
  std::size_t max_body_bytes = 8 << 20;     ///< after all encodings; `body_too_large`
  std::size_t max_header_bytes = 64 << 10;  ///< of HTTP or WARC headers; `header_too_large`
  std::size_t max_expansion = 1000;         ///< decoded / encoded bytes; `decompression_ratio`
};

/// Reads a record of `kind`; header `crawlsieve-format`, where a record has it, overrides `kind`.
///
/// Never throws and never gives up on a record whose URL is known: a damaged body comes back as a
/// Page with `body_problem` set. Pure function of its arguments. `record` is consumed: its buffers
/// may end up in the Page.
[[nodiscard]] Decoded Decode(InputRecord record, FormatKind kind, const DecodeLimits& limits);

/// Name of the header that overrides the configured format.
inline constexpr std::string_view kFormatHeader = "crawlsieve-format";

/// Name of the header with the time of the fetch, for records that don't say it themselves.
inline constexpr std::string_view kFetchTimeHeader = "fetch-time";

}  // namespace crawlsieve::consumer

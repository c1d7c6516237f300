#pragma once

#include "consumer/input/formats/input_format.h"

namespace crawlsieve::consumer {

/// Reads a record whose value is one JSON object; a Confluent schema prefix (a zero byte and four
/// of a schema number) or a UTF-8 byte order mark before it is passed over.
///
/// `url` must be a string. Of the other known fields `null` is the same as absent, and a wrong type
/// is no reason to lose the page:
///   status_code       a number or digits in a string; anything else: 200
///   id, crawl_id      a number is taken as its text; anything else: none
///   fetch_time        RFC 3339; anything else: none
///   response_headers  an object of strings or arrays of strings, names in any case, else ignored;
///                     `content-type` where `content_type` is absent, `content-encoding` for a body
///                     in base64
///   body, text        not a string: the body is kBadEncoding, as with an unknown `body_encoding`
///   attrs             any value, minified
/// Of `body`, `text` and `body_ref` the first that is there counts; none: an empty body. The last
/// of equal keys counts. A body with `body_encoding` text is UTF-8 like all JSON, whatever the page
/// once was: it gets the charset `utf-8`, and its content type loses its parameters.
///
/// Values of fields that are not used are skipped without a look at them.
/// Precondition: the record has a value. Failures: `invalid_json` (not an object either; the
/// message says where), `bad_encoding` (not UTF-8), `missing_url`.
[[nodiscard]] Decoded DecodeCanonical(InputRecord record, const DecodeLimits& limits);

}  // namespace crawlsieve::consumer

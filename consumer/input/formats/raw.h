#pragma once

#include "consumer/input/formats/input_format.h"

namespace crawlsieve::consumer {

/// Reads a record whose value is the body: the URL from header `url`, else from the key; headers
/// `content-type`, `status`, `fetch-time` (RFC 3339) and `content-encoding` are optional. Header
/// `content-length`, also optional, makes a shorter value a truncated one. A status or time that
/// can't be read counts as absent; of a header that comes twice the last one counts.
///
/// Precondition: the record has a value. Failure: `missing_url`.
[[nodiscard]] Decoded DecodeRaw(InputRecord record, const DecodeLimits& limits);

}  // namespace crawlsieve::consumer

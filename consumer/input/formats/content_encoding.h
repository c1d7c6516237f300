#pragma once

#include "consumer/input/formats/body.h"
#include "consumer/input/formats/input_format.h"

#include <optional>
#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// Unpacks gzip, all members of it; what follows the last member is ignored, as gunzip does.
///
/// `bytes` holds what could be had before a problem: kBadEncoding, kTruncated, kBodyTooLarge (over
/// `limits.max_body_bytes`) or kDecompressionRatio (over 1 MiB and over `limits.max_expansion`
/// times the size of `packed`). Memory: the result and 64 KiB.
[[nodiscard]] Body Gunzip(std::string_view packed, const DecodeLimits& limits);

/// `bytes` as a payload; nullopt: `limits.payload_digests` names no digest.
[[nodiscard]] std::optional<extract::Payload> DescribePayload(std::string_view bytes,
                                                              const DecodeLimits& limits);

/// Undoes the content codings that HTTP names in `codings`, a comma-separated list in the order
/// they were applied: gzip, deflate (with zlib header or without), br, zstd.
///
/// Crawlers often store the decoded body beside the header of the encoded one. Hence bytes that
/// clearly aren't in a coding are taken as they are: without the magic number of gzip or zstd; for
/// deflate and br, which have none, text that fails to decode. Unknown codings are passed over, as
/// browsers do. Problems as with Gunzip, the ratio being that of all codings together.
///
/// `payload` of the result is that of `bytes`, where `limits.payload_digests` names any digest.
[[nodiscard]] Body UndoContentCodings(std::string bytes, std::string_view codings,
                                      const DecodeLimits& limits);

}  // namespace crawlsieve::consumer

#include "consumer/input/formats/content_encoding.h"

#include "consumer/input/formats/decompressor.h"
#include "consumer/input/formats/header_block.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <simdjson.h>

namespace crawlsieve::consumer {
namespace {

// RFC 9659: a zstd-coded HTTP body needs no window over 8 MiB.
constexpr int kHttpZstdWindowLog = 23;

// Below this size an expansion costs nothing worth refusing a page for.
constexpr std::size_t kRatioFloor = 1 << 20;

// Servers apply one coding, rarely two; every further one is work for an attacker's few bytes.
constexpr int kMaxCodings = 4;

enum class Trailing { kIgnored, kRefused };

/// Appends to `out`, whose capacity stays within `limit`.
void AppendWithin(std::size_t limit, std::string_view piece, std::string& out) {
  piece = piece.substr(0, limit - out.size());
  const std::size_t needed = out.size() + piece.size();
  if (needed > out.capacity()) {
    // libstdc++ takes a reserve() below twice the capacity for twice the capacity.
    std::string grown;
    grown.reserve(std::min(std::max(needed, 2 * out.capacity()), limit));
    grown += out;
    out.swap(grown);
  }
  out += piece;
}

/// `original_size`: what the ratio counts from, the size of the body before the outermost coding.
Body Unpack(Decompressor& decompressor, Trailing trailing, std::string_view packed,
            std::size_t original_size, const DecodeLimits& limits) {
  Body body;
  std::array<char, 32 << 10> piece;
  for (;;) {
    const Decompressor::Step step = decompressor.Run(packed, piece);
    packed.remove_prefix(step.consumed);
    const bool too_large = step.produced > limits.max_body_bytes - body.bytes.size();
    AppendWithin(limits.max_body_bytes, {piece.data(), step.produced}, body.bytes);
    if (body.bytes.size() > kRatioFloor &&
        body.bytes.size() / original_size > limits.max_expansion) {
      body.problem = kDecompressionRatio;
      return body;
    }
    if (too_large) {
      body.problem = kBodyTooLarge;
      return body;
    }
    if (step.state == Decompressor::State::kBad) {
      body.problem = kBadEncoding;
      return body;
    }
    if (step.state == Decompressor::State::kEnd) {
      if (!decompressor.StartsMember(packed)) {
        if (!packed.empty() && trailing == Trailing::kRefused) body.problem = kBadEncoding;
        return body;
      }
      decompressor.Restart();
    } else if (step.consumed == 0 && step.produced == 0) {
      body.problem = packed.empty() ? kTruncated : kBadEncoding;
      return body;
    }
  }
}

/// Whether bytes are text. Compressed data is neither free of control characters nor UTF-8 for
/// long.
bool LooksLikeText(std::string_view bytes, bool only_utf8) {
  const std::string_view sample = bytes.substr(0, 1024);
  std::size_t ascii = 0;
  for (const char c : sample) {
    const auto byte = static_cast<unsigned char>(c);
    const bool space = byte >= '\t' && byte <= '\r';
    if ((byte < 0x20 && !space && byte != 0x1B) || byte == 0x7F) return false;
    if (byte < 0x80) ++ascii;
  }
  if (!only_utf8 && ascii >= sample.size() - sample.size() / 4) return true;
  return simdjson::validate_utf8(bytes);
}

/// `unpacked`, or `packed` itself if that failed because it is text that was never packed. Text
/// fails as damaged data within its first bytes; only when it is very short it seems cut.
Body OrText(Body unpacked, std::string packed) {
  const bool cut = unpacked.problem == kTruncated;
  if ((cut || unpacked.problem == kBadEncoding) && LooksLikeText(packed, cut)) {
    return {std::move(packed), {}};
  }
  return unpacked;
}

/// RFC 1950: compression method 8, and the two bytes as a number divide by 31.
bool HasZlibHeader(std::string_view bytes) {
  if (bytes.size() < 2) return false;
  const auto first = static_cast<unsigned char>(bytes[0]);
  const auto second = static_cast<unsigned char>(bytes[1]);
  return (first & 0x0F) == 8 && (first * 256 + second) % 31 == 0;
}

Body UndoDeflate(std::string packed, std::size_t original_size, const DecodeLimits& limits) {
  if (HasZlibHeader(packed)) {
    Body body = Unpack(*MakeZlibDecompressor(), Trailing::kIgnored, packed, original_size, limits);
    if (body.problem != kBadEncoding) return body;
  }
  Body body = Unpack(*MakeDeflateDecompressor(), Trailing::kRefused, packed, original_size, limits);
  return OrText(std::move(body), std::move(packed));
}

Body UndoCoding(std::string bytes, std::string_view coding, std::size_t original_size,
                const DecodeLimits& limits) {
  if (coding == "gzip") {
    if (!LooksLikeGzip(bytes)) return {std::move(bytes), {}};
    return Unpack(*MakeGzipDecompressor(), Trailing::kIgnored, bytes, original_size, limits);
  }
  if (coding == "zstd") {
    if (!LooksLikeZstd(bytes)) return {std::move(bytes), {}};
    return Unpack(*MakeZstdDecompressor(kHttpZstdWindowLog), Trailing::kRefused, bytes,
                  original_size, limits);
  }
  if (coding == "deflate") return UndoDeflate(std::move(bytes), original_size, limits);
  Body body = Unpack(*MakeBrotliDecompressor(), Trailing::kRefused, bytes, original_size, limits);
  return OrText(std::move(body), std::move(bytes));
}

/// The known coding that a token of Content-Encoding names; empty: none.
std::string_view CodingOf(std::string_view token) {
  for (const std::string_view coding : {"gzip", "deflate", "br", "zstd"}) {
    if (EqualsIgnoringCase(token, coding)) return coding;
  }
  return EqualsIgnoringCase(token, "x-gzip") ? "gzip" : std::string_view();
}

/// UndoContentCodings but for the payload.
Body UndoCodings(std::string bytes, std::string_view codings, const DecodeLimits& limits) {
  const std::size_t original_size = bytes.size();
  Body body{std::move(bytes), {}};
  for (int count = 0; !codings.empty() && !body.bytes.empty();) {
    const std::size_t comma = codings.rfind(',');
    const std::size_t start = comma == std::string_view::npos ? 0 : comma + 1;
    const std::string_view coding = CodingOf(TrimSpaces(codings.substr(start)));
    codings = codings.substr(0, start == 0 ? 0 : comma);
    if (coding.empty()) continue;
    if (++count > kMaxCodings) return {{}, kBadEncoding};
    body = UndoCoding(std::move(body.bytes), coding, original_size, limits);
    if (!body.problem.empty()) return body;
  }
  if (body.bytes.size() > limits.max_body_bytes) body.problem = kBodyTooLarge;
  return body;
}

}  // namespace

Body Gunzip(std::string_view packed, const DecodeLimits& limits) {
  return Unpack(*MakeGzipDecompressor(), Trailing::kIgnored, packed, packed.size(), limits);
}

std::optional<extract::Payload> DescribePayload(std::string_view bytes,
                                                const DecodeLimits& limits) {
  if (limits.payload_digests.empty()) return std::nullopt;
  extract::Payload payload;
  payload.bytes = bytes.size();
  for (const DigestKind kind : limits.payload_digests) {
    std::string& digest = kind == DigestKind::kSha1 ? payload.sha1 : payload.sha256;
    digest = Digest::Of(kind, bytes).bytes();
  }
  return payload;
}

Body UndoContentCodings(std::string bytes, std::string_view codings, const DecodeLimits& limits) {
  auto payload = DescribePayload(bytes, limits);
  Body body = UndoCodings(std::move(bytes), codings, limits);
  body.payload = std::move(payload);
  return body;
}

}  // namespace crawlsieve::consumer

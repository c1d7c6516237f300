#include "consumer/input/formats/http_message.h"

#include "consumer/input/formats/content_encoding.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace crawlsieve::consumer {
namespace {

/// "HTTP/1.1 200 OK": the number.
std::optional<int> ParseStatus(std::string_view line) {
  if (!line.starts_with("HTTP/")) return std::nullopt;
  line = TrimSpaces(line.substr(std::min(line.find(' '), line.size())));
  return ParseStatusCode(line.substr(0, line.find(' ')));
}

/// Takes the line that says how long the next chunk is; nullopt: it is no such line.
std::optional<std::uint64_t> TakeChunkSize(std::string_view& rest) {
  const std::size_t newline = rest.find('\n');
  std::string_view line = rest.substr(0, newline);
  line = TrimSpaces(line.substr(0, line.find(';')));
  std::uint64_t size = 0;
  const char* const end = line.data() + line.size();
  const auto [position, error] = std::from_chars(line.data(), end, size, 16);
  if (error != std::errc() || position != end) return std::nullopt;
  rest.remove_prefix(newline == std::string_view::npos ? rest.size() : newline + 1);
  return size;
}

bool TakeLineEnd(std::string_view& rest) {
  const std::size_t length = rest.starts_with("\r\n") ? 2 : rest.starts_with('\n') ? 1 : 0;
  rest.remove_prefix(length);
  return length > 0;
}

/// RFC 9112, section 7.1; trailer fields are dropped.
Body UndoChunks(std::string_view stored, const DecodeLimits& limits) {
  Body body;
  std::string_view rest = stored;
  for (bool first = true;; first = false) {
    const bool whole_line = rest.find('\n') != std::string_view::npos;
    const std::optional<std::uint64_t> size = TakeChunkSize(rest);
    if (!size) {
      // A stored body that doesn't start with a chunk was put together by the crawler.
      if (first) return {std::string(stored), {}};
      return {{}, rest.empty() ? kTruncated : kMalformed};
    }
    if (!whole_line) return {{}, kTruncated};
    if (*size == 0) return body;
    if (*size > rest.size()) return {{}, kTruncated};
    if (*size > limits.max_body_bytes - body.bytes.size()) return {{}, kBodyTooLarge};
    body.bytes += rest.substr(0, *size);
    rest.remove_prefix(*size);
    if (rest.empty() || rest == "\r") return {{}, kTruncated};
    if (!TakeLineEnd(rest)) {
      if (first) return {std::string(stored), {}};
      return {{}, kMalformed};
    }
  }
}

/// Statuses whose responses have no body, whatever Content-Length says (RFC 9110, section 6.4.1).
bool HasBody(int status) { return status >= 200 && status != 204 && status != 304; }

}  // namespace

HttpHead ParseHttpHead(std::string_view message, const DecodeLimits& limits) {
  HttpHead head;
  for (;;) {
    const std::string_view rest = message.substr(head.size);
    head.header = ParseHeaderBlock(rest, limits.max_header_bytes);
    if (head.header.end == HeaderBlock::End::kTooLarge) {
      head.problem = kHeaderTooLarge;
    } else if (head.header.end == HeaderBlock::End::kCut) {
      head.header.size = rest.size();
    }
    head.size += head.header.size;
    const std::optional<int> status = ParseStatus(head.header.start_line);
    if (!status) {
      if (head.problem.empty()) head.problem = kMalformed;
      return head;
    }
    const bool interim = *status < 200 && message.substr(head.size).starts_with("HTTP/");
    if (interim && head.problem.empty()) continue;
    head.status = *status;
    break;
  }
  if (const std::string* type = FindField(head.header.fields, "content-type")) {
    head.content_type = *type;
  }
  return head;
}

Body ReadHttpBody(const HttpHead& head, std::string_view stored, const DecodeLimits& limits) {
  if (!head.problem.empty()) return {{}, head.problem};
  const std::vector<Header>& fields = head.header.fields;
  std::string codings = JoinFields(fields, "content-encoding");
  std::string transfer = JoinFields(fields, "transfer-encoding");
  if (transfer.empty()) {
    // Whether a coded body is whole is for its decompressor to say: where the crawler stored it
    // decoded, the length is still that of the coded one.
    const std::optional<std::uint64_t> named = FindNumber(fields, "content-length");
    if (codings.empty() && named && *named > stored.size() && HasBody(head.status)) {
      return {{}, kTruncated};
    }
    return UndoContentCodings(std::string(stored), codings, limits);
  }
  // "gzip, chunked": chunked comes last; what stands before it was applied after content codings.
  const std::size_t comma = transfer.rfind(',');
  const std::size_t last = comma == std::string::npos ? 0 : comma + 1;
  Body body{std::string(), {}};
  if (EqualsIgnoringCase(TrimSpaces(std::string_view(transfer).substr(last)), "chunked")) {
    body = UndoChunks(stored, limits);
    if (!body.problem.empty()) return body;
    transfer.resize(last == 0 ? 0 : comma);
  } else {
    body.bytes = stored;
  }
  return UndoContentCodings(std::move(body.bytes), codings + "," + transfer, limits);
}

}  // namespace crawlsieve::consumer

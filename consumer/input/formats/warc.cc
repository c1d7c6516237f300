#include "consumer/input/formats/warc.h"

#include "consumer/input/formats/content_encoding.h"
#include "consumer/input/formats/decompressor.h"
#include "consumer/input/formats/fetch_headers.h"
#include "consumer/input/formats/header_block.h"
#include "consumer/input/formats/http_message.h"
#include "consumer/input/formats/url_text.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

bool IsHttp(std::string_view content_type, std::string_view block) {
  return content_type.empty() ? block.starts_with("HTTP/")
                              : StartsWithIgnoringCase(content_type, "application/http");
}

/// What keeps the block of a record from being read as a whole; empty: nothing.
std::string_view BlockProblem(const HeaderBlock& header, std::optional<std::uint64_t> length,
                              std::size_t available, WarcContent content) {
  if (header.end == HeaderBlock::End::kTooLarge) return kHeaderTooLarge;
  if (header.end == HeaderBlock::End::kCut) return kTruncated;
  if (!length) return kMalformed;
  if (available < *length) return kTruncated;
  const bool is_marked = FindField(header.fields, "warc-truncated") != nullptr;
  return is_marked && content != WarcContent::kRevisit ? kTruncated : std::string_view();
}

/// What a revisit record says of the payload.
enum class RevisitProfile {
  kNotModified,        ///< the server said that it is what the client has
  kIdenticalPayload,   ///< that of an earlier fetch of the URL, or of another one that is named
  kIdenticalAnywhere,  ///< that of a fetch of any URL
  kUnknown,
};

/// By WARC-Profile: http://netpreserve.org/warc/1.0/revisit/..., of any version.
RevisitProfile ProfileOf(const std::vector<Header>& fields) {
  const std::string* const field = FindField(fields, "warc-profile");
  if (field == nullptr) return RevisitProfile::kUnknown;
  constexpr std::string_view kBefore = "://netpreserve.org/warc/";
  constexpr std::string_view kBehind = "/revisit/";
  const std::string_view profile = WarcTargetUri(TrimSpaces(*field));
  const std::size_t before = profile.find(kBefore);
  const std::size_t behind = profile.find(kBehind);
  if (before == std::string_view::npos || behind == std::string_view::npos) {
    return RevisitProfile::kUnknown;
  }
  const std::string_view name = profile.substr(behind + kBehind.size());
  if (name == "server-not-modified") return RevisitProfile::kNotModified;
  if (name == "identical-payload-digest") return RevisitProfile::kIdenticalPayload;
  // Heritrix' own, which it writes for payloads of other URLs.
  if (name == "uri-agnostic-identical-payload-digest") return RevisitProfile::kIdenticalAnywhere;
  return RevisitProfile::kUnknown;
}

/// The fetch that a revisit record refers to; nullopt: it doesn't say which.
std::optional<extract::Revisit> RevisitOf(const std::vector<Header>& fields,
                                          const std::string& own_url) {
  const RevisitProfile profile = ProfileOf(fields);
  extract::Revisit revisit;
  if (const std::string* uri = FindField(fields, "warc-refers-to-target-uri")) {
    revisit.url = ToUtf8Url(std::string(WarcTargetUri(*uri)));
  }
  if (IsBlank(revisit.url) && profile == RevisitProfile::kIdenticalPayload) revisit.url = own_url;
  if (const std::string* date = FindField(fields, "warc-refers-to-date")) {
    revisit.time = ParseRfc3339(*date);
    // A date that can't be read is not the same as none.
    if (!revisit.time) return std::nullopt;
  }
  const bool is_known =
      profile == RevisitProfile::kIdenticalPayload || profile == RevisitProfile::kIdenticalAnywhere;
  return is_known && !IsBlank(revisit.url) ? std::optional(std::move(revisit)) : std::nullopt;
}

/// Reads what of an HTTP response is in the block of a revisit record: its head, or nothing.
void ReadRevisit(const HeaderBlock& header, std::string_view block, std::string_view problem,
                 const DecodeLimits& limits, extract::Page& page) {
  const bool is_http = !block.empty() && IsHttp(page.content_type, block);
  page.content_type.clear();
  if (is_http) {
    HttpHead head = ParseHttpHead(block, limits);
    page.status_code = head.status;
    page.content_type = std::move(head.content_type);
    SetFetchHeaders(head.header.fields, page);
    if (problem.empty()) problem = head.problem;
  }
  if (ProfileOf(header.fields) == RevisitProfile::kNotModified) page.status_code = 304;
  if (problem.empty()) page.revisit = RevisitOf(header.fields, page.url);
  if (problem.empty()) problem = page.revisit.has_value() ? kRevisitRecord : kRevisitProfile;
  SetBody({{}, problem}, page);
}

/// The payload that the record itself names a digest of, where that is `stored`, of which the
/// chunks are still there: crawlers differ in whether chunks are part of a payload. Else that of
/// `page`.
void SettlePayload(const HeaderBlock& header, std::string_view stored, const DecodeLimits& limits,
                   extract::Page& page) {
  const std::string* const named = FindField(header.fields, "warc-payload-digest");
  if (!page.payload || !named || page.payload->bytes == stored.size()) return;
  const std::optional<Digest> digest = Digest::Parse(*named);
  if (digest && digest->Matches(stored)) page.payload = DescribePayload(stored, limits);
}

}  // namespace

std::string_view WarcTargetUri(std::string_view value) {
  if (value.starts_with('<') && value.ends_with('>')) return value.substr(1, value.size() - 2);
  return value;
}

WarcContent ClassifyWarc(std::string_view type, std::string_view uri) {
  // What crawlers keep beside pages, under URIs that name none: Browsertrix' texts and logs, and
  // answers of name servers.
  for (const std::string_view scheme : {"urn:", "dns:", "whois:", "metadata:", "filedesc:"}) {
    if (StartsWithIgnoringCase(uri, scheme)) return WarcContent::kOther;
  }
  if (EqualsIgnoringCase(type, "response")) return WarcContent::kResponse;
  if (EqualsIgnoringCase(type, "resource")) return WarcContent::kResource;
  if (EqualsIgnoringCase(type, "conversion")) return WarcContent::kText;
  if (EqualsIgnoringCase(type, "revisit")) return WarcContent::kRevisit;
  return WarcContent::kOther;
}

Decoded DecodeWarc(InputRecord record, const DecodeLimits& limits) {
  Body unpacked;
  std::string_view text = *record.value;
  if (LooksLikeGzip(text)) {
    DecodeLimits packed_limits = limits;
    packed_limits.max_body_bytes = 2 * (limits.max_body_bytes + limits.max_header_bytes);
    unpacked = Gunzip(text, packed_limits);
    text = unpacked.bytes;
  }
  const HeaderBlock header = ParseHeaderBlock(text, limits.max_header_bytes);
  if (!header.start_line.starts_with("WARC/")) {
    if (!unpacked.problem.empty()) {
      return DecodeFailure{"bad_encoding",
                           fmt::format("WARC record: gzip data are damaged ({})", unpacked.problem),
                           {}};
    }
    return DecodeFailure{
        "unsupported_format", "not a WARC record: it does not start with WARC/", {}};
  }
  const std::string* type = FindField(header.fields, "warc-type");
  const std::string* uri = FindField(header.fields, "warc-target-uri");
  if (!type) {
    return DecodeFailure{"unsupported_format", "WARC record without WARC-Type", "WARC-Type"};
  }
  const WarcContent content = ClassifyWarc(*type, uri ? WarcTargetUri(*uri) : "");
  if (content == WarcContent::kOther) {
    return NotAPage{fmt::format("WARC record of type `{}`{}", ToUtf8Url(type->substr(0, 64)),
                                uri ? " of " + ToUtf8Url(uri->substr(0, 64)) : "")};
  }
  const bool response = content == WarcContent::kResponse;
  if (!uri || IsBlank(WarcTargetUri(*uri))) {
    return DecodeFailure{"missing_url", "WARC record without WARC-Target-URI", "WARC-Target-URI"};
  }

  extract::Page page;
  page.url = ToUtf8Url(std::string(WarcTargetUri(*uri)));
  if (const std::string* date = FindField(header.fields, "warc-date")) {
    page.fetch_time = ParseRfc3339(*date);
  }
  if (const std::string* content_type = FindField(header.fields, "content-type")) {
    page.content_type = *content_type;
  }
  const std::optional<std::uint64_t> length = FindNumber(header.fields, "content-length");
  std::string_view block = text.substr(header.size);
  std::string_view problem = unpacked.problem;
  if (problem.empty()) problem = BlockProblem(header, length, block.size(), content);
  if (header.end != HeaderBlock::End::kComplete) {
    SetBody({{}, problem}, page);
    return page;
  }
  block = block.substr(0, length.value_or(0));
  if (content == WarcContent::kRevisit) {
    ReadRevisit(header, block, problem, limits, page);
    return page;
  }

  if (content == WarcContent::kText &&
      (page.content_type.empty() || StartsWithIgnoringCase(page.content_type, "text/plain"))) {
    page.body_kind = extract::BodyKind::kText;
    page.charset = "utf-8";
  }
  HttpHead head;
  const bool http = response && IsHttp(page.content_type, block);
  if (http) {
    head = ParseHttpHead(block, limits);
    page.status_code = head.status;
    page.content_type = head.content_type;
    SetFetchHeaders(head.header.fields, page);
    block.remove_prefix(head.size);
  }
  if (!problem.empty()) {
    SetBody({{}, problem}, page);
  } else if (http) {
    SetBody(ReadHttpBody(head, block, limits), page);
    SettlePayload(header, block, limits, page);
  } else {
    SetBody(UndoContentCodings(std::string(block), {}, limits), page);
  }
  return page;
}

}  // namespace crawlsieve::consumer

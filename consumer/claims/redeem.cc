#include "consumer/claims/redeem.h"

#include "consumer/input/formats/body.h"
#include "consumer/input/formats/content_encoding.h"
#include "consumer/input/formats/digest.h"
#include "consumer/input/formats/header_block.h"
#include "consumer/input/formats/http_message.h"
#include "consumer/input/formats/warc.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace crawlsieve::consumer {
namespace {

/// Whether `digest` is that of the payload of the WARC record `record`, which has `head`.
bool IsDigestOfPayload(const Digest& digest, const HeaderBlock& head, std::string_view record,
                       const DecodeLimits& limits) {
  const std::string_view block =
      record.substr(head.size, FindNumber(head.fields, "content-length").value_or(0));
  const std::string* const type = FindField(head.fields, "content-type");
  const bool is_http =
      block.starts_with("HTTP/") && (!type || StartsWithIgnoringCase(*type, "application/http"));
  if (!is_http) return digest.Matches(block);
  HttpHead http = ParseHttpHead(block, limits);
  const std::string_view payload = block.substr(http.size);
  if (digest.Matches(payload)) return true;
  std::vector<Header>& fields = http.header.fields;
  if (!FindField(fields, "transfer-encoding")) return false;
  std::erase_if(fields, [](const Header& field) {
    return EqualsIgnoringCase(field.name, "content-encoding");
  });
  const Body body = ReadHttpBody(http, payload, limits);
  return body.problem.empty() && digest.Matches(body.bytes);
}

/// What is wrong with the WARC record in `bytes` as the record of `claim`; empty: nothing.
std::string_view FindProblem(const ClaimedPage& claim, std::string_view bytes,
                             const std::optional<Digest>& digest, const DecodeLimits& limits) {
  const HeaderBlock head = ParseHeaderBlock(bytes, limits.max_header_bytes);
  if (head.end == HeaderBlock::End::kTooLarge) return kHeaderTooLarge;
  if (head.end != HeaderBlock::End::kComplete) return kBodyDamaged;
  const std::string* const type = FindField(head.fields, "warc-type");
  const std::string* const uri = FindField(head.fields, "warc-target-uri");
  if (!type || !uri) return kBodyDamaged;
  const std::string_view target = WarcTargetUri(*uri);
  const bool is_its_own = target == claim.page.url || target == claim.page.final_url;
  // A revisit record has no payload that a digest could be of.
  if (digest && !EqualsIgnoringCase(*type, "revisit")) {
    return IsDigestOfPayload(*digest, head, bytes, limits) ? std::string_view() : kDigestMismatch;
  }
  return is_its_own ? std::string_view() : kBodyOfOtherPage;
}

}  // namespace

extract::Page Redeem(ClaimedPage claim, StoredBody stored, const DecodeLimits& limits) {
  const auto fail = [&claim](std::string_view problem) {
    SetBody({{}, problem}, claim.page);
    return std::move(claim.page);
  };
  if (!stored.problem.empty()) return fail(stored.problem);
  const std::string& named = claim.ref.digest;
  const std::optional<Digest> digest = Digest::Parse(named);
  if (!digest && Digest::IsOfKnownAlgorithm(named)) return fail(kBadBodyRef);

  if (claim.ref.holds == BodyRef::Holds::kBody) {
    if (digest && !digest->Matches(stored.bytes)) return fail(kDigestMismatch);
    SetBody(UndoContentCodings(std::move(stored.bytes), {}, limits), claim.page);
    return std::move(claim.page);
  }

  const std::string_view problem = FindProblem(claim, stored.bytes, digest, limits);
  InputRecord record;
  record.value = std::move(stored.bytes);
  Decoded decoded = DecodeWarc(std::move(record), limits);
  auto* const found = std::get_if<extract::Page>(&decoded);
  if (found == nullptr) return fail(problem.empty() ? kBodyDamaged : problem);
  if (!problem.empty()) return fail(problem);
  extract::Page& page = claim.page;
  page.status_code = found->status_code;
  page.content_type = std::move(found->content_type);
  if (!found->charset.empty()) page.charset = std::move(found->charset);
  page.location = std::move(found->location);
  page.retry_after = std::move(found->retry_after);
  if (found->fetch_time) page.fetch_time = found->fetch_time;
  page.body_kind = found->body_kind;
  page.revisit = std::move(found->revisit);
  page.body = std::move(found->body);
  page.body_problem = std::move(found->body_problem);
  page.payload = std::move(found->payload);
  return std::move(page);
}

}  // namespace crawlsieve::consumer

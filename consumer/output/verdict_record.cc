#include "consumer/output/verdict_record.h"

#include "consumer/input/formats/digest.h"
#include "plugin/base/hex.h"
#include "plugin/fingerprint/checksum.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

Json TextOrNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json ChecksumOrNull(const std::string& bytes) {
  const auto checksum = ChecksumFromBytes(bytes);
  return checksum.has_value() ? Json(Hex(*checksum)) : Json();
}

Json FingerprintJson(const log::Page& page) {
  const bool has_text = page.outcome() == log::OUTCOME_TEXT;
  Json json;
  json["raw_checksum"] = ChecksumOrNull(page.raw_checksum());
  json["content_checksum"] = ChecksumOrNull(page.content_checksum());
  json["simhash"] = has_text ? Json(Hex(page.simhash())) : Json();
  json["features"] = page.features();
  json["text_length"] = page.text_length();
  json["language"] = TextOrNull(page.language());
  json["scheme"] = page.scheme();
  return json;
}

Json MatchJson(const std::optional<VerdictMatch>& match) {
  if (!match.has_value()) return {};
  Json json;
  json["id"] = TextOrNull(match->id);
  json["url"] = match->url;
  json["kind"] = match->exact ? "exact" : "near";
  json["distance"] = match->distance;
  json["similarity"] = match->similarity.value();
  json["first_seen"] = FormatRfc3339(match->first_seen);
  return json;
}

Json ClusterJson(const std::optional<Cluster>& cluster) {
  if (!cluster.has_value()) return {};
  return {{"id", cluster->id.sequence},
          {"size", cluster->size},
          {"preferred_url", TextOrNull(cluster->preferred_url)}};
}

Json PriorityJson(const Priority& priority) {
  const PriorityComponents& parts = priority.components;
  Json components;
  components["novelty"] = parts.novelty.value();
  components["host"] = parts.host.value();
  components["depth"] = parts.depth.value();
  components["change"] = parts.change.value();
  return {{"score", priority.score.value()}, {"components", std::move(components)}};
}

Json RecrawlJson(const std::optional<Recrawl>& recrawl) {
  if (!recrawl.has_value()) return {};
  Json json;
  json["changed"] = recrawl->changed.has_value() ? Json(*recrawl->changed) : Json();
  json["next_fetch"] = FormatRfc3339(recrawl->next_fetch);
  json["interval_seconds"] = recrawl->interval_seconds;
  return json;
}

/// Held to the years that RFC 3339 has: what a crawler says may be any number.
Timestamp FetchTimeOf(const log::Page& page) {
  constexpr std::int64_t kLast = 253'402'300'799'999;
  return Timestamp{
      std::chrono::milliseconds(std::clamp<std::int64_t>(page.fetch_time_ms(), 0, kLast))};
}

Json PayloadJson(const log::Page& page) {
  if (!page.has_payload()) return {};
  const log::Payload& payload = page.payload();
  Json json;
  json["digests"] = Json::array();
  for (const auto& digest : {Digest::FromBytes(DigestKind::kSha1, payload.sha1()),
                             Digest::FromBytes(DigestKind::kSha256, payload.sha256())}) {
    if (digest.has_value()) json["digests"].push_back(digest->Text());
  }
  json["bytes"] = payload.bytes();
  json["media_type"] = TextOrNull(payload.media_type());
  json["status"] = page.has_status() ? page.status() : 200;
  json["fetched"] = FormatRfc3339(FetchTimeOf(page));
  json["file"] = TextOrNull(payload.file());
  json["offset"] = payload.file().empty() ? Json() : Json(payload.offset());
  json["length"] = payload.length() == 0 ? Json() : Json(payload.length());
  return json;
}

Json SourceJson(const log::Source& source) {
  Json json;
  json["topic"] = source.topic();
  json["partition"] = source.partition();
  json["offset"] = source.offset();
  json["timestamp"] = FormatRfc3339(Timestamp{std::chrono::milliseconds(source.timestamp_ms())});
  return json;
}

}  // namespace

std::string VerdictRecord(const log::Page& page, const Verdict& verdict,
                          const RecordContext& context) {
  const Rule& rule = RuleFor(verdict.reason);
  Json json;
  json["schema_version"] = kSchemaVersion;
  json["id"] = TextOrNull(page.id());
  json["url"] = page.url();
  json["final_url"] = page.final_url().empty() ? page.url() : page.final_url();
  json["canonical_url"] = page.canonical_url();
  json["crawl_id"] = TextOrNull(page.crawl_id());
  json["verdict"] = rule.decision == Decision::kKeep ? "keep" : "drop";
  json["reason"] = rule.name;
  json["detail"] = TextOrNull(page.detail());
  json["match"] = MatchJson(verdict.match);
  json["cluster"] = ClusterJson(verdict.cluster);
  json["fingerprint"] = FingerprintJson(page);
  json["follow_links"] = rule.follow_links;
  json["priority"] = PriorityJson(verdict.priority);
  json["recrawl"] = RecrawlJson(verdict.recrawl);
  json["payload"] = PayloadJson(page);
  json["source"] = SourceJson(page.source());
  json["sequence"] = verdict.sequence;
  json["omitted"] = Json::array();
  for (const std::string& field : page.omitted()) json["omitted"].push_back(field);
  json["processed_at"] = FormatRfc3339(context.processed_at);
  json["instance"] = context.instance;
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  // Already JSON text, and as long as the crawler likes: goes in as it is.
  text.pop_back();
  text += ",\"attrs\":";
  text += page.attrs().empty() ? std::string_view("null") : std::string_view(page.attrs());
  text += '}';
  return text;
}

}  // namespace crawlsieve::consumer

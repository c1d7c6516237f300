#include "consumer/output/scores/stormcrawler.h"

#include "plugin/base/hex.h"
#include "plugin/fingerprint/sha256.h"

#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using Json = nlohmann::ordered_json;

std::string DocumentId(std::string_view url) { return HexOf(Sha256().Add(url).Finish()); }

std::string_view StatusOf(const UrlScore& record) {
  if (record.action == ScoreAction::kRewrite) return "REDIRECTION";
  if (!record.fetched) return "DISCOVERED";
  const std::uint32_t status = record.last_status.value_or(0);
  if ((200 <= status && status < 300) || status == 304) return "FETCHED";
  if (300 <= status && status < 400) return "REDIRECTION";
  return status == 404 || status == 410 ? "ERROR" : "FETCH_ERROR";
}

Json DateJson(const UrlScore& record) {
  return FormatRfc3339(Timestamp{std::chrono::seconds(FetchDate(record))});
}

Json MetadataOf(const UrlScore& record) {
  Json metadata;
  metadata["crawlsieveScore"] = {Decimal(record.score)};
  metadata["crawlsieveReason"] = {ValidUtf8(record.reason)};
  if (record.action == ScoreAction::kRewrite && IsRenderable(record.rewrite_to)) {
    metadata["_redirTo"] = {record.rewrite_to};
  }
  return metadata;
}

/// Beside ours, what StormCrawler passes on from page to link.
Json MetadataOfNew(const UrlScore& record) {
  Json metadata = MetadataOf(record);
  if (record.depth.has_value()) metadata["depth"] = {std::to_string(*record.depth)};
  // The index takes no dots in names of metadata.
  if (IsRenderable(record.parent_url)) metadata["url%2Epath"] = {record.parent_url};
  return metadata;
}

RenderedScore Item(std::string_view operation, std::string_view url, const Json& body) {
  const std::string id = DocumentId(url);
  const Json action = {{operation, {{"_id", id}, {"routing", HostOf(url)}}}};
  return {id, action.dump() + '\n' + body.dump()};
}

RenderedScore Update(const UrlScore& record, const Json& date) {
  Json change;
  change["nextFetchDate"] = date;
  change["metadata"] = MetadataOf(record);
  Json fresh;
  fresh["url"] = record.url;
  fresh["status"] = StatusOf(record);
  fresh["metadata"] = MetadataOfNew(record);
  if (!date.is_null()) fresh["nextFetchDate"] = date;
  fresh["key"] = HostOf(record.url);
  return Item("update", record.url, {{"doc", std::move(change)}, {"upsert", std::move(fresh)}});
}

RenderedScore CreateTarget(const UrlScore& record) {
  Json fresh;
  fresh["url"] = record.rewrite_to;
  fresh["status"] = "DISCOVERED";
  fresh["metadata"] = MetadataOfNew(record);
  fresh["metadata"].erase("_redirTo");
  fresh["nextFetchDate"] = DateJson(record);
  fresh["key"] = HostOf(record.rewrite_to);
  return Item("create", record.rewrite_to, fresh);
}

}  // namespace

RenderedScores RenderForStormCrawler(const UrlScore& record) {
  RenderedScores rendered;
  const bool is_fetched_itself =
      record.action == ScoreAction::kSchedule || record.action == ScoreAction::kProbe;
  if (IsRenderable(record.url)) {
    rendered.push_back(Update(record, is_fetched_itself ? DateJson(record) : Json()));
  }
  if (record.action == ScoreAction::kRewrite && !UrlToFetch(record).empty()) {
    rendered.push_back(CreateTarget(record));
  }
  return rendered;
}

}  // namespace crawlsieve::consumer

#include "consumer/output/scores/scrapy_cluster.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

constexpr std::uint32_t kPriorities = 100;
constexpr std::ptrdiff_t kMaxCrawlIdCharacters = 40;

std::ptrdiff_t Characters(std::string_view utf8) {
  return std::ranges::count_if(utf8, [](char c) { return (c & 0xc0) != 0x80; });
}

}  // namespace

RenderedScores RenderForScrapyCluster(const UrlScore& record) {
  const std::string url(UrlToFetch(record));
  if (url.empty() || !IsDue(record)) return {};
  const std::string crawl =
      record.crawl_id.empty() ? std::string("crawlsieve") : ValidUtf8(record.crawl_id);
  if (Characters(crawl) > kMaxCrawlIdCharacters) return {};
  nlohmann::ordered_json attrs;
  attrs["score"] = record.score.value();
  attrs["reason"] = record.reason;
  if (record.depth.has_value()) attrs["depth"] = *record.depth;
  if (IsRenderable(record.parent_url)) attrs["parent_url"] = record.parent_url;
  nlohmann::ordered_json json;
  json["appid"] = "crawlsieve";
  json["crawlid"] = crawl;
  json["url"] = url;
  json["priority"] = 1 + record.score.ten_thousandths * (kPriorities - 1) / Score::kOne;
  json["attrs"] = std::move(attrs);
  return {{url, json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)}};
}

}  // namespace crawlsieve::consumer

#include "consumer/output/scores/heritrix.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

constexpr Score kHigh{7'500};
constexpr std::uint32_t kMaxHops = 50;

std::uint32_t Mix(std::uint32_t block) { return std::rotl(block * 0xcc9e2d51U, 15) * 0x1b873593U; }

std::uint32_t Murmur3(std::string_view bytes) {
  const auto byte = [&](std::size_t i) {
    return std::uint32_t{static_cast<unsigned char>(bytes[i])};
  };
  const std::size_t whole = bytes.size() / 4 * 4;
  std::uint32_t hash = 0;
  for (std::size_t i = 0; i < whole; i += 4) {
    const std::uint32_t block = byte(i) | byte(i + 1) << 8 | byte(i + 2) << 16 | byte(i + 3) << 24;
    hash = std::rotl(hash ^ Mix(block), 13) * 5 + 0xe6546b64U;
  }
  std::uint32_t tail = 0;
  for (std::size_t i = bytes.size(); i > whole; --i) tail = tail << 8 | byte(i - 1);
  hash ^= Mix(tail);
  hash ^= static_cast<std::uint32_t>(bytes.size());
  hash = (hash ^ hash >> 16) * 0x85ebca6bU;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35U;
  return hash ^ hash >> 16;
}

}  // namespace

std::string Murmur3Hex(std::string_view bytes) {
  const std::uint32_t hash = Murmur3(bytes);
  std::string hex;
  for (int shift = 0; shift < 32; shift += 8) hex += fmt::format("{:02x}", hash >> shift & 0xff);
  return hex;
}

RenderedScores RenderForHeritrix(const UrlScore& record) {
  const std::string url(UrlToFetch(record));
  if (url.empty() || !IsDue(record)) return {};
  const std::uint32_t hops = std::min(record.depth.value_or(1), kMaxHops);
  const bool is_high = record.score >= kHigh;
  const bool is_refetch = record.fetched && record.action != ScoreAction::kRewrite;
  nlohmann::ordered_json json;
  json["url"] = url;
  json["parentUrl"] = IsRenderable(record.parent_url) ? record.parent_url : "";
  json["parentUrlMetadata"] = {{"pathFromSeed", std::string(hops == 0 ? 0 : hops - 1, 'L')},
                               {"heritableData", nlohmann::ordered_json::object()}};
  json["headers"] = nlohmann::ordered_json::object();
  json["hop"] = is_high ? "E" : hops == 0 ? "" : "L";
  json["isSeed"] = false;
  json["forceFetch"] = is_refetch;
  json["method"] = "GET";
  return {{Murmur3Hex(AuthorityOf(url)),
           json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)}};
}

}  // namespace crawlsieve::consumer

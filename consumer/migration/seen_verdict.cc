#include "consumer/migration/seen_verdict.h"

#include <limits>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using Json = nlohmann::json;

/// Longest verdict and longest reason: more is no verdict of ours.
constexpr std::size_t kMostOutcomeBytes = 64;

std::optional<std::string> TextOf(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

std::optional<std::int64_t> NumberOf(const Json& object, const char* name, std::int64_t most) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  // A larger one reads as negative.
  const auto number = found->get<std::int64_t>();
  if (number < 0 || number > most) return std::nullopt;
  return number;
}

}  // namespace

Result<SeenVerdict> ReadVerdict(std::string_view record) {
  const auto refused = [] {
    return MakeError(ErrorCode::kInvalidInput, "the record is no verdict of crawlsieve");
  };
  const Json json = Json::parse(record, nullptr, false);
  if (!json.is_object()) return refused();
  if (NumberOf(json, "schema_version", 1) != 1) return refused();
  const auto source = json.find("source");
  if (source == json.end() || !source->is_object()) return refused();
  auto topic = TextOf(*source, "topic");
  const auto partition = NumberOf(*source, "partition", std::numeric_limits<std::int32_t>::max());
  const auto offset = NumberOf(*source, "offset", std::numeric_limits<std::int64_t>::max() - 1);
  const auto verdict = TextOf(json, "verdict");
  const auto reason = TextOf(json, "reason");
  auto url = TextOf(json, "url");
  if (!topic || !partition || !offset || !verdict || !reason || !url ||
      verdict->size() + reason->size() > kMostOutcomeBytes) {
    return refused();
  }
  SeenVerdict seen{{*std::move(topic), static_cast<std::int32_t>(*partition), *offset},
                   fmt::format("{} {}", *verdict, *reason),
                   *std::move(url),
                   {},
                   0};
  constexpr auto kMostSequence = std::numeric_limits<std::int64_t>::max();
  seen.sequence = static_cast<std::uint64_t>(NumberOf(json, "sequence", kMostSequence).value_or(0));
  const auto match = json.find("match");
  if (match != json.end() && match->is_object()) {
    seen.match_url = TextOf(*match, "url").value_or("");
  }
  return seen;
}

}  // namespace crawlsieve::consumer

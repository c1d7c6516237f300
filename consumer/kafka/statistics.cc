#include "consumer/kafka/statistics.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using Json = nlohmann::json;

/// The number `name`; 0 where there is none, and for negative ones.
std::uint64_t NumberOf(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_number_integer()) return 0;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, found->get<std::int64_t>()));
}

/// Calls `visit` with each member's value of the object `name`.
template <typename Function>
void ForEachOf(const Json& json, const char* name, const Function& visit) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_object()) return;
  for (const auto& [key, value] : found->items()) visit(value);
}

}  // namespace

// Names and units: "Statistics" in librdkafka's documentation. Round-trip times are in
// microseconds.
std::optional<ClientStatistics> ParseStatistics(std::string_view json) {
  const Json statistics = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!statistics.is_object()) return std::nullopt;
  ClientStatistics parsed;
  parsed.queued_records = NumberOf(statistics, "msg_cnt");
  parsed.queued_bytes = NumberOf(statistics, "msg_size");
  ForEachOf(statistics, "topics", [&](const Json& topic) {
    ForEachOf(topic, "partitions", [&](const Json& partition) {
      parsed.queued_records += NumberOf(partition, "fetchq_cnt");
      parsed.queued_bytes += NumberOf(partition, "fetchq_size");
    });
  });
  ForEachOf(statistics, "brokers", [&](const Json& broker) {
    const auto times = broker.find("rtt");
    if (times == broker.end() || NumberOf(*times, "cnt") == 0) return;
    const double seconds = static_cast<double>(NumberOf(*times, "p99")) / 1e6;
    parsed.broker_latency = std::max(parsed.broker_latency.value_or(0), seconds);
  });
  return parsed;
}

}  // namespace crawlsieve::consumer

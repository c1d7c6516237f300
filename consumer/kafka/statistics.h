#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace crawlsieve::consumer {

/// What a librdkafka client says of itself.
struct ClientStatistics {
  /// Records that wait: of a producer to be acknowledged, of a consumer to be polled.
  std::uint64_t queued_records = 0;
  std::uint64_t queued_bytes = 0;  ///< of them
  /// 99 of 100 requests of the last interval were answered within so many seconds, by the slowest
  /// broker; nullopt where none was answered. A fetch waits for records, so that an idle consumer
  /// shows how long it lets brokers wait (fetch.wait.max.ms).
  std::optional<double> broker_latency;
};

/// Reads librdkafka's statistics, which are JSON; nullopt for anything else.
[[nodiscard]] std::optional<ClientStatistics> ParseStatistics(std::string_view json);

}  // namespace crawlsieve::consumer

#pragma once

#include "consumer/kafka/record.h"
#include "plugin/base/timestamp.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

struct rd_kafka_message_s;

namespace crawlsieve::consumer {

/// One record as Kafka delivered it, in librdkafka's memory, which it owns. Views into it live as
/// long as it does. Movable; outlives a rebalance, must not outlive its Consumer.
/// Thread-compatible.
class ConsumedRecord {
 public:
  explicit ConsumedRecord(rd_kafka_message_s* message) : message_(message) {}

  [[nodiscard]] std::string_view topic() const&;
  [[nodiscard]] std::int32_t partition() const;
  [[nodiscard]] std::int64_t offset() const;
  /// As the record's topic keeps it (by the producer or on arrival); the epoch if it has none.
  [[nodiscard]] Timestamp timestamp() const;
  /// nullopt is Kafka's null, which is not the empty string; a null value is a tombstone.
  [[nodiscard]] std::optional<std::string_view> key() const&;
  [[nodiscard]] std::optional<std::string_view> value() const&;
  [[nodiscard]] std::vector<HeaderView> headers() const&;
  /// Of key, value and headers, with what keeping a header costs besides.
  [[nodiscard]] std::size_t size_bytes() const;

  std::string_view topic() && = delete;
  std::optional<std::string_view> key() && = delete;
  std::optional<std::string_view> value() && = delete;
  std::vector<HeaderView> headers() && = delete;

 private:
  struct Destroy {
    void operator()(rd_kafka_message_s* message) const;
  };
  std::unique_ptr<rd_kafka_message_s, Destroy> message_;
};

}  // namespace crawlsieve::consumer

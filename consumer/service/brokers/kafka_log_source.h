#pragma once

#include "consumer/kafka/config.h"
#include "consumer/kafka/consumer.h"
#include "consumer/service/options.h"
#include "plugin/base/broker_error.h"
#include "plugin/base/result.h"
#include "plugin/log/log_reader.h"
#include "plugin/log/log_source.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace crawlsieve::consumer {

/// The admission log of a configuration.
[[nodiscard]] LogDescription LogOf(const KafkaOptions& options);

/// The log's only partition.
[[nodiscard]] TopicPartition LogPartition(const KafkaOptions& options);

/// Makes the same call again until it succeeds, fails for good, or `timeout` is over.
template <typename Call>
BrokerStatus Repeat(std::chrono::milliseconds timeout, const Call& call) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (true) {
    BrokerStatus status = call();
    if (status || status.error().error_class != ErrorClass::kRetriable ||
        std::chrono::steady_clock::now() >= deadline) {
      return status;
    }
  }
}

/// What a consumer of the admission log delivers, in batches of a bounded number of bytes.
/// Thread-compatible.
class KafkaLogRecords {
 public:
  /// Takes the records that have come, `most` of them at most; waits up to `wait` for the first.
  /// What a retriable error leaves is handed out. Errors: as Consumer::Poll, less kRetriable.
  [[nodiscard]] BrokerResult<std::span<const LogRecord>> Read(Consumer& consumer, std::size_t most,
                                                              std::chrono::milliseconds wait);

 private:
  std::vector<ConsumedRecord> records_;
  std::vector<LogRecord> views_;  ///< of records_
};

/// Reads the admission log by a client of its own, so that no group notices. Thread-compatible.
class KafkaLogSource final : public LogSource {
 public:
  /// Returns at once; whether brokers are there shows later. Errors: kInvalidConfig.
  [[nodiscard]] static Result<std::unique_ptr<KafkaLogSource>> Make(const KafkaOptions& options,
                                                                    ClientCallbacks callbacks);

  BrokerResult<LogBounds> Bounds(std::chrono::milliseconds timeout) override;
  BrokerStatus Seek(std::int64_t offset) override;
  BrokerResult<std::span<const LogRecord>> Read(std::size_t most,
                                                std::chrono::milliseconds wait) override;
  [[nodiscard]] std::optional<std::int64_t> KnownEnd() const override;

 private:
  KafkaLogSource(TopicPartition log, std::unique_ptr<Consumer> consumer)
      : log_(std::move(log)), consumer_(std::move(consumer)) {}

  const TopicPartition log_;
  std::unique_ptr<Consumer> consumer_;
  KafkaLogRecords records_;  ///< gone before the client
};

}  // namespace crawlsieve::consumer

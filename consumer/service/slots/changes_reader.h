#pragma once

#include "consumer/kafka/config.h"
#include "consumer/kafka/consumer.h"
#include "consumer/service/options.h"
#include "plugin/base/broker_error.h"
#include "plugin/base/result.h"
#include "plugin/slots/changes_record.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace crawlsieve::consumer {

/// Reads the topic of changes by a client of its own: what judges committed, and nothing of what
/// they gave up. Thread-compatible.
class ChangesReader {
 public:
  /// Returns at once; whether brokers are there shows later. Errors: kInvalidConfig.
  [[nodiscard]] static Result<std::unique_ptr<ChangesReader>> Make(const KafkaOptions& options,
                                                                   ClientCallbacks callbacks);

  /// Goes to a place in the topic behind which all records are that tell of entry `offset` of the
  /// log, or of later ones; not far before the first of them. Asks for some records on the way.
  /// Errors: as Consumer.
  [[nodiscard]] BrokerStatus Seek(std::int64_t offset);

  /// The records that have come, `most` at most; waits up to `wait` for the first. Errors: as
  /// Consumer::Poll, less kRetriable; kRefused for one that is no record of changes.
  [[nodiscard]] BrokerResult<std::vector<ChangesRecord>> Read(std::size_t most,
                                                              std::chrono::milliseconds wait);

 private:
  ChangesReader(TopicPartition partition, std::unique_ptr<Consumer> consumer)
      : partition_(std::move(partition)), consumer_(std::move(consumer)) {}

  const TopicPartition partition_;
  std::unique_ptr<Consumer> consumer_;
};

}  // namespace crawlsieve::consumer

#pragma once

#include "consumer/kafka/config.h"
#include "consumer/kafka/consumer.h"
#include "consumer/service/options.h"
#include "consumer/service/slots/changes_source.h"
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

/// Reads the topic of changes by a client of its own. Thread-compatible.
class ChangesReader final : public ChangesSource {
 public:
  /// Returns at once; whether brokers are there shows later. Errors: kInvalidConfig.
  [[nodiscard]] static Result<std::unique_ptr<ChangesReader>> Make(const KafkaOptions& options,
                                                                   ClientCallbacks callbacks);

  /// Asks for some records on the way.
  BrokerStatus Seek(std::int64_t offset) override;
  BrokerResult<std::vector<ChangesRecord>> Read(std::size_t most,
                                                std::chrono::milliseconds wait) override;
  [[nodiscard]] bool is_at_end() const override { return consumer_->IsAtEnd(partition_); }

 private:
  ChangesReader(TopicPartition partition, std::unique_ptr<Consumer> consumer)
      : partition_(std::move(partition)), consumer_(std::move(consumer)) {}

  const TopicPartition partition_;
  std::unique_ptr<Consumer> consumer_;
};

}  // namespace crawlsieve::consumer

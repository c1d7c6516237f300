#pragma once

#include "consumer/kafka/calls.h"
#include "consumer/kafka/client.h"
#include "consumer/kafka/config.h"
#include "consumer/kafka/consumed_record.h"
#include "consumer/kafka/consumer.h"
#include "consumer/kafka/record.h"
#include "plugin/base/broker_error.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <variant>

namespace crawlsieve::consumer {

/// Why there is no record at an offset that once had one.
enum class MissingRecord {
  kExpired,  ///< below the partition's beginning: retention, or somebody deleted it
  kRemoved,  ///< within the partition, by compaction
  kBeyond,   ///< behind the partition's end: brokers lost it, or the topic was made anew
};

/// Reads single records of any partitions, at offsets that mostly rise.
///
/// Operation: each partition has a queue of its own that librdkafka fills ahead, so that records
/// of many partitions can be taken in any order. An offset that isn't the next or a little further
/// on is sought. What did not come that way is looked for once more by a client made for it, and
/// only what that one does not find either is missing: the queue may still hold what was fetched
/// before a seek.
/// Memory: at most two fetches a partition that was ever asked for.
/// Thread-compatible.
class RecordReader {
 public:
  using Answer = std::variant<ConsumedRecord, MissingRecord>;

  /// Returns at once. Errors: kInvalidConfig. `options` is borrowed.
  [[nodiscard]] static Result<std::unique_ptr<RecordReader>> Make(ClientRecipe recipe,
                                                                  const KafkaClientOptions& options,
                                                                  ClientCallbacks callbacks);

  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;

  /// The record at `offset`; it must not outlive the next Read. Errors: kRetriable (it did not come
  /// within some `patience`; at most four times as long), kRefused (no permission), kFatal.
  [[nodiscard]] BrokerResult<Answer> Read(const TopicPartition& partition, std::int64_t offset,
                                          std::chrono::milliseconds patience);

 private:
  struct Stream {
    Queue queue;
    std::int64_t next = 0;               ///< everything before it has been taken
    std::optional<ConsumedRecord> held;  ///< taken from the queue, behind what was asked for
    std::int64_t low = 0;                ///< the partition's beginning, when it was last asked for
  };

  RecordReader(ClientRecipe recipe, const KafkaClientOptions& options)
      : recipe_(std::move(recipe)), options_(options) {}

  [[nodiscard]] BrokerResult<Stream*> StreamAt(const TopicPartition& partition, std::int64_t offset,
                                               std::chrono::milliseconds patience);
  /// The record, if it is the next one of those that its partition's queue holds or gets.
  [[nodiscard]] std::optional<ConsumedRecord> Take(Stream& stream, std::int64_t offset,
                                                   std::chrono::milliseconds patience) const;
  [[nodiscard]] BrokerResult<Answer> LookFor(const TopicPartition& partition, Stream& stream,
                                             std::int64_t offset,
                                             std::chrono::milliseconds patience);

  const ClientRecipe recipe_;
  const KafkaClientOptions& options_;
  std::unique_ptr<Client> client_;
  std::map<TopicPartition, Stream> streams_;  ///< gone before the client
  std::unique_ptr<Consumer> finder_;          ///< has the record that LookFor found last
};

}  // namespace crawlsieve::consumer

#pragma once

#include "consumer/kafka/client.h"
#include "consumer/kafka/config.h"
#include "consumer/kafka/consumer.h"
#include "consumer/kafka/record.h"
#include "plugin/base/broker_error.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct rd_kafka_message_s;

namespace crawlsieve::consumer {

/// What became of one record.
struct DeliveryReport {
  std::uint64_t token = 0;  ///< as given to Produce
  std::string_view topic;
  std::int32_t partition = 0;
  std::int64_t offset = 0;           ///< where the broker put it, if it did
  std::optional<BrokerError> error;  ///< not written, or nobody knows (a time-out, a purge)
};

/// Writes records; with the recipe TransactionalProducer, in transactions.
///
/// Every record that Produce accepts gets exactly one delivery report, unless the producer is
/// destroyed first.
/// Thread-compatible. Reports and errors come on the calling thread, inside Poll, Flush, the
/// transaction calls and the end of the producer.
class Producer {
 public:
  using DeliveryHandler = std::function<void(const DeliveryReport&)>;

  /// Returns at once; whether brokers are there shows later. `on_delivery` must not call back into
  /// the producer. Errors: kInvalidConfig.
  [[nodiscard]] static Result<std::unique_ptr<Producer>> Make(const ClientRecipe& recipe,
                                                              const KafkaClientOptions& options,
                                                              ClientCallbacks callbacks,
                                                              DeliveryHandler on_delivery);

  /// Waits up to a second for the reports of a transaction that is open; the broker aborts it.
  ~Producer();

  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  /// Finds out who leads the partitions of a topic; without it the first record waits up to a
  /// second, until librdkafka looks for topics it doesn't know. kRetriable: not done within
  /// `timeout`.
  [[nodiscard]] BrokerStatus FindLeaders(const std::string& topic,
                                         std::chrono::milliseconds timeout);

  /// Queues a copy of the record. `token` comes back in its delivery report.
  /// Errors, after which there will be no report: kBusy (the queue is full: Poll, then offer it
  /// again), kRefused (larger than max_message_bytes allows, unknown partition), kAbortable (no
  /// transaction is open, or it has failed), kFenced, kFatal.
  [[nodiscard]] BrokerStatus Produce(const RecordView& record, std::uint64_t token);

  /// Serves callbacks, waiting up to `timeout` for the first.
  void Poll(std::chrono::milliseconds timeout);

  /// Sends what is queued and waits for all reports. kRetriable: not done within `timeout`.
  [[nodiscard]] BrokerStatus Flush(std::chrono::milliseconds timeout);

  /// Records without a report yet.
  [[nodiscard]] std::size_t outstanding() const;

  /// Takes the transactional id over from whoever had it, ending its open transaction. Once, before
  /// any other transaction call. kRetriable: not done within `timeout`, call again.
  [[nodiscard]] BrokerStatus InitTransactions(std::chrono::milliseconds timeout);

  // The rest of the transaction takes at most transaction.timeout.ms a call. After kRetriable the
  // same call is made again; after kAbortable AbortTransaction, and the work since Begin is redone.

  [[nodiscard]] BrokerStatus BeginTransaction();

  /// Makes `offsets` of the consumer's group part of the transaction; with the group metadata taken
  /// when their partitions were assigned.
  [[nodiscard]] BrokerStatus SendOffsets(const std::vector<PartitionOffset>& offsets,
                                         const GroupMetadata& group);

  /// Waits until every record is written, then commits. Success: records and offsets are there for
  /// good, together. kFatal and kFenced: either all of it or nothing is, which only the committed
  /// offset tells.
  [[nodiscard]] BrokerStatus CommitTransaction();

  [[nodiscard]] BrokerStatus AbortTransaction();

  /// Set once every call fails and only another producer helps.
  [[nodiscard]] std::optional<BrokerError> FatalError() const;

 private:
  explicit Producer(DeliveryHandler on_delivery) : on_delivery_(std::move(on_delivery)) {}

  void Deliver(const rd_kafka_message_s& message);

  std::unique_ptr<Client> client_;
  DeliveryHandler on_delivery_;
  bool is_in_transaction_ = false;
  std::uint64_t produced_in_transaction_ = 0;
  std::uint64_t reported_in_transaction_ = 0;
};

}  // namespace crawlsieve::consumer

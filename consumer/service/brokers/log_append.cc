#include "consumer/service/brokers/log_append.h"

#include "consumer/kafka/producer.h"
#include "consumer/service/brokers/kafka_log.h"
#include "consumer/service/brokers/kafka_log_source.h"
#include "plugin/base/result.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

namespace crawlsieve::consumer {
namespace {

constexpr std::chrono::milliseconds kTimeout{10'000};

}  // namespace

BrokerResult<std::int64_t> AppendToLog(const KafkaOptions& options, const log::Entry& entry,
                                       std::string stage) {
  std::optional<BrokerError> failure;
  std::int64_t offset = -1;
  auto producer =
      Producer::Make(IdempotentProducer(options), options, LoggingCallbacks(std::move(stage)),
                     [&](const DeliveryReport& report) {
                       if (report.error.has_value()) failure = report.error;
                       offset = report.offset;
                     });
  if (!producer) return FinalError(std::move(producer.error()));
  const TopicPartition log = LogPartition(options);
  const std::string value = entry.SerializeAsString();
  RecordView record;
  record.topic = log.topic;
  record.partition = log.partition;
  record.value = value;
  CRAWLSIEVE_RETURN_IF_ERROR((*producer)->Produce(record, 0));
  CRAWLSIEVE_RETURN_IF_ERROR((*producer)->Flush(kTimeout));
  if (failure.has_value()) return tl::unexpected(*failure);
  return offset;
}

}  // namespace crawlsieve::consumer

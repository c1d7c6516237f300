#include "consumer/kafka/probe.h"

#include "consumer/kafka/consumer.h"
#include "consumer/kafka/producer.h"
#include "plugin/base/result.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>

#include <librdkafka/rdkafka.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;

/// No topic has as many partitions.
constexpr std::int32_t kNoPartition = std::numeric_limits<std::int32_t>::max();

/// Kafka has had acknowledgements by all replicas (-1), by the leader (1) and none (0) since 0.9.
/// Brokers answer INVALID_REQUIRED_ACKS to all others, behind the check of permissions and before
/// they append.
constexpr const char* kInvalidAcks = "2";

constexpr milliseconds kGroupStep{1'000};
constexpr milliseconds kPollStep{10};

/// Asks a question about the group of a client until it is answered, or `timeout` is over.
BrokerStatus AskGroup(const ClientRecipe& recipe, const KafkaClientOptions& options,
                      milliseconds timeout,
                      const std::function<BrokerStatus(Consumer&, milliseconds)>& ask) {
  auto consumer = Consumer::Make(recipe, options, {});
  if (!consumer) return FinalError(consumer.error());
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  BrokerStatus answer;
  do {
    answer = ask(**consumer, kGroupStep);
    if (answer) return {};
    // That the group's coordinator can't be asked for comes by the way of records.
    const auto polled = (*consumer)->Poll(kPollStep);
    if (!polled && polled.error().error_class == ErrorClass::kRefused) {
      answer = tl::unexpected(polled.error());
    }
  } while (answer.error().error_class == ErrorClass::kRetriable &&
           std::chrono::steady_clock::now() < deadline);
  // It has joined nothing. A request that still waits would hold up an orderly close.
  static_cast<void>((*consumer)->Close(milliseconds(0)));
  return answer;
}

}  // namespace

BrokerStatus TryWrite(const KafkaClientOptions& options, const std::string& topic,
                      milliseconds timeout) {
  ClientRecipe recipe = BestEffortProducer(options);
  recipe.replaced["enable.idempotence"] = "false";
  recipe.replaced["acks"] = kInvalidAcks;
  recipe.replaced["retries"] = "0";
  recipe.replaced["message.timeout.ms"] = std::to_string(timeout.count());
  std::optional<BrokerError> answer;
  auto producer = Producer::Make(recipe, options, {},
                                 [&](const DeliveryReport& report) { answer = report.error; });
  if (!producer) return FinalError(producer.error());
  RecordView record;
  record.topic = topic;
  record.partition = 0;
  CRAWLSIEVE_RETURN_IF_ERROR((*producer)->Produce(record, 0));
  BrokerStatus flushed = (*producer)->Flush(timeout);
  if (!answer.has_value()) {
    if (!flushed) return flushed;
    return MakeBrokerError(ErrorClass::kFatal,
                           "a broker took a record with acks=2, which Kafka refuses");
  }
  if (answer->broker_code == RD_KAFKA_RESP_ERR_INVALID_REQUIRED_ACKS) return {};
  return tl::unexpected(std::move(*answer));
}

BrokerStatus TryReadInGroup(const ClientRecipe& recipe, const KafkaClientOptions& options,
                            const std::string& topic, milliseconds timeout) {
  return AskGroup(recipe, options, timeout, [&](Consumer& consumer, milliseconds wait) {
    BrokerStatus answer = consumer.Commit({{{topic, kNoPartition}, 0, {}}}, wait);
    const bool is_allowed =
        !answer && answer.error().broker_code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
    return is_allowed ? BrokerStatus() : answer;
  });
}

BrokerStatus TryDescribeGroup(const ClientRecipe& recipe, const KafkaClientOptions& options,
                              const std::string& topic, milliseconds timeout) {
  return AskGroup(recipe, options, timeout,
                  [&](Consumer& consumer, milliseconds wait) -> BrokerStatus {
                    auto offsets = consumer.Committed({{topic, 0}}, wait);
                    if (!offsets) return tl::unexpected(offsets.error());
                    return {};
                  });
}

}  // namespace crawlsieve::consumer

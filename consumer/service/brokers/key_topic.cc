#include "consumer/service/brokers/key_topic.h"

#include "consumer/kafka/admin.h"
#include "consumer/kafka/consumer.h"
#include "consumer/kafka/producer.h"
#include "consumer/kafka/topics.h"
#include "consumer/service/brokers/kafka_log.h"
#include "consumer/service/brokers/topic_check.h"
#include "plugin/base/result.h"

#include <chrono>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTimeout{10'000};

std::string KeyRecord(const std::string& key) {
  return nlohmann::ordered_json{{"schema_version", 1}, {"key", key}}.dump();
}

/// Empty if `value` is no key record.
std::string KeyIn(const std::string& value) {
  const nlohmann::json json = nlohmann::json::parse(value, nullptr, false);
  if (!json.is_object()) return {};
  const auto key = json.find("key");
  return key != json.end() && key->is_string() ? key->get<std::string>() : std::string();
}

BrokerStatus KeyTopicFailure(Error error) {
  error.message = fmt::format("the key topic (kafka.key.topic): {}", error.message);
  const bool may_end = error.code == ErrorCode::kIo;
  return SessionError(std::move(error), may_end);
}

/// Ensures that the topic exists, keeps all records, and is replicated.
BrokerStatus EnsureKeyTopic(const KafkaOptions& options) {
  auto admin = Admin::Make(options, LoggingCallbacks("start"));
  if (!admin) return FinalError(admin.error());
  KafkaOptions as_log = options;
  as_log.log_topic = options.key_topic;
  if (Status ensured = EnsureLogTopic(**admin, as_log, MissingTopic::kCreate, kTimeout); !ensured) {
    return KeyTopicFailure(std::move(ensured.error()));
  }
  return CheckKeyTopic(options);
}

}  // namespace

BrokerStatus CheckKeyTopic(const KafkaOptions& options) {
  auto admin = Admin::Make(options, LoggingCallbacks("start"));
  if (!admin) return FinalError(admin.error());
  if (auto kept = CheckDurability(**admin, options, {options.key_topic}, kTimeout); !kept) {
    return KeyTopicFailure(std::move(kept.error()));
  }
  return {};
}

BrokerResult<bool> HasTopic(const KafkaOptions& options, const std::string& topic) {
  auto admin = Admin::Make(options, LoggingCallbacks("start"));
  if (!admin) return FinalError(admin.error());
  auto described = (*admin)->DescribeTopic(topic, kTimeout);
  if (!described) return tl::unexpected(Passing(described.error()));
  return described->has_value();
}

namespace {

/// What the first record of the key topic says.
struct FirstRecord {
  std::int64_t offset = 0;
  std::string value;
};

/// The first record of the key topic; nullopt where there is no such topic, or nothing in it.
BrokerResult<std::optional<FirstRecord>> ReadFirstRecord(const KafkaOptions& options) {
  const std::string& topic = options.key_topic;
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto is_there, HasTopic(options, topic));
  if (!is_there) return std::optional<FirstRecord>();

  auto reader = Consumer::Make(JudgeConsumer(options), options, LoggingCallbacks("start"));
  if (!reader) return FinalError(reader.error());
  const TopicPartition partition{topic, 0};
  const auto watermarks = (*reader)->QueryWatermarks(partition, kTimeout);
  if (!watermarks) return tl::unexpected(Passing(watermarks.error()));
  if (watermarks->high <= watermarks->low) {
    if (watermarks->high == 0) return std::optional<FirstRecord>();
    return std::optional<FirstRecord>(FirstRecord{watermarks->high, std::string()});
  }
  if (auto assigned = (*reader)->Assign({{partition, watermarks->low}}); !assigned) {
    return tl::unexpected(Passing(assigned.error()));
  }
  const auto deadline = std::chrono::steady_clock::now() + kTimeout;
  while (std::chrono::steady_clock::now() < deadline) {
    auto record = (*reader)->Poll(milliseconds(100));
    if (!record && record.error().error_class != ErrorClass::kRetriable) {
      return tl::unexpected(Passing(record.error()));
    }
    if (!record || !record->has_value()) continue;
    const std::string_view value = (*record)->value().value_or("");
    return std::optional<FirstRecord>(FirstRecord{(*record)->offset(), std::string(value)});
  }
  return MakeBrokerError(
      ErrorClass::kFatal, ErrorCode::kIo,
      fmt::format("topic {}: its first record did not come within {} s", topic,
                  std::chrono::duration_cast<std::chrono::seconds>(kTimeout).count()));
}

}  // namespace

BrokerResult<std::optional<std::string>> ReadKey(const KafkaOptions& options) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto first, ReadFirstRecord(options));
  if (!first.has_value()) return std::optional<std::string>();
  std::string key = first->offset == 0 ? KeyIn(first->value) : std::string();
  if (!key.empty()) return std::optional(std::move(key));
  return MakeBrokerError(
      ErrorClass::kRefused, ErrorCode::kMismatch,
      fmt::format(
          "topic {} (kafka.key.topic) {}: the key of the fingerprints can't be known. Delete the "
          "topic "
          "and put the key back with `crawlsieve key import`, or name it in fingerprint.key",
          options.key_topic,
          first->offset == 0 ? "begins with a record that is no key"
                             : "has lost its first record"));
}

BrokerResult<std::string> ProposeKey(const KafkaOptions& options, const std::string& key) {
  CRAWLSIEVE_RETURN_IF_ERROR(EnsureKeyTopic(options));
  std::optional<BrokerError> failure;
  auto producer = Producer::Make(IdempotentProducer(options), options, LoggingCallbacks("start"),
                                 [&](const DeliveryReport& report) {
                                   if (report.error.has_value()) failure = report.error;
                                 });
  if (!producer) return FinalError(producer.error());
  const std::string value = KeyRecord(key);
  RecordView record;
  record.topic = options.key_topic;
  record.partition = 0;
  record.value = value;
  if (auto produced = (*producer)->Produce(record, 0); !produced) {
    return tl::unexpected(Passing(produced.error()));
  }
  if (auto flushed = (*producer)->Flush(kTimeout); !flushed) {
    return tl::unexpected(Passing(flushed.error()));
  }
  if (failure.has_value()) return tl::unexpected(Passing(*failure));
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto held, ReadKey(options));
  if (!held.has_value()) {
    return MakeBrokerError(
        ErrorClass::kFatal, ErrorCode::kIo,
        fmt::format("topic {}: the key that was written is not there yet", options.key_topic));
  }
  return std::move(*held);
}

}  // namespace crawlsieve::consumer

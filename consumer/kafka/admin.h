#pragma once

#include "consumer/kafka/client.h"
#include "consumer/kafka/config.h"
#include "plugin/base/broker_error.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct rd_kafka_metadata;
struct rd_kafka_queue_s;
struct rd_kafka_topic_s;
struct rd_kafka_topic_result_s;

namespace crawlsieve::consumer {

/// A topic to be made.
struct TopicSpec {
  std::string name;
  std::int32_t partitions = 1;
  std::int32_t replication_factor = -1;         ///< -1: the brokers' default
  std::map<std::string, std::string> settings;  ///< what else the brokers' default isn't right for
};

/// What the brokers say about a topic.
struct TopicDescription {
  std::int32_t partitions = 0;
  std::int32_t replicas = 0;                    ///< of the partition that has the fewest
  std::map<std::string, std::string> settings;  ///< every topic setting in force, defaults too
};

/// Asks for topics, makes and deletes them. Thread-compatible; every call waits up to its timeout.
class Admin {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Admin>> Make(const KafkaClientOptions& options,
                                                           ClientCallbacks callbacks);

  /// Returns once the topic can be written to. Errors: kRefused (TOPIC_ALREADY_EXISTS, permission,
  /// a setting the brokers don't take), kRetriable (no answer in time).
  [[nodiscard]] BrokerStatus CreateTopic(const TopicSpec& spec, std::chrono::milliseconds timeout);

  /// Asks whether CreateTopic would succeed, and makes nothing. Errors: as CreateTopic.
  [[nodiscard]] BrokerStatus TryCreateTopic(const TopicSpec& spec,
                                            std::chrono::milliseconds timeout);

  /// nullopt: there is no such topic. Never makes one, whatever the brokers are set to.
  [[nodiscard]] BrokerResult<std::optional<TopicDescription>> DescribeTopic(
      const std::string& name, std::chrono::milliseconds timeout);

  /// The client ids of a consumer group's members; none where there is no such group, or
  /// where a broker that may know of it doesn't answer.
  [[nodiscard]] BrokerResult<std::vector<std::string>> GroupMembers(
      const std::string& group, std::chrono::milliseconds timeout);

  /// The names of all topics that this client may see.
  [[nodiscard]] BrokerResult<std::vector<std::string>> TopicNames(
      std::chrono::milliseconds timeout);

  /// How many brokers there are.
  [[nodiscard]] BrokerResult<std::int32_t> CountBrokers(std::chrono::milliseconds timeout);

  /// Where the brokers say that clients reach them, as host:port.
  [[nodiscard]] BrokerResult<std::vector<std::string>> BrokerAddresses(
      std::chrono::milliseconds timeout);

  /// Who this client is to the brokers: see ClientIdentity.
  [[nodiscard]] const std::string& principal() const { return client_->identity().principal; }

  /// Deletes a partition's records below offset `before`, for good; returns the offset that it
  /// begins at then. Errors: kRefused (permission, an offset behind its end), kRetriable.
  [[nodiscard]] BrokerResult<std::int64_t> DeleteRecords(const std::string& topic,
                                                         std::int32_t partition,
                                                         std::int64_t before,
                                                         std::chrono::milliseconds timeout);

  [[nodiscard]] BrokerStatus DeleteTopic(const std::string& name,
                                         std::chrono::milliseconds timeout);

 private:
  struct Answer;
  struct DestroyMetadata {
    void operator()(const struct rd_kafka_metadata* metadata) const;
  };
  using Metadata = std::unique_ptr<const struct rd_kafka_metadata, DestroyMetadata>;
  struct PartitionCounts {
    std::int32_t partitions = 0;
    std::int32_t replicas = 0;
  };

  Admin() = default;

  [[nodiscard]] BrokerResult<Answer> Await(rd_kafka_queue_s* queue,
                                           std::chrono::milliseconds timeout,
                                           std::string_view doing);
  [[nodiscard]] BrokerStatus CheckTopics(const rd_kafka_topic_result_s* const* results,
                                         std::size_t count, std::string_view doing,
                                         std::string_view operation);
  [[nodiscard]] BrokerStatus AskToCreate(const TopicSpec& spec, bool only_try,
                                         std::chrono::milliseconds timeout);
  /// `topic`: of this one; null: of all topics, or of the brokers alone.
  [[nodiscard]] BrokerResult<Metadata> AskForMetadata(rd_kafka_topic_s* topic, bool all_topics,
                                                      std::chrono::milliseconds timeout,
                                                      std::string_view doing);
  /// Whether waiting is of no use: see Client::IsRefused.
  [[nodiscard]] bool IsRefused();
  [[nodiscard]] BrokerResult<std::optional<std::map<std::string, std::string>>> DescribeSettings(
      const std::string& name, std::chrono::milliseconds timeout);
  [[nodiscard]] BrokerResult<PartitionCounts> CountPartitions(const std::string& name,
                                                              std::chrono::milliseconds timeout);
  [[nodiscard]] BrokerError Failed(std::int32_t code, std::string_view doing,
                                   std::string_view detail, const TopicAccess& access = {});

  std::unique_ptr<Client> client_;
};

}  // namespace crawlsieve::consumer

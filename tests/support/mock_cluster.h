#pragma once

#include "consumer/service/options.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

namespace crawlsieve::testing {

/// Kafka's numbers for the requests of a transaction.
enum class Request : std::int16_t {
  kProduce = 0,
  kOffsetCommit = 8,
  kOffsetFetch = 9,
  kInitProducerId = 22,
  kAddPartitionsToTxn = 24,
  kAddOffsetsToTxn = 25,
  kEndTxn = 26,
  kTxnOffsetCommit = 28,
};

/// librdkafka's cluster inside this process: answers as it is told, keeps no promises. Readers see
/// aborted records, offsets of transactions are forgotten, nobody is fenced.
class MockCluster {
 public:
  explicit MockCluster(int brokers = 1)
      : client_(rd_kafka_new(RD_KAFKA_PRODUCER, rd_kafka_conf_new(), nullptr, 0)),
        cluster_(rd_kafka_mock_cluster_new(client_.get(), brokers)) {}

  [[nodiscard]] std::string bootstrap() const {
    return rd_kafka_mock_cluster_bootstraps(cluster_.get());
  }

  [[nodiscard]] consumer::KafkaOptions Options() const {
    consumer::KafkaOptions options;
    options.bootstrap_servers = bootstrap();
    return options;
  }

  void CreateTopic(const std::string& topic, int partitions) {
    rd_kafka_mock_topic_create(cluster_.get(), topic.c_str(), partitions, 1);
  }

  /// Until somebody else is made leader, the partition has none.
  void DeposeLeader(const std::string& topic, int partition) {
    rd_kafka_mock_partition_set_leader(cluster_.get(), topic.c_str(), partition, -1);
  }

  void MakeLeader(const std::string& topic, int partition, std::int32_t broker) {
    rd_kafka_mock_partition_set_leader(cluster_.get(), topic.c_str(), partition, broker);
  }

  /// The next requests of this kind are answered with these codes, one each.
  void FailNext(Request request, const std::vector<rd_kafka_resp_err_t>& codes) {
    rd_kafka_mock_push_request_errors_array(cluster_.get(), static_cast<std::int16_t>(request),
                                            codes.size(), codes.data());
  }

  /// The next request of this kind is answered with `code`, and only after `delay`.
  void FailNextAfter(Request request, rd_kafka_resp_err_t code, int delay_ms) {
    rd_kafka_mock_broker_push_request_error_rtts(
        cluster_.get(), 1, static_cast<std::int16_t>(request), 1, code, delay_ms);
  }

  void SetBrokerDown(std::int32_t broker) { rd_kafka_mock_broker_set_down(cluster_.get(), broker); }
  void SetBrokerUp(std::int32_t broker) { rd_kafka_mock_broker_set_up(cluster_.get(), broker); }
  void SetRoundTripTime(std::int32_t broker, int ms) {
    rd_kafka_mock_broker_set_rtt(cluster_.get(), broker, ms);
  }

 private:
  struct DestroyClient {
    void operator()(rd_kafka_t* client) const { rd_kafka_destroy(client); }
  };
  struct DestroyCluster {
    void operator()(rd_kafka_mock_cluster_t* cluster) const {
      rd_kafka_mock_cluster_destroy(cluster);
    }
  };
  std::unique_ptr<rd_kafka_t, DestroyClient> client_;
  std::unique_ptr<rd_kafka_mock_cluster_t, DestroyCluster> cluster_;
};

}  // namespace crawlsieve::testing

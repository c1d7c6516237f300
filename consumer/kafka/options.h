#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace crawlsieve::consumer {

using ClientProperties = std::map<std::string, std::string>;

/// How this deployment's Kafka clients reach the brokers, and what they are called there.
struct KafkaClientOptions {
  std::string bootstrap_servers = "localhost:9092";
  /// Consumer groups are `<group>.extract` and `<group>.judge`, the transactional id
  /// `<group>.judge`.
  std::string group = "crawlsieve";
  /// The admission log; client ids name it, so that members of two deployments are told apart.
  std::string log_topic = "crawl.fingerprints";
  /// Replicas of topics that are made here; 0: three, or as many as there are brokers.
  std::uint32_t topic_replication = 0;
  /// Size of the largest record that is read; the ones that are written may exceed it by what
  /// dead letters add in headers. Sets every size limit of the clients and of the topics that are
  /// created; input topics should not allow more (`max.message.bytes`).
  std::size_t max_message_bytes = 32 << 20;
  /// Any property of librdkafka, handed through: for all clients, for consumers, for producers. A
  /// secret such as `sasl.password` is given by `sasl.password.file`, too: the name of a file,
  /// which is read whenever a client is made.
  ClientProperties client;
  ClientProperties consumer;
  ClientProperties producer;
};

}  // namespace crawlsieve::consumer

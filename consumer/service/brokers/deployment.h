#pragma once

#include "consumer/kafka/record.h"
#include "consumer/service/options.h"
#include "plugin/base/broker_error.h"

#include <chrono>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

// Two deployments that share a group fence each other, or share the pages of a topic between two
// logs. Each client's id names its log, so that members of a group can be assigned to deployments.
// All functions ask the brokers unless they say otherwise. Further errors: as Admin.

/// The id with which a judge joins its group. It sorts behind those of all judges in the group, and
/// doesn't depend on clocks. Errors: kRefused, if the group belongs to another deployment.
[[nodiscard]] BrokerResult<std::string> JudgeClientId(const KafkaOptions& options,
                                                      std::chrono::milliseconds timeout);

/// The id of an extract process. Needs no broker.
[[nodiscard]] std::string ExtractClientId(const KafkaOptions& options);

/// The id of a process that holds slots. Needs no broker.
[[nodiscard]] std::string IndexClientId(const KafkaOptions& options);

/// Checks that a judge was assigned its log's partition, and that its group has no judge of another
/// deployment, if the brokers answer. Errors: kRefused.
[[nodiscard]] BrokerStatus CheckJudgeGroup(const KafkaOptions& options,
                                           const std::vector<TopicPartition>& assigned,
                                           std::chrono::milliseconds timeout);

/// Checks that the group has no extract process of another deployment, if the brokers answer.
/// Errors: kRefused.
[[nodiscard]] BrokerStatus CheckExtractGroup(const KafkaOptions& options,
                                             std::chrono::milliseconds timeout);

/// The same of the group that this process holds slots in.
[[nodiscard]] BrokerStatus CheckIndexGroup(const KafkaOptions& options,
                                           std::chrono::milliseconds timeout);

}  // namespace crawlsieve::consumer

#pragma once

#include "consumer/kafka/error.h"
#include "consumer/kafka/record.h"
#include "consumer/options.h"

#include <chrono>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

// Two deployments that share a group fence each other, or share the pages of a topic between two
// logs. Each client's id names its log, so that members of one group can be told apart. All of
// these ask the brokers. Errors besides: as Admin.

/// The id that a judge joins its group with: behind those of all judges that are in it, whatever
/// the clocks say. Errors: kRefused, where the group is another deployment's.
[[nodiscard]] KafkaResult<std::string> JudgeClientId(const KafkaOptions& options,
                                                     std::chrono::milliseconds timeout);

/// The id of an extract process. Asks nobody.
[[nodiscard]] std::string ExtractClientId(const KafkaOptions& options);

/// What a judge was assigned is its log's partition, and no other deployment's judge is in the
/// group, as far as that can be asked. Errors: kRefused.
[[nodiscard]] KafkaStatus CheckJudgeGroup(const KafkaOptions& options,
                                          const std::vector<TopicPartition>& assigned,
                                          std::chrono::milliseconds timeout);

/// No other deployment's extract process is in the group, as far as that can be asked. Errors:
/// kRefused.
[[nodiscard]] KafkaStatus CheckExtractGroup(const KafkaOptions& options,
                                            std::chrono::milliseconds timeout);

}  // namespace crawlsieve::consumer

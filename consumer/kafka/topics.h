#pragma once

#include "consumer/kafka/admin.h"
#include "consumer/options.h"
#include "plugin/base/result.h"

#include <chrono>
#include <cstdint>
#include <string>

namespace crawlsieve::consumer {

/// What stands between this topic and being an admission log: it must have one partition (one
/// total order) and forget nothing (cleanup.policy=delete, retention.ms=-1, retention.bytes=-1).
/// Empty if nothing does; else for a person, with the command that mends it.
[[nodiscard]] std::string LogTopicProblem(const std::string& topic,
                                          const TopicDescription& description,
                                          const std::string& bootstrap_servers);

enum class MissingTopic { kCreate, kRefuse };

/// Sees to it that `options.log_topic` exists and can be the admission log.
/// Errors: kInvalidConfig (missing and not to be created, or LogTopicProblem), kIo (no broker
/// answered in time), and as Admin.
[[nodiscard]] Status EnsureLogTopic(Admin& admin, const KafkaOptions& options, MissingTopic missing,
                                    std::chrono::milliseconds timeout);

/// Sees to it that an output topic exists. One that exists is left as it is; a new one takes
/// records as large as our producers write. Errors: kIo (no broker answered in time), and as Admin.
[[nodiscard]] Status EnsureTopic(Admin& admin, const KafkaOptions& options,
                                 const std::string& topic, std::int32_t partitions,
                                 std::chrono::milliseconds timeout);

}  // namespace crawlsieve::consumer

#pragma once

#include "consumer/kafka/admin.h"
#include "consumer/kafka/options.h"
#include "plugin/base/result.h"

#include <chrono>
#include <cstdint>
#include <string>

namespace crawlsieve::consumer {

/// What stands between this topic and being an admission log: it must have one partition (one
/// total order), forget nothing (cleanup.policy=delete, retention.ms=-1, retention.bytes=-1) and
/// take every entry (RecordSizeProblem).
/// Empty if nothing does; else for a person, with the command that mends it.
[[nodiscard]] std::string LogTopicProblem(const std::string& topic,
                                          const TopicDescription& description,
                                          const std::string& bootstrap_servers);

/// Where `max_message_bytes`, the topic's setting, is less than kMinTopicMessageBytes: that, with
/// the command that mends it; else empty.
[[nodiscard]] std::string RecordSizeProblem(const std::string& topic,
                                            std::uint64_t max_message_bytes,
                                            const std::string& bootstrap_servers);

/// The topic's max.message.bytes; 0 if the brokers don't say.
[[nodiscard]] std::uint64_t MaxMessageBytes(const TopicDescription& description);

/// Why brokers may lose records of this topic that they acknowledged, with the command that mends
/// it; empty if they don't, or if the topic has one replica because there is one broker
/// (`brokers`).
[[nodiscard]] std::string TopicDurabilityProblem(const std::string& topic,
                                                 const TopicDescription& description,
                                                 std::int32_t brokers,
                                                 const std::string& bootstrap_servers);

/// Why this topic can't be the one of candidates of `slots` slots: it has a partition for each.
/// Empty if it can.
[[nodiscard]] std::string CandidatesTopicProblem(const std::string& topic,
                                                 const TopicDescription& description,
                                                 std::uint32_t slots,
                                                 const std::string& bootstrap_servers);

/// Why pages can't be read from this topic: it takes records that the consumers don't. Empty if
/// they can.
[[nodiscard]] std::string InputTopicProblem(const std::string& topic,
                                            const TopicDescription& description,
                                            const KafkaClientOptions& options);

/// What a person does about a topic that isn't there, and that this process doesn't make.
[[nodiscard]] std::string MissingInputProblem(const std::string& topic);
[[nodiscard]] std::string MissingLogProblem(const KafkaClientOptions& options);

/// A topic as we make it: replicated as the options say, so that brokers don't lose what they
/// acknowledged, and with room for the largest records that we write. Errors: kIo.
[[nodiscard]] Result<TopicSpec> OutputTopicSpec(Admin& admin, const KafkaClientOptions& options,
                                                const std::string& name, std::int32_t partitions,
                                                std::chrono::milliseconds timeout);

/// The same for a topic that forgets nothing: the admission log, or the key's. Errors: kIo.
[[nodiscard]] Result<TopicSpec> LogTopicSpec(Admin& admin, const KafkaClientOptions& options,
                                             const std::string& name,
                                             std::chrono::milliseconds timeout);

enum class MissingTopic { kCreate, kRefuse };

/// Sees to it that `options.log_topic` exists and can be the admission log.
/// Errors: kInvalidConfig (LogTopicProblem), kIo (missing and not to be created; no broker answered
/// in time, or it refused: that may pass).
[[nodiscard]] Status EnsureLogTopic(Admin& admin, const KafkaClientOptions& options,
                                    MissingTopic missing, std::chrono::milliseconds timeout);

/// What a topic that is made keeps: all records, as long as the brokers keep any; those of about a
/// day; the last one of each key.
enum class TopicKeeps { kAll, kDay, kLastOfKey };

/// Sees to it that an output topic exists and returns its max.message.bytes. One that exists is
/// left as it is; a new one takes records as large as our producers write. Errors: kIo (no broker
/// answered in time, or it refused).
[[nodiscard]] Result<std::uint64_t> EnsureTopic(Admin& admin, const KafkaClientOptions& options,
                                                const std::string& topic, std::int32_t partitions,
                                                std::chrono::milliseconds timeout,
                                                TopicKeeps keeps = TopicKeeps::kAll);

}  // namespace crawlsieve::consumer

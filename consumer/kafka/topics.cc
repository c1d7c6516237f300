#include "consumer/kafka/topics.h"

#include "consumer/record_limits.h"
#include "plugin/base/result.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::array<std::pair<const char*, const char*>, 3> kLogSettings = {{
    {"cleanup.policy", "delete"},
    {"retention.ms", "-1"},
    {"retention.bytes", "-1"},
}};

/// What a broker answers may be another answer later: permissions are given while a process waits.
Error Passing(const BrokerError& error) { return {ErrorCode::kIo, error.message}; }

/// Creates the topic, if no other process is quicker.
Status Create(Admin& admin, const TopicSpec& spec, std::chrono::milliseconds timeout) {
  const BrokerStatus created = admin.CreateTopic(spec, timeout);
  if (!created && created.error().broker_code != RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS) {
    return tl::unexpected(Passing(created.error()));
  }
  return {};
}

Result<std::optional<TopicDescription>> Describe(Admin& admin, const std::string& topic,
                                                 std::chrono::milliseconds timeout) {
  return admin.DescribeTopic(topic, timeout).map_error(Passing);
}

}  // namespace

Result<TopicSpec> OutputTopicSpec(Admin& admin, const KafkaClientOptions& options,
                                  const std::string& name, std::int32_t partitions,
                                  std::chrono::milliseconds timeout) {
  constexpr std::int32_t kReplicas = 3;
  TopicSpec spec{name, partitions, static_cast<std::int32_t>(options.topic_replication), {}};
  if (spec.replication_factor == 0) {
    const auto brokers = admin.CountBrokers(timeout);
    if (!brokers) {
      return tl::unexpected(Passing(brokers.error()));
    }
    spec.replication_factor = std::clamp(*brokers, 1, kReplicas);
  }
  spec.settings["max.message.bytes"] = std::to_string(MaxWrittenBytes(options));
  spec.settings["unclean.leader.election.enable"] = "false";
  if (spec.replication_factor >= 2) {
    spec.settings["min.insync.replicas"] = "2";
  }
  return spec;
}

Result<TopicSpec> LogTopicSpec(Admin& admin, const KafkaClientOptions& options,
                               const std::string& name, std::chrono::milliseconds timeout) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(TopicSpec spec, OutputTopicSpec(admin, options, name, 1, timeout));
  spec.settings.insert(kLogSettings.begin(), kLogSettings.end());
  return spec;
}

std::string MissingLogProblem(const KafkaClientOptions& options) {
  return fmt::format(
      "topic {} (kafka.log.topic) does not exist. To make it: kafka-topics.sh --bootstrap-server "
      "{} "
      "--create --topic {} --partitions 1 --config cleanup.policy=delete --config retention.ms=-1 "
      "--config retention.bytes=-1",
      options.log_topic, options.bootstrap_servers, options.log_topic);
}

std::string MissingInputProblem(const std::string& topic) {
  return fmt::format("input topic {} does not exist: create it, or correct kafka.input.topics",
                     topic);
}

std::string InputTopicProblem(const std::string& topic, const TopicDescription& description,
                              const KafkaClientOptions& options) {
  // A batch over the limit of the consumer is not delivered, nor is anything behind it.
  const std::uint64_t bytes = MaxMessageBytes(description);
  if (bytes <= MaxWrittenBytes(options)) return {};
  return fmt::format(
      "input topic {} takes records of {} bytes (max.message.bytes), more than "
      "kafka.max_message_bytes={}: raise that, or lower the topic's",
      topic, bytes, options.max_message_bytes);
}

std::string CandidatesTopicProblem(const std::string& topic, const TopicDescription& description,
                                   std::uint32_t slots, const std::string& bootstrap_servers) {
  const auto partitions = static_cast<std::uint32_t>(std::max(description.partitions, 0));
  if (partitions == slots) {
    return RecordSizeProblem(topic, MaxMessageBytes(description), bootstrap_servers);
  }
  const std::string mend =
      partitions < slots
          ? fmt::format(
                "if index.slots is right, kafka-topics.sh --bootstrap-server {} --alter "
                "--topic {} --partitions {}",
                bootstrap_servers, topic, slots)
          : fmt::format(
                "correct index.slots, or name another topic in kafka.candidates.topic; "
                "nothing in this one is needed");
  return fmt::format(
      "topic {} (kafka.candidates.topic) has {} partitions, and index.slots is {}: it has one for "
      "each slot. To mend it: {}",
      topic, partitions, slots, mend);
}

std::string LogTopicProblem(const std::string& topic, const TopicDescription& description,
                            const std::string& bootstrap_servers) {
  if (description.partitions != 1) {
    return fmt::format(
        "topic {} has {} partitions; the admission log must have one, which puts all pages in one "
        "order. Partitions can't be taken away: name another topic in kafka.log.topic, or delete "
        "this one if nothing of it is needed: kafka-topics.sh --bootstrap-server {} --delete "
        "--topic {}",
        topic, description.partitions, bootstrap_servers, topic);
  }
  std::string wrong;
  std::string mend;
  for (const auto& [name, value] : kLogSettings) {
    const auto found = description.settings.find(name);
    const std::string now = found == description.settings.end() ? "" : found->second;
    if (now != value) {
      wrong += fmt::format("{}{}={} instead of {}", wrong.empty() ? "" : ", ", name, now, value);
      mend += fmt::format("{}{}={}", mend.empty() ? "" : ",", name, value);
    }
  }
  if (wrong.empty()) {
    return RecordSizeProblem(topic, MaxMessageBytes(description), bootstrap_servers);
  }
  return fmt::format(
      "topic {} has {}; the admission log must never lose an entry. To mend it: kafka-configs.sh "
      "--bootstrap-server {} --alter --entity-type topics --entity-name {} --add-config {}",
      topic, wrong, bootstrap_servers, topic, mend);
}

std::string RecordSizeProblem(const std::string& topic, std::uint64_t max_message_bytes,
                              const std::string& bootstrap_servers) {
  if (max_message_bytes >= kMinTopicMessageBytes) {
    return {};
  }
  return fmt::format(
      "topic {} has max.message.bytes={}; a record it doesn't take would stop the sieve, so it "
      "must be {} or more. To mend it: kafka-configs.sh --bootstrap-server {} --alter "
      "--entity-type topics --entity-name {} --add-config max.message.bytes={}",
      topic, max_message_bytes, kMinTopicMessageBytes, bootstrap_servers, topic,
      kMinTopicMessageBytes);
}

std::string TopicDurabilityProblem(const std::string& topic, const TopicDescription& description,
                                   std::int32_t brokers, const std::string& bootstrap_servers) {
  const auto setting = [&](const char* name) {
    const auto found = description.settings.find(name);
    return found == description.settings.end() ? std::string() : found->second;
  };
  if (description.replicas < 2) {
    if (brokers < 2) return {};
    return fmt::format(
        "topic {} has one replica, and there are {} brokers: what is lost with one disk can't be "
        "made good. Give it three replicas with kafka-reassign-partitions.sh --bootstrap-server {}",
        topic, brokers, bootstrap_servers);
  }
  std::string wrong;
  std::string mend;
  const auto want = [&](std::string_view name, std::string_view value) {
    wrong += fmt::format("{}{}={}", wrong.empty() ? "" : ", ", name, setting(name.data()));
    mend += fmt::format("{}{}={}", mend.empty() ? "" : ",", name, value);
  };
  if (setting("min.insync.replicas") == "1") want("min.insync.replicas", "2");
  if (setting("unclean.leader.election.enable") == "true") {
    want("unclean.leader.election.enable", "false");
  }
  if (wrong.empty()) return {};
  return fmt::format(
      "topic {} has {}: brokers may lose records that they acknowledged. To mend it: "
      "kafka-configs.sh --bootstrap-server {} --alter --entity-type topics --entity-name {} "
      "--add-config {}",
      topic, wrong, bootstrap_servers, topic, mend);
}

std::uint64_t MaxMessageBytes(const TopicDescription& description) {
  const auto found = description.settings.find("max.message.bytes");
  std::uint64_t bytes = 0;
  if (found != description.settings.end()) {
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), bytes);
  }
  return bytes;
}

Status EnsureLogTopic(Admin& admin, const KafkaClientOptions& options, MissingTopic missing,
                      std::chrono::milliseconds timeout) {
  Result<std::optional<TopicDescription>> found = Describe(admin, options.log_topic, timeout);
  if (found && !found->has_value()) {
    if (missing == MissingTopic::kRefuse) {
      return MakeError(ErrorCode::kIo, MissingLogProblem(options));
    }
    CRAWLSIEVE_ASSIGN_OR_RETURN(const TopicSpec spec,
                                LogTopicSpec(admin, options, options.log_topic, timeout));
    CRAWLSIEVE_RETURN_IF_ERROR(Create(admin, spec, timeout));
    found = Describe(admin, options.log_topic, timeout);
  }
  if (!found) {
    return tl::unexpected(found.error());
  }
  if (!found->has_value()) {
    return MakeError(ErrorCode::kIo,
                     fmt::format("topic {} was created and is not there", options.log_topic));
  }
  if (std::string problem = LogTopicProblem(options.log_topic, **found, options.bootstrap_servers);
      !problem.empty()) {
    return MakeError(ErrorCode::kInvalidConfig, std::move(problem));
  }
  return {};
}

Result<std::uint64_t> EnsureTopic(Admin& admin, const KafkaClientOptions& options,
                                  const std::string& topic, std::int32_t partitions,
                                  std::chrono::milliseconds timeout, TopicKeeps keeps) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto found, Describe(admin, topic, timeout));
  if (found.has_value()) {
    return MaxMessageBytes(*found);
  }
  CRAWLSIEVE_ASSIGN_OR_RETURN(TopicSpec spec,
                              OutputTopicSpec(admin, options, topic, partitions, timeout));
  if (keeps == TopicKeeps::kLastOfKey) spec.settings["cleanup.policy"] = "compact";
  if (keeps == TopicKeeps::kDay) spec.settings["retention.ms"] = "86400000";
  CRAWLSIEVE_RETURN_IF_ERROR(Create(admin, spec, timeout));
  return MaxWrittenBytes(options);
}

}  // namespace crawlsieve::consumer

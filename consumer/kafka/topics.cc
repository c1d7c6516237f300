#include "consumer/kafka/topics.h"

#include "consumer/record_limits.h"

#include <array>
#include <charconv>
#include <optional>
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
Error Passing(const KafkaError& error) { return {ErrorCode::kIo, error.message}; }

/// Creates the topic, if no other process is quicker.
Status Create(Admin& admin, const TopicSpec& spec, std::chrono::milliseconds timeout) {
  const KafkaStatus created = admin.CreateTopic(spec, timeout);
  if (!created && created.error().code != RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS) {
    return tl::unexpected(Passing(created.error()));
  }
  return {};
}

Result<std::optional<TopicDescription>> Describe(Admin& admin, const std::string& topic,
                                                 std::chrono::milliseconds timeout) {
  return admin.DescribeTopic(topic, timeout).map_error(Passing);
}

}  // namespace

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

std::uint64_t MaxMessageBytes(const TopicDescription& description) {
  const auto found = description.settings.find("max.message.bytes");
  std::uint64_t bytes = 0;
  if (found != description.settings.end()) {
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), bytes);
  }
  return bytes;
}

Status EnsureLogTopic(Admin& admin, const KafkaOptions& options, MissingTopic missing,
                      std::chrono::milliseconds timeout) {
  Result<std::optional<TopicDescription>> found = Describe(admin, options.log_topic, timeout);
  if (found && !found->has_value()) {
    if (missing == MissingTopic::kRefuse) {
      return MakeError(
          ErrorCode::kIo,
          fmt::format("topic {} (kafka.log.topic) does not exist. To make it: kafka-topics.sh "
                      "--bootstrap-server {} --create --topic {} --partitions 1 --config "
                      "cleanup.policy=delete --config retention.ms=-1 --config retention.bytes=-1",
                      options.log_topic, options.bootstrap_servers, options.log_topic));
    }
    TopicSpec spec{options.log_topic, 1, -1, {}};
    spec.settings.insert(kLogSettings.begin(), kLogSettings.end());
    spec.settings["max.message.bytes"] = std::to_string(MaxWrittenBytes(options));
    if (Status created = Create(admin, spec, timeout); !created) {
      return created;
    }
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

Result<std::uint64_t> EnsureTopic(Admin& admin, const KafkaOptions& options,
                                  const std::string& topic, std::int32_t partitions,
                                  std::chrono::milliseconds timeout) {
  const Result<std::optional<TopicDescription>> found = Describe(admin, topic, timeout);
  if (!found) {
    return tl::unexpected(found.error());
  }
  if (found->has_value()) {
    return MaxMessageBytes(**found);
  }
  TopicSpec spec{topic, partitions, -1, {}};
  spec.settings["max.message.bytes"] = std::to_string(MaxWrittenBytes(options));
  if (Status created = Create(admin, spec, timeout); !created) {
    return tl::unexpected(created.error());
  }
  return MaxWrittenBytes(options);
}

}  // namespace crawlsieve::consumer

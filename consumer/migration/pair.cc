#include "consumer/migration/pair.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

using Named = std::pair<std::string_view, std::string>;

/// Topics that a deployment writes, and which key names each. The key's topic isn't among them: all
/// deployments that have one fingerprint key may share it.
std::vector<Named> TopicsWritten(const KafkaOptions& kafka) {
  std::vector<Named> topics = {{"kafka.log.topic", kafka.log_topic},
                               {"kafka.verdicts.topic", kafka.verdict_topic},
                               {"kafka.kept.topic", kafka.kept_topic},
                               {"kafka.scores.topic", kafka.score_topic},
                               {"kafka.sites.topic", kafka.site_topic}};
  for (const RenderedTopic& rendered : kafka.rendered_topics) {
    topics.emplace_back("kafka.scores.rendered", rendered.topic);
  }
  if (kafka.slots.is_used()) {
    topics.emplace_back("kafka.changes.topic", kafka.slots.changes_topic);
    topics.emplace_back("kafka.candidates.topic", kafka.slots.candidates_topic);
  }
  for (const std::string& input : TopicsRead(kafka)) {
    topics.emplace_back("kafka.dead_letters.suffix", input + kafka.dead_letter_suffix);
  }
  std::erase_if(topics, [](const Named& topic) { return topic.second.empty(); });
  return topics;
}

bool Contains(const std::vector<std::string>& topics, const std::string& topic) {
  return std::find(topics.begin(), topics.end(), topic) != topics.end();
}

/// Whether one directory is the other, or lies in it.
bool Overlap(const std::string& left, const std::string& right) {
  const auto parts = [](const std::string& text) {
    auto path = std::filesystem::absolute(text).lexically_normal();
    return path.has_filename() ? path : path.parent_path();
  };
  const auto first = parts(left);
  const auto second = parts(right);
  const auto [of_first, of_second] =
      std::mismatch(first.begin(), first.end(), second.begin(), second.end());
  return of_first == first.end() || of_second == second.end();
}

}  // namespace

std::vector<std::string> PairProblems(const DeploymentPlaces& before,
                                      const DeploymentPlaces& after) {
  std::vector<std::string> problems;
  if (before.kafka.bootstrap_servers != after.kafka.bootstrap_servers) {
    problems.push_back(
        fmt::format("kafka.bootstrap_servers differ ({} and {}): both read the same input topics",
                    before.kafka.bootstrap_servers, after.kafka.bootstrap_servers));
  }
  if (before.kafka.group == after.kafka.group) {
    problems.push_back(fmt::format(
        "kafka.group is {} in both: the judges of one would fence those of the other, by the "
        "transactional id {}.judge",
        after.kafka.group, after.kafka.group));
  }
  for (const auto& [new_key, topic] : TopicsWritten(after.kafka)) {
    for (const auto& [old_key, other] : TopicsWritten(before.kafka)) {
      if (topic != other) continue;
      problems.push_back(new_key == old_key
                             ? fmt::format("{}: both write to topic {}", new_key, topic)
                             : fmt::format("{} of the new one is {} of the old: topic {}", new_key,
                                           old_key, topic));
    }
  }
  for (const auto& [key, topic] : TopicsWritten(after.kafka)) {
    if (!Contains(TopicsRead(before.kafka), topic)) continue;
    problems.push_back(
        fmt::format("{}: the new one writes to topic {}, which the old one reads", key, topic));
  }
  for (const auto& [key, topic] : TopicsWritten(before.kafka)) {
    if (!Contains(TopicsRead(after.kafka), topic)) continue;
    problems.push_back(fmt::format(
        "{} of the old one: the new one reads topic {}, and the old one writes to it", key, topic));
  }
  for (const std::string& topic : TopicsRead(before.kafka)) {
    if (Contains(TopicsRead(after.kafka), topic)) continue;
    problems.push_back(
        fmt::format("the new one doesn't read topic {}: its records would get no verdict", topic));
  }
  if (Overlap(before.service.state_directory, after.service.state_directory)) {
    problems.push_back(
        fmt::format("service.state_directory: {} and {} are one, or one lies in the "
                    "other",
                    before.service.state_directory, after.service.state_directory));
  }
  const std::string& old_checkpoints = before.service.checkpoints.directory;
  const std::string& new_checkpoints = after.service.checkpoints.directory;
  if (!old_checkpoints.empty() && !new_checkpoints.empty() &&
      Overlap(old_checkpoints, new_checkpoints)) {
    problems.push_back(
        fmt::format("service.checkpoints.directory: {} and {} are one, or one lies in the other",
                    old_checkpoints, new_checkpoints));
  }
  return problems;
}

}  // namespace crawlsieve::consumer

#include "cli/migration_plan.h"

#include "config/load.h"
#include "config/print.h"
#include "consumer/observability/printable.h"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

void AddTo(std::string& name, const std::string& suffix) {
  if (!name.empty()) name += "." + suffix;
}

/// "a/b/" -> "a/b-next".
void AddToDirectory(std::string& directory, const std::string& suffix) {
  if (directory.empty()) return;
  while (directory.size() > 1 && directory.back() == '/') directory.pop_back();
  directory += "-" + suffix;
}

void AddToFile(std::string& plan, std::string_view key, const std::string& value,
               const std::string& other) {
  if (value == other) return;
  plan += fmt::format("#   {}: {} (was {})\n", key, Printable(value), Printable(other));
}

}  // namespace

config::Config ShadowOf(config::Config config, const std::string& suffix) {
  KafkaOptions& kafka = config.kafka;
  AddTo(kafka.group, suffix);
  AddTo(kafka.log_topic, suffix);
  AddTo(kafka.verdict_topic, suffix);
  AddTo(kafka.score_topic, suffix);
  for (RenderedTopic& rendered : kafka.rendered_topics) AddTo(rendered.topic, suffix);
  AddTo(kafka.kept_topic, suffix);
  AddTo(kafka.site_topic, suffix);
  AddTo(kafka.slots.changes_topic, suffix);
  AddTo(kafka.slots.candidates_topic, suffix);
  AddTo(kafka.dead_letter_suffix, suffix);
  kafka.log_skip.clear();
  AddTo(config.service.instance, suffix);
  AddToDirectory(config.service.state_directory, suffix);
  AddToDirectory(config.service.checkpoints.directory, suffix);
  if (config.http.port != 0 && config.http.port < std::numeric_limits<std::uint16_t>::max()) {
    ++config.http.port;
  }
  return config;
}

std::string MigrationPlan(const config::Config& config, const std::string& before,
                          const std::string& suffix) {
  const config::Config shadow = ShadowOf(config, suffix);
  std::string plan = fmt::format(
      "# A shadow of the deployment of {}: it judges the same input by a state of its own.\n"
      "# docs/operations.md, \"Changing the fingerprint scheme\".\n#\n# What differs:\n",
      Printable(std::filesystem::absolute(before).lexically_normal().string()));
  const KafkaOptions& was = config.kafka;
  const KafkaOptions& is = shadow.kafka;
  AddToFile(plan, "kafka.group", is.group, was.group);
  AddToFile(plan, "kafka.log.topic", is.log_topic, was.log_topic);
  AddToFile(plan, "kafka.verdicts.topic", is.verdict_topic, was.verdict_topic);
  AddToFile(plan, "kafka.scores.topic", is.score_topic, was.score_topic);
  for (std::size_t i = 0; i < is.rendered_topics.size(); ++i) {
    AddToFile(plan, "kafka.scores.rendered", is.rendered_topics[i].topic,
              was.rendered_topics[i].topic);
  }
  AddToFile(plan, "kafka.kept.topic", is.kept_topic, was.kept_topic);
  AddToFile(plan, "kafka.sites.topic", is.site_topic, was.site_topic);
  AddToFile(plan, "kafka.changes.topic", is.slots.changes_topic, was.slots.changes_topic);
  AddToFile(plan, "kafka.candidates.topic", is.slots.candidates_topic, was.slots.candidates_topic);
  AddToFile(plan, "kafka.dead_letters.suffix", is.dead_letter_suffix, was.dead_letter_suffix);
  AddToFile(plan, "service.instance", shadow.service.instance, config.service.instance);
  AddToFile(plan, "service.state_directory", shadow.service.state_directory,
            config.service.state_directory);
  AddToFile(plan, "service.checkpoints.directory", shadow.service.checkpoints.directory,
            config.service.checkpoints.directory);
  AddToFile(plan, "http.port", std::to_string(shadow.http.port), std::to_string(config.http.port));
  if (!was.log_skip.empty()) plan += "#   kafka.log.skip: none (entries of the old log)\n";
  const std::string effective = config::EffectiveConfig(shadow);
  if (effective.find(config::kMask) != std::string::npos) {
    plan += fmt::format(
        "#\n# Put in what is shown as {}: it is secret, or came from the environment.\n",
        config::kMask);
  }
  plan += fmt::format(
      "#\n# What to do, where OLD is that file and NEW is this one:\n"
      "#   1. Put the settings of the new scheme in here, or run NEW with the new build.\n"
      "#   2. crawlsieve migrate check OLD NEW\n"
      "#   3. Choose where it begins: at the oldest record that the input topics have, unless the\n"
      "#      offsets of group {}.extract are set before it starts.\n"
      "#   4. crawlsieve run --config NEW\n"
      "#   5. crawlsieve migrate report OLD NEW\n\n",
      Printable(is.group));
  return plan + effective;
}

}  // namespace crawlsieve::consumer

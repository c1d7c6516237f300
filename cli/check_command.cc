#include "config/load.h"
#include "config/print.h"
#include "consumer/kafka/config.h"
#include "consumer/kafka/property_names.h"
#include "consumer/observability/logging.h"
#include "consumer/observability/printable.h"
#include "consumer/service/cluster_check.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <tl/expected.hpp>

namespace crawlsieve::consumer {
namespace {

/// Properties in `kafka` that librdkafka doesn't have.
std::vector<config::Mistake> FindUnknownProperties(const std::string& file,
                                                   const KafkaOptions& kafka) {
  const std::array<std::pair<std::string_view, const ClientProperties*>, 3> sections{
      {{"kafka.client", &kafka.client},
       {"kafka.consumer", &kafka.consumer},
       {"kafka.producer", &kafka.producer}}};
  const std::vector<std::string> known = KnownProperties();
  const std::set<std::string> names(known.begin(), known.end());
  std::vector<config::Mistake> mistakes;
  for (const auto& [section, properties] : sections) {
    for (const auto& [property, value] : *properties) {
      if (names.contains(property)) continue;
      const std::string nearest = NearestName(property, known);
      mistakes.push_back(
          {file,
           {},
           fmt::format("{}.{}", section, property),
           nearest.empty()
               ? "librdkafka has no such property"
               : fmt::format("librdkafka has no such property; did you mean {}?", nearest)});
    }
  }
  return mistakes;
}

/// Properties in `kafka` that librdkafka refuses for any client of the program.
std::vector<config::Mistake> FindRefusedProperties(const std::string& file,
                                                   const KafkaOptions& kafka) {
  std::set<std::string> refusals;
  for (const ClientRecipe& recipe :
       {ExtractConsumer(kafka, {}), JudgeConsumer(kafka), IdempotentProducer(kafka),
        TransactionalProducer(kafka), BestEffortProducer(kafka), AdminClient(kafka)}) {
    const auto client = ClientConfig::Make(recipe, kafka);
    if (!client) refusals.insert(client.error().message);
  }
  std::vector<config::Mistake> mistakes;
  mistakes.reserve(refusals.size());
  for (const std::string& refusal : refusals) mistakes.push_back({file, {}, {}, refusal});
  return mistakes;
}

/// Mistakes that only librdkafka finds in a configuration that is valid otherwise.
std::vector<config::Mistake> AskLibrdkafka(const std::string& file, const KafkaOptions& kafka) {
  std::vector<config::Mistake> mistakes = FindUnknownProperties(file, kafka);
  return mistakes.empty() ? FindRefusedProperties(file, kafka) : mistakes;
}

/// Prints what is wrong with a configuration and returns the exit code.
int PrintMistakes(const std::vector<config::Mistake>& found, bool json) {
  if (!json) {
    std::fputs(PrintableLines(config::Describe(found)).c_str(), stderr);
    return kExitWrongInput;
  }
  nlohmann::ordered_json mistakes = nlohmann::ordered_json::array();
  for (const config::Mistake& mistake : found) {
    mistakes.push_back({{"file", mistake.file},
                        {"line", mistake.position.line},
                        {"column", mistake.position.column},
                        {"key", mistake.key},
                        {"message", mistake.message}});
  }
  std::puts(
      PrintableJson(mistakes.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace))
          .c_str());
  return kExitWrongInput;
}

/// The configuration, if neither we nor librdkafka find a mistake in it.
tl::expected<config::Config, std::vector<config::Mistake>> LoadChecked(
    const std::filesystem::path& path) {
  auto loaded = config::LoadConfig(path);
  if (!loaded.has_value()) return tl::unexpected(std::move(loaded.error()));
  std::vector<config::Mistake> mistakes = AskLibrdkafka(path.string(), loaded->kafka);
  if (!mistakes.empty()) return tl::unexpected(std::move(mistakes));
  return std::move(*loaded);
}

std::string_view LevelName(FindingLevel level) {
  switch (level) {
    case FindingLevel::kOk:
      return "ok";
    case FindingLevel::kWarning:
      return "warning";
    case FindingLevel::kProblem:
      break;
  }
  return "problem";
}

}  // namespace

int CheckCommand(const std::filesystem::path& config, bool json) {
  const auto loaded = LoadChecked(config);
  if (!loaded.has_value()) return PrintMistakes(loaded.error(), json);
  std::fputs(config::EffectiveConfig(*loaded).c_str(), stdout);
  return kExitDone;
}

int ConnectCommand(const CheckArguments& arguments) {
  const auto config = LoadChecked(arguments.config);
  if (!config.has_value()) return PrintMistakes(config.error(), arguments.json);
  // What librdkafka says of connections is in the findings.
  LogOptions log = config->log;
  log.level = "error";
  ConfigureLogging(log);
  ClusterNeeds needs;
  needs.kafka = config->kafka;
  needs.roles = config->service.roles;
  needs.metrics_topic = config->metrics.topic;
  needs.needs_key = config->fingerprint.key.empty();
  const std::vector<Finding> findings =
      CheckCluster(needs, std::chrono::seconds(arguments.timeout_seconds));
  const bool has_problem =
      std::any_of(findings.begin(), findings.end(),
                  [](const Finding& finding) { return finding.level == FindingLevel::kProblem; });
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) {
    if (arguments.json) {
      lines.push_back({{"level", LevelName(finding.level)},
                       {"subject", finding.subject},
                       {"text", finding.text}});
    } else {
      std::puts(Printable(fmt::format("{:<8} {}: {}", LevelName(finding.level), finding.subject,
                                      finding.text))
                    .c_str());
    }
  }
  if (arguments.json) {
    std::puts(
        PrintableJson(lines.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace))
            .c_str());
  }
  return has_problem ? kExitFailed : kExitDone;
}

}  // namespace crawlsieve::consumer

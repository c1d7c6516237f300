#include "config/load.h"
#include "config/print.h"
#include "consumer/kafka/config.h"
#include "consumer/kafka/property_names.h"
#include "consumer/observability/printable.h"

#include <array>
#include <cstdio>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

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

}  // namespace

int CheckCommand(const std::filesystem::path& config, bool json) {
  auto loaded = config::LoadConfig(config);
  if (loaded.has_value()) {
    std::vector<config::Mistake> mistakes = AskLibrdkafka(config.string(), loaded->kafka);
    if (mistakes.empty()) {
      std::fputs(config::EffectiveConfig(*loaded).c_str(), stdout);
      return kExitDone;
    }
    loaded = tl::unexpected(std::move(mistakes));
  }
  if (!json) {
    std::fputs(PrintableLines(config::Describe(loaded.error())).c_str(), stderr);
    return kExitWrongInput;
  }
  nlohmann::ordered_json mistakes = nlohmann::ordered_json::array();
  for (const config::Mistake& mistake : loaded.error()) {
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

}  // namespace crawlsieve::consumer

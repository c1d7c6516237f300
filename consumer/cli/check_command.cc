#include "config/load.h"
#include "config/print.h"
#include "consumer/cli/commands.h"

#include <cstdio>

#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {

int CheckCommand(const std::filesystem::path& config, bool json) {
  const auto loaded = config::LoadConfig(config);
  if (loaded.has_value()) {
    std::fputs(config::EffectiveConfig(*loaded).c_str(), stdout);
    return kExitDone;
  }
  if (!json) {
    std::fputs(config::Describe(loaded.error()).c_str(), stderr);
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
  std::puts(mistakes.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
  return kExitWrongInput;
}

}  // namespace crawlsieve::consumer

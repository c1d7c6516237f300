#include "consumer/observability/logging.h"
#include "consumer/service/verify.h"

#include <cstdint>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/progress.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {

int StateVerifyCommand(const std::filesystem::path& path, bool json) {
  const auto config = LoadOrReport(path);
  if (!config.has_value()) return kExitWrongInput;
  ConfigureLogging(config->log);
  const ScopedDirectory directory(true);
  if (directory.path().empty()) {
    return PrintError({ErrorCode::kIo, "no temporary directory can be made"}, kExitFailed);
  }
  auto state = Store::Open({.directory = config->service.state_directory});
  if (!state) return PrintError(state.error());
  auto scratch = Store::Open({.directory = directory.path()});
  if (!scratch) return PrintError(scratch.error(), kExitFailed);

  // The state's own: the configuration need not know the key.
  const auto scheme = Detector::SchemeOf(**state);
  if (!scheme) return PrintError(scheme.error(), kExitFailed);
  Progress progress("state verify");
  const auto show = [&progress](std::int64_t folded, std::int64_t entries) {
    if (!progress.IsDue()) return;
    progress.Show(static_cast<std::uint64_t>(folded), static_cast<std::uint64_t>(entries),
                  fmt::format("{} of {} entries folded", folded, entries));
  };
  const auto compared = CompareWithRefold(config->kafka, **state, **scratch,
                                          IndexFactoryOf(*config), scheme->value_or(""), show);
  progress.Clear();
  if (!compared) return PrintError(compared.error(), kExitFailed);
  const std::string state_hash = Hex(compared->state);
  const std::string refold_hash = Hex(compared->refold);
  if (json) {
    const nlohmann::ordered_json report = {{"log_offset", compared->offset},
                                           {"state_hash", state_hash},
                                           {"refold_hash", refold_hash},
                                           {"equal", compared->equal()}};
    fmt::print("{}\n", report.dump());
  } else {
    fmt::print("log offset  {}\nstate       {}\nrefold      {}\n{}\n", compared->offset, state_hash,
               refold_hash,
               compared->equal() ? "equal"
                                 : "DIFFERENT: move the state directory away; the next start "
                                   "rebuilds it from the log");
  }
  return compared->equal() ? kExitDone : kExitWrongInput;
}

}  // namespace crawlsieve::consumer

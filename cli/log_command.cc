#include "consumer/observability/logging.h"
#include "consumer/service/log_trim.h"

#include <algorithm>
#include <filesystem>

#include "cli/commands.h"
#include "cli/common.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {

int LogTrimCommand(const LogTrimArguments& arguments) {
  const auto config = LoadOrReport(arguments.config);
  if (!config.has_value()) return kExitWrongInput;
  ConfigureLogging(config->log);
  const std::filesystem::path configured = config->service.checkpoints.directory;
  const auto& directory = arguments.repository.empty() ? configured : arguments.repository;
  const auto report = [](const Error& error) {
    return PrintError(error, error.code == ErrorCode::kIo ? kExitFailed : kExitWrongInput);
  };
  const auto repository = CheckpointRepository::Open(directory);
  if (!repository) return report(repository.error());
  const LogTrimProgress progress{[](const StoredCheckpoint& checkpoint) {
                                   fmt::print(stderr, "log trim: reading checkpoint {}: {} bytes\n",
                                              checkpoint.name, checkpoint.manifest.bytes());
                                 },
                                 [](const Error& error) { PrintError(error); }};
  const auto trim = PlanLogTrim(config->kafka, *repository, progress);
  if (!trim) return report(trim.error());
  if (!arguments.dry_run) {
    if (const Status trimmed = TrimLog(config->kafka, *trim); !trimmed) {
      return report(trimmed.error());
    }
  }
  if (arguments.json) {
    const nlohmann::ordered_json line = {
        {"log", config->kafka.log_topic}, {"older", trim->older.name},
        {"newer", trim->newer.name},      {"begins", std::max(trim->bounds.low, trim->before)},
        {"ends", trim->bounds.high},      {"entries", trim->entries()},
        {"deleted", !arguments.dry_run}};
    fmt::print("{}\n", line.dump());
  } else {
    fmt::print("{} {} entries of log {} below offset {}, which checkpoint {} is at\n",
               arguments.dry_run ? "would delete" : "deleted", trim->entries(),
               config->kafka.log_topic, trim->before, trim->older.name);
  }
  return kExitDone;
}

}  // namespace crawlsieve::consumer

#include "consumer/observability/logging.h"
#include "consumer/service/checkpoint_log.h"
#include "consumer/service/verify.h"
#include "plugin/base/result.h"
#include "plugin/checkpoint/repository.h"
#include "plugin/checkpoint/restore.h"
#include "plugin/judge/fold_progress.h"
#include "plugin/judge/view.h"

#include <cstdint>
#include <filesystem>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/progress.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {

namespace {

/// Restores to `scratch` the oldest checkpoint that the log still reaches: the more is folded
/// again, the more is compared. One at the state's own position would only be compared with itself.
Status RestoreBefore(const KafkaOptions& kafka, Store& state,
                     const std::filesystem::path& directory, const std::filesystem::path& scratch) {
  StoredRows rows(state);
  CRAWLSIEVE_ASSIGN_OR_RETURN(const StoredProgress stored, ReadProgress(rows));
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto repository, CheckpointRepository::Open(directory));
  CRAWLSIEVE_ASSIGN_OR_RETURN(const CheckpointList list, repository.List());
  for (const Error& error : list.refused) PrintError(error);
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto log, CheckpointLog::Open(kafka, "verify"));
  for (const StoredCheckpoint& checkpoint : list.checkpoints) {
    const std::int64_t offset = checkpoint.manifest.log_offset;
    if (offset < log.bounds().low || offset >= stored.position.offset) continue;
    CRAWLSIEVE_RETURN_IF_ERROR(log.CheckIsOfLog(checkpoint));
    fmt::print(stderr, "state verify: restoring checkpoint {}: {} bytes\n", checkpoint.name,
               checkpoint.manifest.bytes());
    return RestoreCheckpoint(repository, checkpoint, scratch);
  }
  return MakeError(ErrorCode::kInvalidInput,
                   fmt::format("{} has no checkpoint between log offset {}, where the log begins, "
                               "and {}, where the state is",
                               directory.string(), log.bounds().low, stored.position.offset));
}

}  // namespace

int StateVerifyCommand(const StateVerifyArguments& arguments) {
  const auto config = LoadOrReport(arguments.config);
  if (!config.has_value()) return kExitWrongInput;
  ConfigureLogging(config->log);
  const ScopedDirectory directory(true);
  if (directory.path().empty()) {
    return PrintError({ErrorCode::kIo, "no temporary directory can be made"}, kExitFailed);
  }
  auto state = Store::Open({.directory = config->service.state_directory});
  if (!state) return PrintError(state.error());
  const std::filesystem::path folder = directory.path() / "state";
  if (!arguments.repository.empty()) {
    if (const Status made = RestoreBefore(config->kafka, **state, arguments.repository, folder);
        !made) {
      return PrintError(made.error());
    }
  }
  auto scratch = Store::Open({.directory = folder});
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
  if (arguments.json) {
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

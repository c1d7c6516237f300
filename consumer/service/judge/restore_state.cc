#include "consumer/service/judge/restore_state.h"

#include "consumer/observability/logging.h"
#include "plugin/checkpoint/repository.h"
#include "plugin/checkpoint/restore.h"
#include "plugin/state/store.h"

#include <chrono>
#include <ranges>
#include <system_error>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

/// What the next older checkpoint may be free of.
bool IsOfTheCheckpoint(const Error& error) {
  return error.code == ErrorCode::kCorruption || error.code == ErrorCode::kMismatch;
}

void LogPassedOver(const Error& error) {
  Log(LogLevel::kError, "judge.checkpoint_refused",
      {{"error", error.message},
       {"meaning", "an older checkpoint is taken, or the log is folded from its first entry"}});
}

Status CheckScheme(const CheckpointRepository& repository, const CheckpointList& list,
                   const std::string& scheme) {
  for (const StoredCheckpoint& checkpoint : list.checkpoints) {
    if (checkpoint.manifest.scheme == scheme) continue;
    return MakeError(
        ErrorCode::kMismatch,
        fmt::format("{} has checkpoints of scheme {}; this judge has scheme {}: give "
                    "it a repository of its own (service.checkpoints.directory)",
                    repository.directory().string(), checkpoint.manifest.scheme, scheme));
  }
  return {};
}

}  // namespace

Status RestoreLostState(const ServiceCheckpoints& checkpoints, const std::filesystem::path& state,
                        const std::string& scheme,
                        const std::function<void(const std::string&)>& tell,
                        const std::stop_token& stop) {
  if (checkpoints.directory.empty() || Store::IsIn(state)) return {};
  const auto repository = CheckpointRepository::Open(checkpoints.directory);
  if (!repository) return {};  // the first checkpoint makes it
  CRAWLSIEVE_ASSIGN_OR_RETURN(const CheckpointList list, repository->List());
  CRAWLSIEVE_RETURN_IF_ERROR(CheckScheme(*repository, list, scheme));
  for (const Error& error : list.refused) LogPassedOver(error);
  for (const StoredCheckpoint& checkpoint : std::views::reverse(list.checkpoints)) {
    tell(fmt::format("restoring the state from checkpoint {}", checkpoint.name));
    const auto begin = std::chrono::steady_clock::now();
    const Status restored = RestoreCheckpoint(*repository, checkpoint, state, stop);
    if (restored) {
      Log(LogLevel::kInfo, "judge.restored_checkpoint",
          {{"name", checkpoint.name},
           {"offset", checkpoint.manifest.log_offset},
           {"bytes", checkpoint.manifest.bytes()},
           {"seconds",
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()}});
      return {};
    }
    if (stop.stop_requested()) return {};
    if (!IsOfTheCheckpoint(restored.error())) return restored;
    LogPassedOver(restored.error());
  }
  return {};
}

}  // namespace crawlsieve::consumer

#include "consumer/service/judge/restore_state.h"

#include "consumer/observability/logging.h"
#include "plugin/base/result.h"
#include "plugin/checkpoint/repository.h"
#include "plugin/checkpoint/restore.h"
#include "plugin/state/store.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
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

Status CheckScheme(const CheckpointRepository& repository, const StoredCheckpoint& checkpoint,
                   const std::string& scheme) {
  if (checkpoint.manifest.scheme == scheme) return {};
  return MakeError(
      ErrorCode::kMismatch,
      fmt::format("{} has checkpoints of scheme {}; this judge has scheme {}: give "
                  "it a repository of its own (service.checkpoints.directory)",
                  repository.directory().string(), checkpoint.manifest.scheme, scheme));
}

/// The judge compares the entry that it goes on behind.
Status CheckLogReaches(const LogToRestore& log, const StoredCheckpoint& checkpoint) {
  if (checkpoint.manifest.log_offset >= log.low) return {};
  return MakeError(
      ErrorCode::kMismatch,
      fmt::format("the log begins at offset {}, behind checkpoint {}", log.low, checkpoint.name));
}

std::optional<StoredCheckpoint> NewestBut(const std::set<std::string>& tried,
                                          const CheckpointList& list) {
  const auto found = std::find_if(
      list.checkpoints.rbegin(), list.checkpoints.rend(),
      [&](const StoredCheckpoint& checkpoint) { return !tried.contains(checkpoint.name); });
  return found != list.checkpoints.rend() ? std::optional(*found) : std::nullopt;
}

}  // namespace

Status RestoreLostState(const ServiceCheckpoints& checkpoints, const std::filesystem::path& state,
                        const std::function<Result<LogToRestore>()>& find_log,
                        const std::function<void(const std::string&)>& tell,
                        const std::stop_token& stop) {
  if (checkpoints.directory.empty()) return {};
  CRAWLSIEVE_RETURN_IF_ERROR(CheckApart(state, checkpoints.directory));
  if (Store::IsIn(state)) return {};
  const auto repository = CheckpointRepository::Open(checkpoints.directory);
  if (!repository) return {};  // the first checkpoint makes it
  CRAWLSIEVE_ASSIGN_OR_RETURN(CheckpointList list, repository->List());
  for (const Error& error : list.refused) LogPassedOver(error);
  if (list.checkpoints.empty() && list.refused.empty()) return {};
  CRAWLSIEVE_ASSIGN_OR_RETURN(const LogToRestore log, find_log());
  std::set<std::string> tried;
  while (const auto checkpoint = NewestBut(tried, list)) {
    tried.insert(checkpoint->name);
    CRAWLSIEVE_RETURN_IF_ERROR(CheckScheme(*repository, *checkpoint, log.scheme));
    CRAWLSIEVE_RETURN_IF_ERROR(log.check(*checkpoint));
    tell(fmt::format("restoring the state from checkpoint {}", checkpoint->name));
    Status restored = CheckLogReaches(log, *checkpoint);
    const auto begin = std::chrono::steady_clock::now();
    if (restored) restored = RestoreCheckpoint(*repository, *checkpoint, state, stop);
    if (restored) {
      Log(LogLevel::kInfo, "judge.restored_checkpoint",
          {{"name", checkpoint->name},
           {"offset", checkpoint->manifest.log_offset},
           {"bytes", checkpoint->manifest.bytes()},
           {"seconds",
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()}});
      return {};
    }
    if (stop.stop_requested()) return {};
    if (!IsOfTheCheckpoint(restored.error())) return restored;
    LogPassedOver(restored.error());
    // Another process may have removed it for a newer one.
    CRAWLSIEVE_ASSIGN_OR_RETURN(list, repository->List());
  }
  if (log.low <= 0) return {};
  return MakeError(ErrorCode::kMismatch,
                   fmt::format("the log begins at offset {}, and {} has no checkpoint that a state "
                               "can be restored from: bring one back from where it was uploaded, "
                               "or the state directory of another judge",
                               log.low, repository->directory().string()));
}

}  // namespace crawlsieve::consumer

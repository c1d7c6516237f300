#include "plugin/base/result.h"
#include "plugin/base/timestamp.h"
#include "plugin/checkpoint/create.h"
#include "plugin/checkpoint/repository.h"
#include "plugin/checkpoint/restore.h"

#include <chrono>
#include <set>
#include <string>

#include "cli/commands.h"
#include "cli/common.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

/// The one that is named, or that of the configuration.
Result<std::filesystem::path> StateOf(const CheckpointArguments& arguments) {
  if (!arguments.state.empty()) return arguments.state;
  const auto config = LoadOrReport(arguments.config);
  if (config.has_value()) return config->service.state_directory;
  return MakeError(ErrorCode::kInvalidConfig, "the configuration can't be used");
}

/// What is wrong with a checkpoint or an argument is wrong input; the rest failed on the way.
int Report(const Error& error) {
  const bool failed = error.code == ErrorCode::kIo || error.code == ErrorCode::kInternal;
  return PrintError(error, failed ? kExitFailed : kExitWrongInput);
}

nlohmann::ordered_json ToJson(const StoredCheckpoint& checkpoint, std::uint64_t new_bytes) {
  const CheckpointManifest& manifest = checkpoint.manifest;
  return {{"name", checkpoint.name},
          {"created", FormatRfc3339(manifest.created)},
          {"log_offset", manifest.log_offset},
          {"sequence", manifest.sequence},
          {"entry_checksum", manifest.entry_checksum},
          {"scheme", manifest.scheme},
          {"fold_version", manifest.fold_version},
          {"files", manifest.files.size()},
          {"bytes", manifest.bytes()},
          {"new_bytes", new_bytes},
          {"uploaded", manifest.uploaded}};
}

void Print(const StoredCheckpoint& checkpoint, std::uint64_t new_bytes, bool json) {
  const CheckpointManifest& manifest = checkpoint.manifest;
  if (json) {
    fmt::print("{}\n", ToJson(checkpoint, new_bytes).dump());
    return;
  }
  fmt::print("{}  {}  log offset {}, {} entries; {} files, {} bytes, {} of them new{}\n",
             checkpoint.name, FormatRfc3339(manifest.created), manifest.log_offset,
             manifest.sequence, manifest.files.size(), manifest.bytes(), new_bytes,
             manifest.uploaded ? "; uploaded" : "");
}

}  // namespace

int CheckpointCreateCommand(const CheckpointArguments& arguments) {
  const auto state = StateOf(arguments);
  if (!state) return Report(state.error());
  const auto report = CreateCheckpointOf(
      *state, {.repository = arguments.repository,
               .keep = arguments.keep,
               .upload = arguments.upload,
               .upload_time_limit = std::chrono::seconds(arguments.upload_seconds)});
  if (!report) return Report(report.error());
  Print(report->made, report->new_bytes, arguments.json);
  if (report->removed > 0) fmt::print(stderr, "{} older ones removed\n", report->removed);
  return report->cleaned ? kExitDone : Report(report->cleaned.error());
}

int CheckpointListCommand(const CheckpointArguments& arguments) {
  const auto repository = CheckpointRepository::Open(arguments.repository);
  if (!repository) return Report(repository.error());
  const auto list = repository->List();
  if (!list) return Report(list.error());
  std::set<std::string> known;
  for (const StoredCheckpoint& checkpoint : list->checkpoints) {
    std::uint64_t new_bytes = 0;
    for (const CheckpointFile& file : checkpoint.manifest.files) {
      if (known.insert(file.StoredName()).second) new_bytes += file.bytes;
    }
    Print(checkpoint, new_bytes, arguments.json);
  }
  for (const Error& error : list->refused) PrintError(error);
  return list->refused.empty() ? kExitDone : kExitWrongInput;
}

int CheckpointVerifyCommand(const CheckpointArguments& arguments) {
  const auto repository = CheckpointRepository::Open(arguments.repository);
  if (!repository) return Report(repository.error());
  CheckpointList list;
  if (arguments.all) {
    auto all = repository->List();
    if (!all) return Report(all.error());
    list = *std::move(all);
  } else {
    auto one = repository->Find(arguments.name);
    if (!one) return Report(one.error());
    list.checkpoints.push_back(*std::move(one));
  }
  int code = kExitDone;
  for (const Error& error : list.refused) code = PrintError(error);
  for (const StoredCheckpoint& checkpoint : list.checkpoints) {
    if (const Status intact = VerifyCheckpoint(*repository, checkpoint); intact) {
      fmt::print("{}  intact: {} files, {} bytes\n", checkpoint.name,
                 checkpoint.manifest.files.size(), checkpoint.manifest.bytes());
    } else {
      code = Report(intact.error());
    }
  }
  return code;
}

int CheckpointRestoreCommand(const CheckpointArguments& arguments) {
  const auto state = StateOf(arguments);
  if (!state) return Report(state.error());
  const auto repository = CheckpointRepository::Open(arguments.repository);
  if (!repository) return Report(repository.error());
  const auto checkpoint = repository->Find(arguments.name);
  if (!checkpoint) return Report(checkpoint.error());
  if (const Status restored = RestoreCheckpoint(*repository, *checkpoint, *state); !restored) {
    return Report(restored.error());
  }
  fmt::print("{}  restored to {}: the judge goes on after log offset {}\n", checkpoint->name,
             state->string(), checkpoint->manifest.log_offset);
  return kExitDone;
}

}  // namespace crawlsieve::consumer

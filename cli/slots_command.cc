#include "consumer/service/slots/index_stage.h"
#include "plugin/base/result.h"
#include "plugin/judge/state_reader.h"
#include "plugin/slots/slot_file.h"
#include "plugin/state/lock_file.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "cli/commands.h"
#include "cli/common.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

int Report(const Error& error) {
  const bool failed = error.code == ErrorCode::kIo || error.code == ErrorCode::kInternal;
  return PrintError(error, failed ? kExitFailed : kExitWrongInput);
}

/// A folder of slots' files that no process has, made where there is none.
Result<LockFile> Take(const std::filesystem::path& all) {
  std::error_code error;
  std::filesystem::create_directories(all, error);
  if (error) return MakeError(ErrorCode::kIo, all.string() + ": " + error.message());
  return LockFile::Acquire(all / LockFile::kName);
}

/// The same, of a folder that must be there and is only read.
Result<std::optional<LockFile>> Share(const std::filesystem::path& all) {
  return LockFile::Share(all / LockFile::kName);
}

/// Those below a folder. Errors: also kInvalidInput: there are none.
Result<std::vector<SlotFilePlace>> FilesIn(const std::filesystem::path& all) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto found, FindSlotFiles(all));
  if (found.empty()) {
    return MakeError(ErrorCode::kInvalidInput,
                     fmt::format("{} has no files of slots", all.string()));
  }
  return found;
}

Status WriteFiles(const SlotsArguments& arguments, const config::Config& config,
                  const std::filesystem::path& to) {
  if (!config.kafka.slots.is_used()) {
    return MakeError(ErrorCode::kInvalidConfig, "index.slots is 0: there are no slots");
  }
  CRAWLSIEVE_ASSIGN_OR_RETURN(const LockFile lock, Take(to));
  const std::filesystem::path state = arguments.state.empty()
                                          ? std::filesystem::path(config.service.state_directory)
                                          : arguments.state;
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto reader, StateReader::Open(state));
  return WriteSlotsOf(*reader, IndexStage::LayoutOf(config.kafka.slots, reader->stored().scheme),
                      to);
}

Status SplitFiles(const SlotsArguments& arguments) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto from_lock, Share(arguments.from));
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto found, FilesIn(arguments.from));
  const SlotLayout& layout = found.front().layout;
  if (found.back().layout != layout) {
    return MakeError(
        ErrorCode::kMismatch,
        fmt::format("{} has files of {}, and of {}: move those away that are not "
                    "to be split",
                    arguments.from.string(), layout.Name(), found.back().layout.Name()));
  }
  CRAWLSIEVE_ASSIGN_OR_RETURN(const LockFile lock, Take(arguments.to));
  return SplitSlots(arguments.from, layout, arguments.times, arguments.to);
}

nlohmann::ordered_json ToJson(const SlotFile& file) {
  return {{"slot", file.slot()},
          {"slots", file.layout().slots},
          {"stripe_bits", file.layout().stripe_bits},
          {"scheme", file.layout().scheme},
          {"log_offset", file.state().place.position.offset},
          {"sequence", file.state().place.sequence},
          {"documents", file.documents().info().entries}};
}

Status CheckFile(const SlotFilePlace& place, bool json) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto file,
                              SlotFile::Open(place.directory, place.layout, place.slot));
  if (!file.has_value()) {
    return MakeError(ErrorCode::kIo, place.directory.string() + " has gone meanwhile");
  }
  CRAWLSIEVE_RETURN_IF_ERROR(file->CheckDocuments());
  if (json) {
    fmt::print("{}\n", ToJson(*file).dump());
  } else {
    fmt::print("{}  slot {} of {}; log offset {}, {} entries; {} documents\n",
               place.directory.filename().string(), file->slot(), file->layout().Name(),
               file->state().place.position.offset, file->state().place.sequence,
               file->documents().info().entries);
  }
  return {};
}

/// All of them, whatever is wrong with one.
int CheckAll(const std::filesystem::path& all, bool json) {
  const auto lock = Share(all);
  if (!lock) return Report(lock.error());
  const auto found = FilesIn(all);
  if (!found) return Report(found.error());
  int code = kExitDone;
  for (const SlotFilePlace& place : *found) {
    if (const Status checked = CheckFile(place, json); !checked) code = Report(checked.error());
  }
  return code;
}

}  // namespace

int SlotsWriteCommand(const SlotsArguments& arguments) {
  const auto config = LoadOrReport(arguments.config);
  if (!config.has_value()) return kExitWrongInput;
  const std::filesystem::path to = arguments.to.empty()
                                       ? IndexStage::DirectoryIn(config->service.state_directory)
                                       : arguments.to;
  const Status written = WriteFiles(arguments, *config, to);
  return written ? CheckAll(to, arguments.json) : Report(written.error());
}

int SlotsSplitCommand(const SlotsArguments& arguments) {
  const Status split = SplitFiles(arguments);
  return split ? CheckAll(arguments.to, arguments.json) : Report(split.error());
}

int SlotsCheckCommand(const SlotsArguments& arguments) {
  return CheckAll(arguments.from, arguments.json);
}

}  // namespace crawlsieve::consumer

#include "plugin/checkpoint/state_copy.h"

#include "plugin/base/result.h"
#include "plugin/checkpoint/digest.h"
#include "plugin/index/snapshot/directory.h"
#include "plugin/index/snapshot/file.h"
#include "plugin/judge/fold_progress.h"
#include "plugin/judge/restart_snapshots.h"
#include "plugin/judge/rows.h"
#include "plugin/judge/state_reader.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <system_error>

#include <fmt/format.h>

namespace crawlsieve {
namespace {

bool IsSnapshotName(const std::string& name) {
  return name == SnapshotDirectory::kNewest || name == SnapshotDirectory::kPrevious;
}

bool IsUsable(const std::filesystem::path& path, const std::vector<Checksum>& counting) {
  const auto file = SnapshotFile::Open(path);
  return file && std::ranges::find(counting, file->checksum()) != counting.end() && file->Verify();
}

/// What the manifest says of the position.
Result<CheckpointManifest> OriginOf(StateReader& state) {
  const StoredProgress& stored = state.stored();
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto position, PositionRow::Read(state));
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto parameters, ParametersRow::Read(state));
  if (!position.has_value() || !parameters.has_value()) {
    return MakeError(ErrorCode::kInvalidInput, "nothing was folded into the state yet");
  }
  CheckpointManifest manifest;
  manifest.log_offset = stored.position.offset;
  manifest.sequence = stored.progress.sequence;
  manifest.entry_checksum = HexOf(stored.position.entry_checksum);
  manifest.state_format = position->record.format();
  manifest.fold_version = stored.progress.fold_version;
  manifest.scheme = stored.scheme;
  manifest.parameters_sha256 = HexSha256(parameters->record.SerializeAsString());
  manifest.created =
      std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
  return manifest;
}

}  // namespace

Result<StateCopy> StateCopy::Take(const Store& store, const std::filesystem::path& directory) {
  StateCopy copy(directory / Store::kCheckpointFolder);
  CRAWLSIEVE_RETURN_IF_ERROR(store.Checkpoint(copy.folder_));
  {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto state, StateReader::Open(copy.folder_));
    CRAWLSIEVE_ASSIGN_OR_RETURN(copy.manifest_, OriginOf(*state));
    CRAWLSIEVE_ASSIGN_OR_RETURN(copy.snapshots_, RegisteredSnapshots(*state));
  }
  // They are replaced by renaming only. One that is replaced just now is left out by Files.
  for (const char* name : {SnapshotDirectory::kNewest, SnapshotDirectory::kPrevious}) {
    std::error_code ignored;
    std::filesystem::create_hard_link(directory / name, copy.folder_ / name, ignored);
  }
  return copy;
}

StateCopy::~StateCopy() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

Result<std::vector<std::string>> StateCopy::Files() const {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator file(folder_, error), end; !error && file != end;
       file.increment(error)) {
    std::string name = file->path().filename().string();
    if (!IsSnapshotName(name) || IsUsable(file->path(), snapshots_)) {
      names.push_back(std::move(name));
    }
  }
  if (error) {
    return MakeError(ErrorCode::kIo, fmt::format("{}: {}", folder_.string(), error.message()));
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace crawlsieve

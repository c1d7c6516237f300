#include "plugin/checkpoint/restore.h"

#include "plugin/base/result.h"
#include "plugin/checkpoint/digest.h"
#include "plugin/index/snapshot/durable_file.h"
#include "plugin/judge/state_reader.h"
#include "plugin/state/lock_file.h"

#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>

namespace crawlsieve {
namespace {

constexpr const char* kLock = "restore.lock";

Error Failed(const std::filesystem::path& path, const std::error_code& error) {
  return {ErrorCode::kIo, fmt::format("{}: {}", path.string(), error.message())};
}

/// Adds what to do to the error of a file.
Error OfCheckpoint(Error error, const StoredCheckpoint& checkpoint) {
  error.message = fmt::format(
      "checkpoint {}: {}; use another checkpoint, or fetch the file again from where it was "
      "uploaded",
      checkpoint.name, error.message);
  return error;
}

/// Errors: kCorruption if the file isn't there.
Status Exists(const CheckpointRepository& repository, const StoredCheckpoint& checkpoint,
              const CheckpointFile& file) {
  std::error_code error;
  if (std::filesystem::exists(repository.PathOf(file), error) && !error) return {};
  return tl::unexpected(
      OfCheckpoint({ErrorCode::kCorruption,
                    fmt::format("{} is missing ({})", repository.PathOf(file).string(), file.name)},
                   checkpoint));
}

dev_t DeviceOf(const std::filesystem::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_dev : 0;
}

/// Whether a directory can be renamed to `state`.
Status CheckTarget(const std::filesystem::path& state) {
  std::error_code error;
  const bool exists = std::filesystem::exists(state, error);
  if (error) return tl::unexpected(Failed(state, error));
  if (!exists) return {};
  const auto refuse = [&](std::string_view why) {
    return MakeError(ErrorCode::kInvalidInput, fmt::format("{} {}", state.string(), why));
  };
  if (!std::filesystem::is_directory(state, error)) return refuse("is no directory");
  const bool is_empty = std::filesystem::is_empty(state, error);
  if (error) return tl::unexpected(Failed(state, error));
  if (!is_empty) {
    return refuse(
        "isn't empty: a checkpoint is restored into a directory of its own; move this "
        "one away, or name another");
  }
  if (DeviceOf(state) != DeviceOf(state.parent_path())) {
    return refuse(
        "is a mount point, which can't be replaced in one step: restore to a directory "
        "below it, and name that one in service.state_directory");
  }
  return {};
}

/// Errors: kBusy if another process restores there.
Result<LockFile> MakeEmpty(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return tl::unexpected(Failed(folder, error));
  auto lock = LockFile::Acquire(folder / kLock);
  if (!lock && lock.error().code == ErrorCode::kBusy) {
    return MakeError(ErrorCode::kBusy,
                     fmt::format("another process restores a checkpoint in {}: wait until it is "
                                 "done",
                                 folder.string()));
  }
  if (!lock) return lock;
  std::vector<std::filesystem::path> left;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename() != kLock) left.push_back(entry->path());
  }
  for (const std::filesystem::path& path : left) {
    if (!error) std::filesystem::remove_all(path, error);
  }
  if (error) return tl::unexpected(Failed(folder, error));
  return lock;
}

/// That the state is the one that the manifest tells of.
Status CheckState(const std::filesystem::path& folder, const StoredCheckpoint& checkpoint) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto reader, StateReader::Open(folder));
  const StoredProgress& stored = reader->stored();
  const CheckpointManifest& manifest = checkpoint.manifest;
  if (stored.position.offset == manifest.log_offset &&
      HexOf(stored.position.entry_checksum) == manifest.entry_checksum &&
      stored.progress.sequence == manifest.sequence && stored.scheme == manifest.scheme) {
    return {};
  }
  return MakeError(ErrorCode::kMismatch,
                   fmt::format("checkpoint {} holds a state of another position or scheme than its "
                               "manifest says: use another checkpoint",
                               checkpoint.name));
}

Status FillAndRename(const CheckpointRepository& repository, const StoredCheckpoint& checkpoint,
                     const std::filesystem::path& folder, const std::filesystem::path& state,
                     const std::stop_token& stop) {
  for (const CheckpointFile& file : checkpoint.manifest.files) {
    CRAWLSIEVE_RETURN_IF_ERROR(Exists(repository, checkpoint, file));
    if (Status copied = CopyChecked(repository.PathOf(file), file, folder / file.name, stop);
        !copied) {
      Error error = std::move(copied).error();
      return tl::unexpected(error.code == ErrorCode::kCorruption
                                ? OfCheckpoint(std::move(error), checkpoint)
                                : std::move(error));
    }
  }
  CRAWLSIEVE_RETURN_IF_ERROR(CheckState(folder, checkpoint));
  std::error_code error;
  std::filesystem::remove(folder / kLock, error);
  if (error) return tl::unexpected(Failed(folder / kLock, error));
  CRAWLSIEVE_RETURN_IF_ERROR(SyncDirectoryOf(folder / "any"));
  std::filesystem::rename(folder, state, error);
  if (error) return tl::unexpected(Failed(state, error));
  return SyncDirectoryOf(state);
}

}  // namespace

Status VerifyCheckpoint(const CheckpointRepository& repository,
                        const StoredCheckpoint& checkpoint) {
  for (const CheckpointFile& file : checkpoint.manifest.files) {
    CRAWLSIEVE_RETURN_IF_ERROR(Exists(repository, checkpoint, file));
    const std::filesystem::path path = repository.PathOf(file);
    Sha256 sha256;
    std::uint64_t bytes = 0;
    CRAWLSIEVE_RETURN_IF_ERROR(ReadPieces(path, {}, [&](std::string_view piece) -> Status {
      sha256.Add(piece);
      bytes += piece.size();
      return {};
    }));
    if (bytes == file.bytes && HexOf(sha256.Finish()) == file.sha256) continue;
    return tl::unexpected(
        OfCheckpoint({ErrorCode::kCorruption,
                      fmt::format("{} ({}) is damaged: its content isn't what its name says",
                                  path.string(), file.name)},
                     checkpoint));
  }
  return {};
}

Status RestoreCheckpoint(const CheckpointRepository& repository, const StoredCheckpoint& checkpoint,
                         const std::filesystem::path& state, const std::stop_token& stop) {
  std::filesystem::path target = std::filesystem::absolute(state).lexically_normal();
  if (!target.has_filename()) target = target.parent_path();  // it was named with a slash
  CRAWLSIEVE_RETURN_IF_ERROR(CheckTarget(target));
  const std::filesystem::path folder = target.string() + ".restoring";
  CRAWLSIEVE_ASSIGN_OR_RETURN(const LockFile lock, MakeEmpty(folder));
  Status restored = FillAndRename(repository, checkpoint, folder, target, stop);
  if (!restored) {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  return restored;
}

}  // namespace crawlsieve

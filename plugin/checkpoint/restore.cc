#include "plugin/checkpoint/restore.h"

#include "plugin/base/result.h"
#include "plugin/checkpoint/digest.h"
#include "plugin/index/snapshot/durable_file.h"
#include "plugin/judge/state_reader.h"
#include "plugin/state/lock_file.h"
#include "plugin/state/restored.h"

#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve {
namespace {

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

/// Whether a file may be where a state is to be restored: none of a state, and none of somebody
/// else's who named the wrong directory.
bool MayBeThere(const std::string& name) {
  return name == LockFile::kName || name == kRestoringFolder || name == "lost+found" ||
         name.starts_with("pages-in-progress");
}

Status CheckTarget(const std::filesystem::path& state) {
  const auto refuse = [&](std::string_view why) {
    return MakeError(ErrorCode::kInvalidInput, fmt::format("{} {}", state.string(), why));
  };
  std::error_code error;
  if (!std::filesystem::is_directory(state, error)) return refuse("is no directory");
  for (std::filesystem::directory_iterator entry(state, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (MayBeThere(name)) continue;
    return refuse(
        fmt::format("isn't empty, it has {}: a checkpoint is restored where there is no state; "
                    "move what is there away, or name another directory",
                    name));
  }
  return error ? Status(tl::unexpected(Failed(state, error))) : Status();
}

Status MakeEmpty(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  if (!error) std::filesystem::create_directory(folder, error);
  return error ? Status(tl::unexpected(Failed(folder, error))) : Status();
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

Status Fill(const CheckpointRepository& repository, const StoredCheckpoint& checkpoint,
            const std::filesystem::path& folder, const std::stop_token& stop) {
  for (const CheckpointFile& file : checkpoint.manifest.files) {
    CRAWLSIEVE_RETURN_IF_ERROR(Exists(repository, checkpoint, file));
    if (Status copied =
            CopyChecked(repository.PathOf(file), file, folder / file.name, {.stop = stop});
        !copied) {
      Error error = std::move(copied).error();
      return tl::unexpected(error.code == ErrorCode::kCorruption
                                ? OfCheckpoint(std::move(error), checkpoint)
                                : std::move(error));
    }
  }
  CRAWLSIEVE_RETURN_IF_ERROR(CheckState(folder, checkpoint));
  return SyncDirectoryOf(folder / "any");
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
  CRAWLSIEVE_RETURN_IF_ERROR(CheckApart(state, repository.directory()));
  std::error_code error;
  std::filesystem::create_directories(state, error);
  if (error) return tl::unexpected(Failed(state, error));
  CRAWLSIEVE_RETURN_IF_ERROR(CheckTarget(state));
  CRAWLSIEVE_ASSIGN_OR_RETURN(const LockFile lock, LockFile::Acquire(state / LockFile::kName));
  const std::filesystem::path folder = state / kRestoringFolder;
  CRAWLSIEVE_RETURN_IF_ERROR(MakeEmpty(folder));
  if (Status filled = Fill(repository, checkpoint, folder, stop); !filled) {
    std::filesystem::remove_all(folder, error);
    return filled;
  }
  std::filesystem::rename(folder, state / kRestoredFolder, error);
  if (error) return tl::unexpected(Failed(folder, error));
  CRAWLSIEVE_RETURN_IF_ERROR(SyncDirectoryOf(folder));
  return MoveRestoredIn(state);
}

}  // namespace crawlsieve

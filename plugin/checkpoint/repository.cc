#include "plugin/checkpoint/repository.h"

#include "plugin/base/result.h"
#include "plugin/checkpoint/digest.h"
#include "plugin/index/snapshot/durable_file.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <system_error>
#include <thread>
#include <tuple>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace crawlsieve {
namespace {

constexpr std::size_t kPieceBytes = 1 << 20;
constexpr std::size_t kMostManifestBytes = 256 << 20;

Result<StoredCheckpoint> ReadManifest(const std::filesystem::path& path) {
  std::string text;
  CRAWLSIEVE_RETURN_IF_ERROR(ReadPieces(path, {}, [&](std::string_view piece) -> Status {
    text += piece;
    if (text.size() <= kMostManifestBytes) return {};
    return MakeError(ErrorCode::kCorruption, path.string() + ": too large for a manifest");
  }));
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto manifest, ParseManifest(text, path.string()));
  std::string name = ManifestNameOf(text);
  if (name != path.stem()) {
    return MakeError(
        ErrorCode::kCorruption,
        fmt::format("{}: it is the manifest {}: give it that name back", path.string(), name));
  }
  return StoredCheckpoint{std::move(name), std::move(manifest)};
}

tl::unexpected<Error> NoRepository(const std::filesystem::path& directory) {
  return MakeError(
      ErrorCode::kInvalidInput,
      fmt::format("{} is no repository of checkpoints: it has no folder {}; name the directory "
                  "that `checkpoint create --to` was given, or for `create` one that is empty",
                  directory.string(), CheckpointRepository::kManifests));
}

/// For `rests` times as long as it is since `begin`; not longer than a stop may wait.
void Rest(std::chrono::steady_clock::time_point begin, unsigned rests) {
  constexpr std::chrono::steady_clock::duration kLongest = std::chrono::milliseconds(200);
  if (rests == 0) return;
  std::this_thread::sleep_for(
      std::min(kLongest, (std::chrono::steady_clock::now() - begin) * rests));
}

}  // namespace

Status ReadPieces(const std::filesystem::path& path, const Pace& pace,
                  const std::function<Status(std::string_view)>& visit) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return IoError("can't open", path);
  (void)::posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL);
  // Not zeroed: most files of a repository are far smaller than a piece.
  const auto buffer = std::make_unique_for_overwrite<char[]>(kPieceBytes);
  Status status;
  while (status) {
    const auto begin = std::chrono::steady_clock::now();
    if (pace.stop.stop_requested()) {
      status = MakeError(ErrorCode::kIo, path.string() + ": stopped before it was read");
      break;
    }
    const ssize_t size = ::read(file, buffer.get(), kPieceBytes);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) status = IoError("can't read", path);
    if (size <= 0) break;
    status = visit({buffer.get(), static_cast<std::size_t>(size)});
    Rest(begin, pace.rests);
  }
  ::close(file);
  return status;
}

Status CopyChecked(const std::filesystem::path& from, const CheckpointFile& file,
                   const std::filesystem::path& to, const Pace& pace) {
  DurableFile copy(to.string() + CheckpointRepository::kNewSuffix);
  CRAWLSIEVE_RETURN_IF_ERROR(copy.Create());
  Sha256 sha256;
  std::uint64_t bytes = 0;
  CRAWLSIEVE_RETURN_IF_ERROR(ReadPieces(from, pace, [&](std::string_view piece) {
    sha256.Add(piece);
    bytes += piece.size();
    return copy.Append(piece.data(), piece.size());
  }));
  const std::string found = HexOf(sha256.Finish());
  if (bytes != file.bytes || found != file.sha256) {
    return MakeError(ErrorCode::kCorruption,
                     fmt::format("{} is damaged: {} bytes with SHA-256 {}, not {} with {}",
                                 from.string(), bytes, found, file.bytes, file.sha256));
  }
  return copy.Finish({}, to);
}

Status CheckApart(const std::filesystem::path& state, const std::filesystem::path& repository) {
  std::error_code error;
  const auto resolved = [&error](const std::filesystem::path& path) {
    std::filesystem::path whole = std::filesystem::weakly_canonical(path, error);
    return whole.has_filename() ? whole : whole.parent_path();
  };
  const std::filesystem::path a = resolved(state);
  const std::filesystem::path b = resolved(repository);
  const bool is_apart = !error && std::ranges::mismatch(a, b).in1 != a.end() &&
                        std::ranges::mismatch(a, b).in2 != b.end();
  if (is_apart) return {};
  return MakeError(ErrorCode::kInvalidInput,
                   fmt::format("the state directory {} and the repository of checkpoints {} must "
                               "lie apart: give the checkpoints a directory of their own",
                               state.string(), repository.string()));
}

Result<CheckpointRepository> CheckpointRepository::Open(std::filesystem::path directory) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(directory / kManifests, ignored)) {
    return NoRepository(directory);
  }
  return CheckpointRepository(std::move(directory));
}

Result<CheckpointRepository> CheckpointRepository::OpenOrMake(std::filesystem::path directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (!error && !std::filesystem::exists(directory / kManifests, error) && !error) {
    const bool is_empty = std::filesystem::is_empty(directory, error);
    if (!error && !is_empty) return NoRepository(directory);
  }
  for (const char* folder : {kManifests, kFiles}) {
    if (!error) std::filesystem::create_directory(directory / folder, error);
  }
  if (error) {
    return MakeError(ErrorCode::kIo, fmt::format("{}: {}", directory.string(), error.message()));
  }
  CRAWLSIEVE_RETURN_IF_ERROR(SyncDirectoryOf(directory / kFiles));
  CRAWLSIEVE_RETURN_IF_ERROR(SyncDirectoryOf(std::filesystem::absolute(directory)));
  return CheckpointRepository(std::move(directory));
}

Result<CheckpointList> CheckpointRepository::List() const {
  CheckpointList list;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(manifests(), error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() != kManifestSuffix) continue;
    auto read = ReadManifest(entry->path());
    if (read) {
      list.checkpoints.push_back(*std::move(read));
    } else {
      list.refused.push_back(std::move(read).error());
    }
  }
  if (error) {
    return MakeError(ErrorCode::kIo, fmt::format("{}: {}", manifests().string(), error.message()));
  }
  std::ranges::sort(list.checkpoints, {}, [](const StoredCheckpoint& checkpoint) {
    return std::tuple(checkpoint.manifest.log_offset, checkpoint.manifest.created, checkpoint.name);
  });
  return list;
}

Result<StoredCheckpoint> CheckpointRepository::Find(const std::string& name) const {
  if (!name.empty()) {
    const std::filesystem::path path = manifests() / (name + kManifestSuffix);
    std::error_code ignored;
    if (name.find('/') == std::string::npos && std::filesystem::exists(path, ignored)) {
      return ReadManifest(path);
    }
    return MakeError(ErrorCode::kInvalidInput,
                     fmt::format("{} has no checkpoint {}: `checkpoint list` prints their names",
                                 directory_.string(), name));
  }
  CRAWLSIEVE_ASSIGN_OR_RETURN(CheckpointList list, List());
  // A newer one may be among those that can't be read. Whoever wants an older one names it.
  if (!list.refused.empty()) return tl::unexpected(std::move(list.refused.front()));
  if (list.checkpoints.empty()) {
    return MakeError(ErrorCode::kInvalidInput,
                     fmt::format("{} has no checkpoint that is complete", directory_.string()));
  }
  return std::move(list.checkpoints.back());
}

}  // namespace crawlsieve

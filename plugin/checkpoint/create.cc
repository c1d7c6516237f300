#include "plugin/checkpoint/create.h"

#include "plugin/base/result.h"
#include "plugin/checkpoint/digest.h"
#include "plugin/checkpoint/upload.h"
#include "plugin/index/snapshot/durable_file.h"
#include "plugin/judge/state_reader.h"
#include "plugin/state/lock_file.h"

#include <algorithm>
#include <memory>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace crawlsieve {
namespace {

Result<LockFile> Lock(const CheckpointRepository& repository) {
  auto lock = LockFile::Acquire(repository.LockPath());
  if (!lock && lock.error().code == ErrorCode::kBusy) {
    return MakeError(ErrorCode::kBusy, fmt::format("another checkpoint is being made in {}: wait "
                                                   "until it is done",
                                                   repository.directory().string()));
  }
  return lock;
}

/// Removes the files of a folder that `is_unwanted` says yes to.
template <typename Predicate>
Status RemoveIf(const std::filesystem::path& folder, const Predicate& is_unwanted) {
  std::error_code error;
  std::vector<std::filesystem::path> unwanted;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (is_unwanted(entry->path())) unwanted.push_back(entry->path());
  }
  for (const std::filesystem::path& path : unwanted) {
    if (!error) std::filesystem::remove(path, error);
  }
  if (!error) return {};
  return MakeError(ErrorCode::kIo, fmt::format("{}: {}", folder.string(), error.message()));
}

/// What a process that ended in the middle left.
Status RemoveUnfinished(const CheckpointRepository& repository) {
  const auto is_unfinished = [](const std::filesystem::path& path) {
    return path.extension() == CheckpointRepository::kNewSuffix;
  };
  CRAWLSIEVE_RETURN_IF_ERROR(RemoveIf(repository.manifests(), is_unfinished));
  return RemoveIf(repository.files(), is_unfinished);
}

Result<CheckpointFile> Describe(const std::filesystem::path& path, const Pace& pace) {
  CheckpointFile file;
  file.name = path.filename().string();
  Sha256 sha256;
  CRAWLSIEVE_RETURN_IF_ERROR(ReadPieces(path, pace, [&](std::string_view piece) -> Status {
    sha256.Add(piece);
    file.bytes += piece.size();
    return {};
  }));
  file.sha256 = HexOf(sha256.Finish());
  return file;
}

/// Makes one checkpoint, in a repository that is locked.
class Writer {
 public:
  Writer(const CheckpointRepository& repository, const CheckpointOptions& options,
         const CheckpointManifest& known)
      : repository_(repository), options_(options), known_(known) {}

  Result<CheckpointReport> Write(const StateCopy& state) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(CheckpointList before, repository_.List());
    CheckpointManifest manifest = state.origin();
    for (const StoredCheckpoint& checkpoint : before.checkpoints) {
      if (checkpoint.manifest.scheme == manifest.scheme) continue;
      return MakeError(ErrorCode::kMismatch,
                       fmt::format("{} has checkpoints of scheme {}; this state has scheme {}: "
                                   "give it a repository of its own",
                                   repository_.directory().string(), checkpoint.manifest.scheme,
                                   manifest.scheme));
    }
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto names, state.Files());
    for (const std::string& name : names) {
      CRAWLSIEVE_ASSIGN_OR_RETURN(CheckpointFile file, DescribeOrRecall(state.folder() / name));
      manifest.files.push_back(std::move(file));
    }
    // What attempts left that failed would fill the disk for good, where a full one failed them.
    if (before.refused.empty()) {
      std::set<std::string> wanted = NamesOf(before.checkpoints);
      AddNames(manifest, wanted);
      (void)RemoveOthers(wanted);  // where that fails there is only less room
    }
    for (const CheckpointFile& file : manifest.files) {
      CRAWLSIEVE_RETURN_IF_ERROR(Add(file, state.folder() / file.name));
    }
    CRAWLSIEVE_RETURN_IF_ERROR(SyncDirectoryOf(repository_.files() / "any"));
    manifest.uploaded = !options_.upload.empty();
    if (manifest.uploaded) CRAWLSIEVE_RETURN_IF_ERROR(UploadFiles(manifest, before));
    CRAWLSIEVE_RETURN_IF_ERROR(WriteManifest(std::move(manifest)));
    return report_;
  }

  /// Removes older checkpoints, and then the files that none has.
  Status Clean(CheckpointReport& report) const {
    if (options_.keep == 0) return {};
    CRAWLSIEVE_ASSIGN_OR_RETURN(const CheckpointList list, repository_.List());
    // Which files a manifest names that can't be read isn't known: they all stay.
    if (!list.refused.empty()) {
      Error error = list.refused.front();
      error.message = fmt::format("older checkpoints are kept because of {}", error.message);
      return tl::unexpected(std::move(error));
    }
    std::vector<StoredCheckpoint> kept;
    std::uint64_t left = list.checkpoints.size();
    for (const StoredCheckpoint& checkpoint : list.checkpoints) {
      if (left-- > options_.keep && checkpoint.name != report.made.name) {
        const std::filesystem::path path =
            repository_.manifests() / (checkpoint.name + CheckpointRepository::kManifestSuffix);
        std::error_code error;
        std::filesystem::remove(path, error);
        if (error) {
          return MakeError(ErrorCode::kIo, fmt::format("{}: {}", path.string(), error.message()));
        }
        ++report.removed;
        continue;
      }
      kept.push_back(checkpoint);
    }
    CRAWLSIEVE_RETURN_IF_ERROR(SyncDirectoryOf(repository_.manifests() / "any"));
    return RemoveOthers(NamesOf(kept));
  }

 private:
  static void AddNames(const CheckpointManifest& manifest, std::set<std::string>& names) {
    for (const CheckpointFile& file : manifest.files) names.insert(file.StoredName());
  }

  static std::set<std::string> NamesOf(const std::vector<StoredCheckpoint>& checkpoints) {
    std::set<std::string> names;
    for (const StoredCheckpoint& checkpoint : checkpoints) AddNames(checkpoint.manifest, names);
    return names;
  }

  /// Removes all files but these.
  [[nodiscard]] Status RemoveOthers(const std::set<std::string>& wanted) const {
    return RemoveIf(repository_.files(), [&](const std::filesystem::path& path) {
      return !wanted.contains(path.filename().string());
    });
  }

  [[nodiscard]] Pace pace() const { return {options_.stop, options_.rests}; }

  [[nodiscard]] bool Has(const CheckpointFile& file) const {
    std::error_code error;
    return std::filesystem::file_size(repository_.PathOf(file), error) == file.bytes && !error;
  }

  /// RocksDB never gives the name of a table's file twice, nor changes one.
  Result<CheckpointFile> DescribeOrRecall(const std::filesystem::path& path) const {
    const std::string name = path.filename().string();
    const auto known = std::ranges::find(known_.files, name, &CheckpointFile::name);
    std::error_code error;
    if (path.extension() == ".sst" && known != known_.files.end() && Has(*known) &&
        std::filesystem::file_size(path, error) == known->bytes && !error) {
      return *known;
    }
    return Describe(path, pace());
  }

  Status Add(const CheckpointFile& file, const std::filesystem::path& from) {
    if (Has(file)) return {};
    CRAWLSIEVE_RETURN_IF_ERROR(CopyChecked(from, file, repository_.PathOf(file), pace()));
    ++report_.new_files;
    report_.new_bytes += file.bytes;
    return {};
  }

  Status Send(const std::filesystem::path& path, const char* folder,
              const std::string& name) const {
    return Upload(options_.upload, path, fmt::format("{}/{}", folder, name),
                  options_.upload_time_limit, options_.stop);
  }

  /// Those that no checkpoint has which was uploaded.
  Status UploadFiles(const CheckpointManifest& manifest, const CheckpointList& before) const {
    std::set<std::string> sent;
    for (const StoredCheckpoint& checkpoint : before.checkpoints) {
      if (checkpoint.manifest.uploaded) AddNames(checkpoint.manifest, sent);
    }
    for (const CheckpointFile& file : manifest.files) {
      if (!sent.insert(file.StoredName()).second) continue;
      CRAWLSIEVE_RETURN_IF_ERROR(
          Send(repository_.PathOf(file), CheckpointRepository::kFiles, file.StoredName()));
    }
    return {};
  }

  /// It counts with the last renaming, after it was uploaded.
  Status WriteManifest(CheckpointManifest manifest) {
    const std::string text = RenderManifest(manifest);
    const std::string name = ManifestNameOf(text);
    const std::string file = name + CheckpointRepository::kManifestSuffix;
    const std::filesystem::path path = repository_.manifests() / file;
    const std::filesystem::path unsent = path.string() + CheckpointRepository::kNewSuffix;
    {
      DurableFile written(path.string() + ".part" + CheckpointRepository::kNewSuffix);
      CRAWLSIEVE_RETURN_IF_ERROR(written.Create());
      CRAWLSIEVE_RETURN_IF_ERROR(written.Append(text.data(), text.size()));
      CRAWLSIEVE_RETURN_IF_ERROR(written.Finish({}, unsent));
    }
    if (manifest.uploaded) {
      CRAWLSIEVE_RETURN_IF_ERROR(Send(unsent, CheckpointRepository::kManifests, file));
    }
    std::error_code error;
    std::filesystem::rename(unsent, path, error);
    if (error) {
      return MakeError(ErrorCode::kIo, fmt::format("{}: {}", path.string(), error.message()));
    }
    report_.made = {name, std::move(manifest)};
    return SyncDirectoryOf(path);
  }

  const CheckpointRepository& repository_;
  const CheckpointOptions& options_;
  const CheckpointManifest& known_;
  CheckpointReport report_;
};

}  // namespace

Result<CheckpointReport> CreateCheckpoint(const StateCopy& state, const CheckpointOptions& options,
                                          const CheckpointManifest& known) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto repository,
                              CheckpointRepository::OpenOrMake(options.repository));
  CRAWLSIEVE_ASSIGN_OR_RETURN(const LockFile lock, Lock(repository));
  CRAWLSIEVE_RETURN_IF_ERROR(RemoveUnfinished(repository));
  Writer writer(repository, options, known);
  CRAWLSIEVE_ASSIGN_OR_RETURN(CheckpointReport report, writer.Write(state));
  report.cleaned = writer.Clean(report);
  return report;
}

Result<CheckpointReport> CreateCheckpointOf(const std::filesystem::path& state,
                                            const CheckpointOptions& options) {
  CRAWLSIEVE_RETURN_IF_ERROR(CheckApart(state, options.repository));
  {
    // Opening a store would make one where there is none.
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto reader, StateReader::Open(state));
  }
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto store, Store::Open({.directory = state}));
  CRAWLSIEVE_ASSIGN_OR_RETURN(const StateCopy copy, StateCopy::Take(*store, state));
  return CreateCheckpoint(copy, options);
}

}  // namespace crawlsieve

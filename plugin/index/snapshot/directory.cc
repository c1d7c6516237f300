#include "plugin/index/snapshot/directory.h"

#include "plugin/base/result.h"
#include "plugin/index/snapshot/durable_file.h"
#include "plugin/index/snapshot/writer.h"

#include <cerrno>
#include <cstdio>
#include <string>

namespace crawlsieve {

Result<SnapshotInfo> SnapshotDirectory::Write(const SnapshotOrigin& origin,
                                              std::uint64_t max_document,
                                              const EntrySource& source) const {
  const std::filesystem::path newest = directory_ / kNewest;
  const std::filesystem::path written = directory_ / "index.new.snapshot";
  const SnapshotRequest request{
      .kind = SnapshotKind::kRestart, .origin = origin, .max_document = max_document};
  Result<SnapshotInfo> info = WriteSnapshot(written, request, source);
  if (!info) return info;
  // Between the renames there is no newest one, and the one that was is the previous one already.
  const std::filesystem::path previous = directory_ / kPrevious;
  if (::rename(newest.c_str(), previous.c_str()) != 0 && errno != ENOENT) {
    return IoError("can't rename", newest);
  }
  if (::rename(written.c_str(), newest.c_str()) != 0) return IoError("can't rename", written);
  CRAWLSIEVE_RETURN_IF_ERROR(SyncDirectoryOf(newest));
  return info;
}

Result<SnapshotFile> SnapshotDirectory::OpenNewest(const SnapshotOrigin& at_most,
                                                   std::vector<Error>& refused,
                                                   const Check& check) const {
  for (const char* name : {kNewest, kPrevious}) {
    const std::filesystem::path path = directory_ / name;
    Result<SnapshotFile> file = SnapshotFile::Open(path);
    if (!file) {
      refused.push_back(file.error());
      continue;
    }
    const SnapshotInfo& info = file->info();
    const auto refuse = [&](const std::string& what) {
      refused.push_back({ErrorCode::kMismatch, "snapshot " + path.string() + ": " + what});
    };
    if (info.kind != SnapshotKind::kRestart) {
      refuse(std::string(SnapshotKindName(info.kind)) + " snapshots have no documents");
    } else if (info.origin.scheme != at_most.scheme) {
      refuse("of scheme " + info.origin.scheme + ", not " + at_most.scheme);
    } else if (info.origin.log_offset > at_most.log_offset) {
      refuse("covers log offset " + std::to_string(info.origin.log_offset) + ", past " +
             std::to_string(at_most.log_offset));
    } else if (Status intact = file->Verify(); !intact) {
      refused.push_back(intact.error());
    } else if (Status passed = check ? check(*file) : Status(); !passed) {
      refuse(passed.error().message);
    } else {
      return file;
    }
  }
  return MakeError(ErrorCode::kMismatch,
                   "no usable snapshot in " + directory_.string() +
                       (refused.empty() ? "" : "; " + refused.back().message));
}

}  // namespace crawlsieve

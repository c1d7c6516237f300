#pragma once

#include "plugin/base/result.h"
#include "plugin/index/base/entry.h"
#include "plugin/index/snapshot/file.h"
#include "plugin/index/snapshot/info.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <utility>
#include <vector>

namespace crawlsieve {

/// The two newest restart snapshots of a directory: `index.snapshot` and `index.previous.snapshot`.
///
/// Thread-compatible; one process at a time.
class SnapshotDirectory {
 public:
  static constexpr const char* kNewest = "index.snapshot";
  static constexpr const char* kPrevious = "index.previous.snapshot";

  explicit SnapshotDirectory(std::filesystem::path directory) : directory_(std::move(directory)) {}

  /// Makes a new snapshot the newest and the newest the previous one. At any moment of it a crash
  /// leaves at least the one that was newest. Errors: of WriteSnapshot.
  [[nodiscard]] Result<SnapshotInfo> Write(const SnapshotOrigin& origin, std::uint64_t max_document,
                                           const EntrySource& source) const;

  /// Says why a snapshot that is intact is to be passed over all the same.
  using Check = std::function<Status(const SnapshotFile&)>;

  /// The newest snapshot of this scheme that covers nothing past `log_offset`, is intact from
  /// beginning to end, and passes `check`, where given. Why others were passed over is appended to
  /// `refused`. Errors: kMismatch if there is none.
  [[nodiscard]] Result<SnapshotFile> OpenNewest(const SnapshotOrigin& at_most,
                                                std::vector<Error>& refused,
                                                const Check& check = {}) const;

 private:
  std::filesystem::path directory_;
};

}  // namespace crawlsieve

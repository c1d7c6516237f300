#pragma once

#include "consumer/claims/body_store.h"

#include <chrono>
#include <string>

namespace crawlsieve::consumer {

/// Files below one folder.
///
/// A name is a path below that folder, or an absolute one that begins with it. No link is followed
/// below the root, and there is no way up: names with `.` or `..` as a part are refused, as are
/// URLs. Only regular files are read.
///
/// A file that isn't there is looked for with `.open` behind its name, which crawlers take off when
/// they have written it. A root that isn't there or has nothing in it counts as not mounted:
/// unavailable. So does what the process may not read. A hung network file system blocks the
/// caller. Thread-safe.
class DirectoryStore final : public BodyStore {
 public:
  /// A file that was changed within `growing` may still grow.
  DirectoryStore(std::string root, std::chrono::milliseconds growing);

  [[nodiscard]] tl::expected<StoredBytes, StoreFailure> Read(const std::string& file,
                                                             std::uint64_t offset,
                                                             std::size_t count,
                                                             const std::stop_token& stop) override;

 private:
  const std::string root_;
  const std::chrono::milliseconds growing_;
};

}  // namespace crawlsieve::consumer

#pragma once

#include <cstdint>
#include <string>

#include <sys/stat.h>

namespace crawlsieve::consumer {

/// Tells whether a file has changed: a file that is renamed to its place has another inode, one
/// that is written in place another time or size.
struct FileVersion {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  std::int64_t bytes = 0;

  friend bool operator==(const FileVersion&, const FileVersion&) = default;

  /// All zeros where there is no such file. Links are followed.
  [[nodiscard]] static FileVersion Of(const std::string& path) {
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0) return {};
    return {found.st_dev, found.st_ino, found.st_mtim.tv_sec, found.st_mtim.tv_nsec, found.st_size};
  }
};

}  // namespace crawlsieve::consumer

#pragma once

#include "plugin/base/result.h"

#include <filesystem>
#include <utility>

namespace crawlsieve {

/// A file locked for as long as this lives; it holds the process id of the owner.
/// Thread-compatible.
class LockFile {
 public:
  /// Makes the file where there is none. Errors: kBusy (another process has it; names its id), kIo.
  [[nodiscard]] static Result<LockFile> Acquire(const std::filesystem::path& path);

  LockFile(LockFile&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  LockFile& operator=(LockFile&&) = delete;
  ~LockFile();

 private:
  explicit LockFile(int file) : file_(file) {}
  int file_;
};

}  // namespace crawlsieve

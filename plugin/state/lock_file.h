#pragma once

#include "plugin/base/result.h"

#include <filesystem>
#include <optional>
#include <utility>

namespace crawlsieve {

/// A file locked for as long as this lives, by one process that changes what is beside it, or by
/// any number that read it. It holds the process id of the last one that changed something.
/// Thread-compatible.
class LockFile {
 public:
  /// Of a state directory.
  static constexpr const char* kName = "crawlsieve.lock";

  /// Makes the file where there is none. Errors: kBusy (another process has it; names its id), kIo.
  [[nodiscard]] static Result<LockFile> Acquire(const std::filesystem::path& path);

  /// For a process that reads; nullopt: there is no file, and none is made. Errors: kBusy (a
  /// process that may change something has it; names its id), kIo.
  [[nodiscard]] static Result<std::optional<LockFile>> Share(const std::filesystem::path& path);

  LockFile(LockFile&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  LockFile& operator=(LockFile&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  ~LockFile();

 private:
  explicit LockFile(int file) : file_(file) {}
  int file_;
};

}  // namespace crawlsieve

#include "plugin/state/lock_file.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

namespace crawlsieve {

Result<LockFile> LockFile::Acquire(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) {
    return MakeError(ErrorCode::kIo, fmt::format("{}: {}", path.string(), std::strerror(errno)));
  }
  LockFile lock(file);
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    std::array<char, 32> owner{};
    const ssize_t size = ::pread(file, owner.data(), owner.size() - 1, 0);
    const std::string_view pid(owner.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
    return MakeError(ErrorCode::kBusy,
                     fmt::format("state directory {} is in use by process {}: stop it, or give "
                                 "this one a directory of its own",
                                 path.parent_path().string(), pid.empty() ? "unknown" : pid));
  }
  const std::string pid = std::to_string(::getpid());
  if (::ftruncate(file, 0) != 0 ||
      ::pwrite(file, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
    return MakeError(ErrorCode::kIo, fmt::format("{}: {}", path.string(), std::strerror(errno)));
  }
  return lock;
}

LockFile::~LockFile() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace crawlsieve

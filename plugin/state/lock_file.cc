#include "plugin/state/lock_file.h"

#include "plugin/state/owner_advice.h"

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
namespace {

tl::unexpected<Error> Failed(const std::filesystem::path& path) {
  const int number = errno;
  return MakeError(ErrorCode::kIo,
                   fmt::format("{}: {}{}", path.string(), std::strerror(number),
                               number == EACCES ? OwnerAdvice(path.parent_path()) : ""));
}

/// The process id that the file holds.
std::string OwnerOf(int file) {
  std::array<char, 32> owner{};
  const ssize_t size = ::pread(file, owner.data(), owner.size() - 1, 0);
  return size > 0 ? std::string(owner.data(), static_cast<std::size_t>(size)) : "unknown";
}

}  // namespace

Result<LockFile> LockFile::Acquire(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) return Failed(path);
  LockFile lock(file);
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (::flock(file, LOCK_SH | LOCK_NB) == 0) {
      return MakeError(
          ErrorCode::kBusy,
          fmt::format("state directory {} is being read, by a command like `due`: wait "
                      "until it is done",
                      path.parent_path().string()));
    }
    return MakeError(ErrorCode::kBusy,
                     fmt::format("state directory {} is in use by process {}: stop it, or give "
                                 "this one a directory of its own",
                                 path.parent_path().string(), OwnerOf(file)));
  }
  const std::string pid = std::to_string(::getpid());
  if (::ftruncate(file, 0) != 0 ||
      ::pwrite(file, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
    return Failed(path);
  }
  return lock;
}

Result<std::optional<LockFile>> LockFile::Share(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 && (errno == ENOENT || errno == ENOTDIR)) return std::optional<LockFile>();
  if (file < 0) return Failed(path);
  LockFile lock(file);
  if (::flock(file, LOCK_SH | LOCK_NB) != 0) {
    return MakeError(
        ErrorCode::kBusy,
        fmt::format("state directory {} is in use by process {}, and what it has in memory can't "
                    "be read here: stop it, or read a snapshot of the file system",
                    path.parent_path().string(), OwnerOf(file)));
  }
  return std::optional(std::move(lock));
}

LockFile::~LockFile() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace crawlsieve

#include "plugin/index/snapshot/durable_file.h"

#include "plugin/base/result.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace crawlsieve {

tl::unexpected<Error> IoError(std::string_view what, const std::filesystem::path& path) {
  const int code = errno;
  return MakeError(ErrorCode::kIo, std::string(what) + " " + path.string() + ": " +
                                       std::system_category().message(code));
}

Status SyncDirectoryOf(const std::filesystem::path& file) {
  const std::filesystem::path directory = file.has_parent_path() ? file.parent_path() : ".";
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return IoError("can't open", directory);
  const bool synced = ::fsync(descriptor) == 0;
  ::close(descriptor);
  if (!synced) return IoError("can't sync", directory);
  return {};
}

DurableFile::~DurableFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (!kept_) ::unlink(path_.c_str());
}

Status DurableFile::Create() {
  descriptor_ = ::open(path_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
  if (descriptor_ < 0) return IoError("can't create", path_);
  SetDirect(true);
  return {};
}

Status DurableFile::Append(const void* bytes, std::size_t size) {
  const auto* next = static_cast<const std::byte*>(bytes);
  while (size != 0) {
    const std::size_t part = std::min(size, kBufferBytes - used_);
    std::memcpy(&buffer_->bytes[used_], next, part);
    used_ += part;
    next += part;
    size -= part;
    if (used_ != kBufferBytes) break;
    CRAWLSIEVE_RETURN_IF_ERROR(Flush());
  }
  return {};
}

Status DurableFile::Finish(std::span<const std::byte> beginning,
                           const std::filesystem::path& name) {
  // Neither what is left nor the beginning is a whole number of sectors.
  SetDirect(false);
  CRAWLSIEVE_RETURN_IF_ERROR(Flush());
  const ssize_t written = ::pwrite(descriptor_, beginning.data(), beginning.size(), 0);
  if (written != static_cast<ssize_t>(beginning.size())) return IoError("can't write", path_);
  if (::fsync(descriptor_) != 0) return IoError("can't sync", path_);
  if (::rename(path_.c_str(), name.c_str()) != 0) return IoError("can't rename", path_);
  kept_ = true;
  return {};
}

void DurableFile::SetDirect(bool direct) {
  const int flags = ::fcntl(descriptor_, F_GETFL);
  const int wanted = direct ? flags | O_DIRECT : flags & ~O_DIRECT;
  direct_ = flags >= 0 && ::fcntl(descriptor_, F_SETFL, wanted) == 0 && direct;
}

Status DurableFile::Flush() {
  for (std::size_t done = 0; done < used_;) {
    const ssize_t written = ::write(descriptor_, &buffer_->bytes[done], used_ - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EINVAL && direct_) {
      SetDirect(false);  // the file system promised what it can't do
      continue;
    }
    if (written <= 0) return IoError("can't write", path_);
    done += static_cast<std::size_t>(written);
  }
  used_ = 0;
  return {};
}

}  // namespace crawlsieve

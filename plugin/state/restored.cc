#include "plugin/state/restored.h"

#include "plugin/base/result.h"

#include <cerrno>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace crawlsieve {
namespace {

tl::unexpected<Error> Failed(const std::filesystem::path& path, const std::error_code& error) {
  return MakeError(ErrorCode::kIo, fmt::format("{}: {}", path.string(), error.message()));
}

Status Sync(const std::filesystem::path& directory) {
  const int file = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool is_synced = file >= 0 && ::fsync(file) == 0;
  const std::error_code error(errno, std::system_category());
  if (file >= 0) ::close(file);
  return is_synced ? Status() : Status(Failed(directory, error));
}

}  // namespace

Status MoveRestoredIn(const std::filesystem::path& directory) {
  const std::filesystem::path folder = directory / kRestoredFolder;
  std::error_code error;
  if (!std::filesystem::exists(folder, error)) {
    return error ? Status(Failed(folder, error)) : Status();
  }
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    if (file->path().filename() != kCurrentFile) files.push_back(file->path());
  }
  for (const std::filesystem::path& file : files) {
    if (!error) std::filesystem::rename(file, directory / file.filename(), error);
  }
  if (error) return Failed(folder, error);
  CRAWLSIEVE_RETURN_IF_ERROR(Sync(directory));
  const std::filesystem::path current = folder / kCurrentFile;
  if (std::filesystem::exists(current, error) && !error) {
    std::filesystem::rename(current, directory / kCurrentFile, error);
  }
  if (!error) std::filesystem::remove(folder, error);
  if (error) return Failed(folder, error);
  return Sync(directory);
}

}  // namespace crawlsieve

#include "consumer/status/resources.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include <sys/statvfs.h>

namespace crawlsieve::consumer {
namespace {

/// The value in kB of a line "Name:   123 kB", as bytes.
std::optional<std::uint64_t> Field(const std::filesystem::path& file, std::string_view name) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != ':') continue;
    std::istringstream value(line.substr(name.size() + 1));
    std::uint64_t kilobytes = 0;
    if (value >> kilobytes) return kilobytes * 1024;
  }
  return std::nullopt;
}

/// The number that a file begins with; nullopt for "max" and where there is no such file.
std::optional<std::uint64_t> Number(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::uint64_t number = 0;
  if (in >> number) return number;
  return std::nullopt;
}

void Lower(std::optional<std::uint64_t>& limit, std::optional<std::uint64_t> other) {
  if (other.has_value()) limit = std::min(limit.value_or(*other), *other);
}

/// Takes up the limits of the group `path` below `mount` and of all groups above it.
void LowerByGroups(std::optional<std::uint64_t>& limit, const std::filesystem::path& mount,
                   std::string path, const char* file) {
  while (true) {
    Lower(limit, Number(mount / std::filesystem::path(path).relative_path() / file));
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return;
    path.resize(slash);
  }
}

}  // namespace

std::optional<MemoryReport> ReadMemory(const std::filesystem::path& root) {
  const auto resident = Field(root / "proc/self/status", "VmRSS");
  if (!resident.has_value()) return std::nullopt;
  MemoryReport report{*resident, Field(root / "proc/meminfo", "MemTotal")};
  // Lines "0::/path" (version 2) and "4:cpu,memory:/path" (version 1).
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    if (controllers == ",,") {
      LowerByGroups(report.limit, root / "sys/fs/cgroup", path, "memory.max");
    } else if (controllers.find(",memory,") != std::string::npos) {
      LowerByGroups(report.limit, root / "sys/fs/cgroup/memory", path, "memory.limit_in_bytes");
    }
  }
  return report;
}

std::optional<StorageReport> ReadStorage(const std::filesystem::path& directory) {
  struct statvfs disk {};
  if (::statvfs(directory.c_str(), &disk) != 0) return std::nullopt;
  StorageReport report;
  report.free = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator entry(directory, error), end;
       !error && entry != end; entry.increment(error)) {
    std::error_code gone;
    if (!entry->is_regular_file(gone) || gone) continue;
    const std::uintmax_t bytes = entry->file_size(gone);
    if (!gone) report.used += bytes;
  }
  return report;
}

}  // namespace crawlsieve::consumer

#include "consumer/claims/directory_store.h"

#include "consumer/input/formats/body_ref.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace crawlsieve::consumer {
namespace {

using Kind = StoreFailure::Kind;

constexpr std::size_t kMaxPathBytes = 4096;
constexpr std::string_view kOpenSuffix = ".open";

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  [[nodiscard]] int get() const { return number_; }

 private:
  int number_;
};

tl::unexpected<StoreFailure> Fail(Kind kind, std::string message) {
  return tl::unexpected(StoreFailure{kind, std::move(message)});
}

std::string ErrnoText(int code) { return std::generic_category().message(code); }

/// The names on the way to `file`; nullopt: it is no path below `root`.
std::optional<std::vector<std::string>> SplitPath(std::string_view file, std::string_view root) {
  if (file.size() > kMaxPathBytes || file.find('\0') != std::string_view::npos ||
      file.find("://") != std::string_view::npos || file.starts_with("file:")) {
    return std::nullopt;
  }
  if (file.starts_with('/')) {
    if (!file.starts_with(root)) return std::nullopt;
    file.remove_prefix(root.size());
    if (!root.ends_with('/') && !file.starts_with('/')) return std::nullopt;
  }
  std::vector<std::string> names;
  while (!file.empty()) {
    const std::size_t end = std::min(file.find('/'), file.size());
    const std::string_view name = file.substr(0, end);
    file.remove_prefix(std::min(end + 1, file.size()));
    if (name.empty()) continue;
    if (name == "." || name == "..") return std::nullopt;
    names.emplace_back(name);
  }
  if (names.empty()) return std::nullopt;
  return names;
}

bool IsEmptyFolder(int folder) {
  const int copy = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const entries = copy < 0 ? nullptr : ::fdopendir(copy);
  if (entries == nullptr) {
    if (copy >= 0) ::close(copy);
    return false;
  }
  bool is_empty = true;
  while (const dirent* entry = ::readdir(entries)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") {
      is_empty = false;
      break;
    }
  }
  ::closedir(entries);
  return is_empty;
}

/// `name` in `folder`, which is no link.
tl::expected<Descriptor, StoreFailure> OpenStep(int folder, const std::string& name, int flags,
                                                const std::string& shown) {
  const int opened = ::openat(folder, name.c_str(),
                              O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags);
  if (opened >= 0) return Descriptor(opened);
  const int code = errno;
  struct stat info {};
  const bool is_link = (code == ELOOP || code == ENOTDIR) &&
                       ::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
                       S_ISLNK(info.st_mode);
  if (is_link) return Fail(Kind::kRefused, fmt::format("{}: a link is on the way", shown));
  if (code == ENOENT || code == ENOTDIR || code == ENAMETOOLONG) {
    return Fail(Kind::kNotFound, fmt::format("{}: {}", shown, ErrnoText(code)));
  }
  if (code == ENXIO) return Fail(Kind::kRefused, fmt::format("{}: no regular file", shown));
  return Fail(Kind::kUnavailable, fmt::format("{}: {}", shown, ErrnoText(code)));
}

tl::expected<Descriptor, StoreFailure> OpenBelow(int root, const std::vector<std::string>& names,
                                                 const std::string& shown) {
  Descriptor folder;
  for (std::size_t i = 0; i + 1 < names.size(); ++i) {
    auto next = OpenStep(i == 0 ? root : folder.get(), names[i], O_DIRECTORY, shown);
    if (!next) return next;
    folder = std::move(*next);
  }
  const int last = names.size() == 1 ? root : folder.get();
  auto file = OpenStep(last, names.back(), 0, shown);
  if (file || file.error().kind != Kind::kNotFound) return file;
  auto open = OpenStep(last, names.back() + std::string(kOpenSuffix), 0, shown);
  if (open || open.error().kind != Kind::kNotFound) return open;
  // It may have lost the suffix in between.
  return OpenStep(last, names.back(), 0, shown);
}

bool ChangedWithin(const struct stat& info, std::chrono::milliseconds time) {
  const auto changed = std::chrono::system_clock::from_time_t(info.st_mtim.tv_sec);
  // Clocks of file servers differ.
  return std::chrono::abs(std::chrono::system_clock::now() - changed) < time;
}

}  // namespace

DirectoryStore::DirectoryStore(std::string root, std::chrono::milliseconds growing)
    : root_(std::move(root)), growing_(growing) {}

tl::expected<StoredBytes, StoreFailure> DirectoryStore::Read(const std::string& file,
                                                             std::uint64_t offset,
                                                             std::size_t count,
                                                             const std::stop_token& /*stop*/) {
  const std::string shown = ShownFile(file);
  const auto names = SplitPath(file, root_);
  if (!names) return Fail(Kind::kRefused, fmt::format("{}: no path below {}", shown, root_));
  // Opened anew each time, so that a file system that was mounted meanwhile is seen.
  const Descriptor root(::open(root_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (root.get() < 0) {
    return Fail(Kind::kUnavailable, fmt::format("{}: {}", root_, ErrnoText(errno)));
  }
  auto opened = OpenBelow(root.get(), *names, shown);
  if (!opened) {
    if (opened.error().kind == Kind::kNotFound && IsEmptyFolder(root.get())) {
      return Fail(Kind::kUnavailable, fmt::format("{} is empty: is it mounted?", root_));
    }
    return tl::unexpected(std::move(opened.error()));
  }
  struct stat info {};
  if (::fstat(opened->get(), &info) != 0) {
    return Fail(Kind::kUnavailable, fmt::format("{}: {}", shown, ErrnoText(errno)));
  }
  if (!S_ISREG(info.st_mode)) {
    return Fail(Kind::kRefused, fmt::format("{}: no regular file", shown));
  }
  StoredBytes read;
  read.may_grow = ChangedWithin(info, growing_);
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (offset >= size) return read;
  read.bytes.resize(static_cast<std::size_t>(std::min<std::uint64_t>(count, size - offset)));
  std::size_t done = 0;
  while (done < read.bytes.size()) {
    const ssize_t got = ::pread(opened->get(), read.bytes.data() + done, read.bytes.size() - done,
                                static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      return Fail(Kind::kUnavailable,
                  fmt::format("{} at byte {}: {}", shown, offset + done, ErrnoText(errno)));
    }
    if (got == 0) break;  // it was cut meanwhile
    done += static_cast<std::size_t>(got);
  }
  read.bytes.resize(done);
  return read;
}

}  // namespace crawlsieve::consumer

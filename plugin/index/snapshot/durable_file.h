#pragma once

#include "plugin/base/result.h"

#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

namespace crawlsieve {

/// An Error with what failed, the path and the text of `errno`.
[[nodiscard]] tl::unexpected<Error> IoError(std::string_view what,
                                            const std::filesystem::path& path);

/// Syncs the directory that a file is in, so that its name survives a power failure.
/// Errors: kIo.
[[nodiscard]] Status SyncDirectoryOf(const std::filesystem::path& file);

/// A file that is written from beginning to end under a temporary name and renamed when it is
/// synced. One that is not finished is removed by the destructor. It is written past the page
/// cache where the file system can: copying there took a fifth to a half of the time.
///
/// Thread-compatible. Errors of all methods: kIo with the path.
class DurableFile {
 public:
  /// `path`: the temporary name.
  explicit DurableFile(std::filesystem::path path) : path_(std::move(path)) {}
  ~DurableFile();
  DurableFile(const DurableFile&) = delete;
  DurableFile& operator=(const DurableFile&) = delete;

  /// Creates the file, or empties the one that is there.
  [[nodiscard]] Status Create();

  [[nodiscard]] Status Append(const void* bytes, std::size_t size);

  /// Overwrites the beginning with `beginning`, syncs the file and renames it to `name`. The caller
  /// syncs the directory.
  [[nodiscard]] Status Finish(std::span<const std::byte> beginning,
                              const std::filesystem::path& name);

 private:
  // Whole sectors of any disk, in memory aligned to them, as writing past the page cache asks for.
  static constexpr std::size_t kBufferBytes = 1 << 20;
  static constexpr std::size_t kSectorBytes = 4096;
  struct alignas(kSectorBytes) Buffer {
    std::array<std::byte, kBufferBytes> bytes;
  };

  void SetDirect(bool direct);
  [[nodiscard]] Status Flush();

  const std::filesystem::path path_;
  int descriptor_ = -1;
  bool kept_ = false;
  bool direct_ = false;
  const std::unique_ptr<Buffer> buffer_ = std::make_unique_for_overwrite<Buffer>();
  std::size_t used_ = 0;
};

}  // namespace crawlsieve

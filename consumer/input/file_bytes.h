#pragma once

#include "consumer/input/formats/decompressor.h"
#include "plugin/base/result.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// The bytes of a file that are read, as if they were a file of their own.
struct FileSlice {
  std::uint64_t begin = 0;
  std::uint64_t size = std::numeric_limits<std::uint64_t>::max();  ///< or up to the file's end
  /// Where the bytes are deflated, as in ZIP files: the size of what they unpack to, which is read
  /// in their place. What is beyond it isn't read.
  std::optional<std::uint64_t> inflated_size;
  std::optional<std::uint32_t> checksum;  ///< CRC-32 of what is read
};

/// Reads a slice of a file. Memory for a deflated one: 128 KiB. Thread-compatible.
class FileBytes {
 public:
  /// Errors: kIo.
  [[nodiscard]] static Result<std::unique_ptr<FileBytes>> Open(const std::filesystem::path& path,
                                                               const FileSlice& slice);

  /// The next bytes: fewer than `most` only at the end, at damage, or where a read failed.
  [[nodiscard]] std::size_t Read(char* into, std::size_t most);

  /// Goes on at `offset` of the slice; its checksum isn't looked at then. False: the file can't be
  /// sought, or is deflated.
  [[nodiscard]] bool SeekTo(std::uint64_t offset);

  /// Whether a read failed, with errno set.
  [[nodiscard]] bool has_failed() const { return std::ferror(file_.get()) != 0; }

  /// At the end: what is wrong with the slice as a whole; empty: nothing that is known.
  [[nodiscard]] const std::string& damage() const { return damage_; }

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using FilePtr = std::unique_ptr<std::FILE, CloseFile>;

  FileBytes(FilePtr file, const FileSlice& slice) : file_(std::move(file)), slice_(slice) {}

  std::size_t ReadStored(char* into, std::size_t most);
  std::size_t ReadInflated(char* into, std::size_t most);
  void Finish();

  FilePtr file_;
  const FileSlice slice_;
  std::uint64_t position_ = 0;                ///< of file_, within the slice
  std::unique_ptr<Decompressor> inflater_;    ///< nullptr: the bytes are read as they lie there
  std::string deflated_;                      ///< bytes not yet unpacked, from
  std::size_t deflated_start_ = 0;            ///< here on
  std::uint64_t inflated_ = 0;                ///< bytes handed out of a deflated slice
  std::optional<std::uint32_t> checksum_{0};  ///< so far; nullopt: not all was read in order
  bool has_ended_ = false;
  std::string damage_;
};

}  // namespace crawlsieve::consumer

#pragma once

#include "plugin/base/result.h"
#include "plugin/log/entry.pb.h"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// Files of entries, between programs that extract and one that folds:
///
///     file    "crawlsieve entries 1\n" entry* end
///     entry   size, checksum (4 bytes each, little-endian), so many bytes of a log::Entry
///     end     eight bytes 0, number of entries (8 bytes)
///
/// The checksum is the low 32 bits of XXH3-128. A file without its end was cut.
class EntryFileWriter {
 public:
  /// Errors: kIo.
  [[nodiscard]] static Result<EntryFileWriter> Open(const std::filesystem::path& path);

  [[nodiscard]] Status Write(const log::Entry& entry);
  /// Writes the end.
  [[nodiscard]] Status Finish();
  [[nodiscard]] std::uint64_t entries() const { return entries_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { (void)std::fclose(file); }
  };
  EntryFileWriter(std::FILE* file, std::string name) : file_(file), name_(std::move(name)) {}
  [[nodiscard]] Status Put(std::string_view bytes);

  std::unique_ptr<std::FILE, Close> file_;
  std::string name_;
  std::string buffer_;
  std::uint64_t entries_ = 0;
};

/// Reads such a file. Thread-compatible.
class EntryFileReader {
 public:
  /// Errors: kIo; kCorruption where it isn't one.
  [[nodiscard]] static Result<EntryFileReader> Open(const std::filesystem::path& path);

  /// Puts the next entry into `entry`; false at the end. Errors: kIo, kCorruption, with the place
  /// and what to do.
  [[nodiscard]] Result<bool> Next(log::Entry& entry);

  [[nodiscard]] std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { (void)std::fclose(file); }
  };
  EntryFileReader(std::FILE* file, std::string name) : file_(file), name_(std::move(name)) {}
  /// Fills `buffer_`; false: the file ends before, or can't be read.
  [[nodiscard]] bool Get(std::size_t bytes);
  [[nodiscard]] tl::unexpected<Error> Cut() const;
  [[nodiscard]] Result<bool> End();

  std::unique_ptr<std::FILE, Close> file_;
  std::string name_;
  std::string buffer_;
  std::uint64_t entries_ = 0;
  std::uint64_t bytes_read_ = 0;
};

}  // namespace crawlsieve::consumer

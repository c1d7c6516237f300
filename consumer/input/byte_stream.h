#pragma once

#include "consumer/input/file_bytes.h"
#include "consumer/input/formats/decompressor.h"
#include "plugin/base/result.h"

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// The bytes of a file, from front to back; gzip and zstd, known by their first bytes, unpacked on
/// the way. Members and frames may follow each other; a dictionary in front of zstd frames, as
/// .warc.zst files have it, is that of all of them.
///
/// Memory: what Peek was asked for, the dictionary, the compression's window (zstd: up to 128 MiB,
/// where a frame says so) and 128 KiB. Thread-compatible.
class ByteStream {
 public:
  enum class Unpack { kYes, kNo };

  /// Errors: kIo.
  [[nodiscard]] static Result<std::unique_ptr<ByteStream>> Open(const std::filesystem::path& path,
                                                                Unpack unpack,
                                                                const FileSlice& slice = {});

  /// The bytes to come: at least `count`, fewer only where the stream ends before. Valid until the
  /// next call of any method that isn't const.
  [[nodiscard]] std::string_view Peek(std::size_t count);

  /// Takes off `count` bytes, which a Peek has shown.
  void Consume(std::size_t count);

  /// Takes off up to `count` bytes without keeping them; returns how many there were.
  std::uint64_t Skip(std::uint64_t count);

  /// Where the stream stands, for messages: "byte 1234" of the file where that can be said, else
  /// "byte 1234 after unpacking".
  [[nodiscard]] std::string Where() const;

  /// The byte of the file where the stream stands, where that can be said: of a packed file at the
  /// first byte of a member or frame, and at the end.
  [[nodiscard]] std::optional<std::uint64_t> FileOffset() const;

  /// Unpacked bytes taken off so far.
  [[nodiscard]] std::uint64_t position() const { return position_; }

  /// Up to where bytes are known to be those that were packed: the end of the last member whose
  /// checksum was right. For a plain file all bytes read.
  [[nodiscard]] std::uint64_t verified_end() const { return verified_end_; }

  /// Why the stream ended before its file, or what is wrong with that as a whole; empty: nothing,
  /// so far.
  [[nodiscard]] const std::string& damage() const { return damage_; }

  /// A stretch of the file that was given up, from its first byte to where reading goes on.
  struct Lost {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };

  /// Gives up the rest of the member that Peek shows, or that is damaged, and goes on with the next
  /// member whose first 64 KiB can be unpacked and satisfy `begins_well`. Members that start within
  /// the one given up count: unpacking it may have run past its end. nullopt: the file isn't
  /// packed or is deflated in a ZIP file, there is none, or there were 1,000 such stretches
  /// already; then nothing more can be read.
  [[nodiscard]] std::optional<Lost> SkipToNextMember(
      const std::function<bool(std::string_view)>& begins_well);

  /// Errors: kIo, when a read failed; the stream ends there.
  [[nodiscard]] const Status& status() const { return status_; }

  /// Bytes read off the disk.
  [[nodiscard]] std::uint64_t file_bytes_read() const { return file_bytes_read_; }

 private:
  /// Where a member starts, in unpacked bytes and in the file.
  struct Member {
    std::uint64_t position = 0;
    std::uint64_t file_offset = 0;
  };

  ByteStream(std::unique_ptr<FileBytes> file, std::string name);

  void ReadFile();
  /// The dictionary that a zstd file begins with; empty: none.
  [[nodiscard]] std::string ReadAheadForDictionary();
  void Fill();
  void Inflate();
  void StartNextMember();
  /// Behind the last member.
  void FindEndOrGarbage();
  void End();
  [[nodiscard]] bool MemberBeginsWell(std::uint64_t file_offset,
                                      const std::function<bool(std::string_view)>& begins_well);
  void GoOnAt(std::uint64_t file_offset);
  [[nodiscard]] std::uint64_t filled_end() const {
    return position_ + (buffer_.size() - buffer_start_);
  }

  const std::unique_ptr<FileBytes> file_;  ///< "the file", also where it is a slice of one
  const std::string name_;
  std::unique_ptr<Decompressor> decompressor_;  ///< nullptr: a plain file
  std::string input_;                           ///< bytes of the file not yet unpacked, from
  std::size_t input_start_ = 0;                 ///< here on
  bool file_ended_ = false;
  std::string buffer_;            ///< unpacked bytes not yet taken off, from
  std::size_t buffer_start_ = 0;  ///< here on
  bool ended_ = false;
  std::uint64_t position_ = 0;
  std::uint64_t verified_end_ = 0;
  std::uint64_t file_bytes_read_ = 0;
  std::deque<Member> members_;  ///< the one at position_ and those in buffer_
  std::string damage_;
  std::optional<std::uint64_t> garbage_;  ///< where in the file bytes follow that aren't packed
  int skips_ = 0;
  Status status_;
};

}  // namespace crawlsieve::consumer

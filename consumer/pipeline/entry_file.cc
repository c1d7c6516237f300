#include "consumer/pipeline/entry_file.h"

#include "consumer/record_limits.h"
#include "plugin/fingerprint/checksum.h"
#include "plugin/log/entries.h"

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::string_view kMagic = "crawlsieve entries 1\n";
constexpr std::size_t kBufferBytes = 1 << 20;

std::uint32_t ChecksumOf(std::string_view bytes) {
  return static_cast<std::uint32_t>(RawChecksum(bytes).low);
}

template <typename T>
std::string LittleEndian(T value) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    bytes += static_cast<char>(static_cast<unsigned char>(value >> 8 * i));
  }
  return bytes;
}

template <typename T>
T FromLittleEndian(std::string_view bytes) {
  T value = 0;
  for (std::size_t i = sizeof(T); i-- > 0;) {
    value = static_cast<T>(value << 8 | static_cast<unsigned char>(bytes[i]));
  }
  return value;
}

tl::unexpected<Error> SystemError(const std::string& name, const char* what) {
  return MakeError(ErrorCode::kIo,
                   fmt::format("{} {}: {}", name, what, std::generic_category().message(errno)));
}

}  // namespace

Result<EntryFileWriter> EntryFileWriter::Open(const std::filesystem::path& path) {
  std::FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr) return SystemError(path.string(), "can't be written");
  (void)std::setvbuf(file, nullptr, _IOFBF, kBufferBytes);
  EntryFileWriter writer(file, path.string());
  CRAWLSIEVE_RETURN_IF_ERROR(writer.Put(kMagic));
  return writer;
}

Status EntryFileWriter::Put(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) == bytes.size()) return {};
  return SystemError(name_, "can't be written");
}

Status EntryFileWriter::Write(const log::Entry& entry) {
  buffer_.clear();
  entry.AppendToString(&buffer_);
  const auto size = static_cast<std::uint32_t>(buffer_.size());
  CRAWLSIEVE_RETURN_IF_ERROR(Put(LittleEndian(size) + LittleEndian(ChecksumOf(buffer_))));
  CRAWLSIEVE_RETURN_IF_ERROR(Put(buffer_));
  ++entries_;
  return {};
}

Status EntryFileWriter::Finish() {
  CRAWLSIEVE_RETURN_IF_ERROR(Put(LittleEndian(std::uint64_t{0}) + LittleEndian(entries_)));
  if (std::fflush(file_.get()) == 0) return {};
  return SystemError(name_, "can't be written");
}

Result<EntryFileReader> EntryFileReader::Open(const std::filesystem::path& path) {
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return SystemError(path.string(), "can't be read");
  (void)std::setvbuf(file, nullptr, _IOFBF, kBufferBytes);
  EntryFileReader reader(file, path.string());
  if (!reader.Get(kMagic.size()) || reader.buffer_ != kMagic) {
    return MakeError(ErrorCode::kCorruption,
                     path.string() +
                         ": not a file of entries; `crawlsieve entries extract` makes "
                         "them of files of pages");
  }
  return reader;
}

bool EntryFileReader::Get(std::size_t bytes) {
  buffer_.resize(bytes);
  const std::size_t read = std::fread(buffer_.data(), 1, bytes, file_.get());
  bytes_read_ += read;
  return read == bytes;
}

tl::unexpected<Error> EntryFileReader::Cut() const {
  if (std::ferror(file_.get()) != 0) return SystemError(name_, "can't be read");
  return MakeError(ErrorCode::kCorruption,
                   fmt::format("{}: ends at byte {}, behind entry {}, without its end: it was cut; "
                               "extract its pages again",
                               name_, bytes_read_, entries_));
}

Result<bool> EntryFileReader::Next(log::Entry& entry) {
  const std::uint64_t begin = bytes_read_;
  if (!Get(8)) return Cut();
  const auto size = FromLittleEndian<std::uint32_t>(buffer_);
  const auto checksum = FromLittleEndian<std::uint32_t>(std::string_view(buffer_).substr(4));
  if (size == 0 && checksum == 0) return End();
  const bool fits = size > 0 && size <= kMaxOwnRecordBytes;
  if (fits && !Get(size)) return Cut();
  if (!fits || ChecksumOf(buffer_) != checksum || !ParseEntry(buffer_, entry) ||
      !entry.has_page()) {
    return MakeError(ErrorCode::kCorruption,
                     fmt::format("{}: entry {} at byte {} is damaged; extract its pages again",
                                 name_, entries_ + 1, begin));
  }
  ++entries_;
  return true;
}

Result<bool> EntryFileReader::End() {
  if (!Get(8)) return Cut();
  const auto expected = FromLittleEndian<std::uint64_t>(buffer_);
  if (expected == entries_ && !Get(1)) {
    return std::ferror(file_.get()) != 0 ? Result<bool>(Cut()) : Result<bool>(false);
  }
  return MakeError(ErrorCode::kCorruption,
                   fmt::format("{}: has {} entries where it says {}, or bytes behind its end; "
                               "extract its pages again",
                               name_, entries_, expected));
}

}  // namespace crawlsieve::consumer

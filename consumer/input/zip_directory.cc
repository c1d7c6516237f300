#include "consumer/input/zip_directory.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/types.h>

namespace crawlsieve::consumer {
namespace {

// Sizes and places of fields as PKWARE's APPNOTE.TXT has them (4.3.7, 4.3.12, 4.3.14 to 4.3.16).
constexpr std::uint64_t kMostEntries = 100'000;
constexpr std::uint64_t kMostDirectoryBytes = 32 << 20;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kMostCommentBytes = 0xFFFF;
constexpr std::size_t kLocatorBytes = 20;
constexpr std::size_t kEnd64Bytes = 56;
constexpr std::size_t kEntryBytes = 46;
constexpr std::size_t kLocalBytes = 30;
constexpr std::uint32_t kEndSignature = 0x06054b50;
constexpr std::uint32_t kLocatorSignature = 0x07064b50;
constexpr std::uint32_t kEnd64Signature = 0x06064b50;
constexpr std::uint32_t kEntrySignature = 0x02014b50;
constexpr std::uint32_t kLocalSignature = 0x04034b50;
constexpr std::uint16_t kZip64Field = 1;
constexpr std::uint32_t kIn64 = 0xFFFFFFFF;
constexpr std::uint32_t kCountIn64 = 0xFFFF;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

/// An integer of `Bytes` bytes, the least one first. The caller has checked that they are there.
template <std::size_t Bytes>
std::uint64_t Number(std::string_view bytes, std::size_t at) {
  std::uint64_t number = 0;
  for (std::size_t i = Bytes; i > 0; --i) {
    number = number << 8 | static_cast<unsigned char>(bytes[at + i - 1]);
  }
  return number;
}

ZipEntry::Packing PackingOf(std::uint64_t flags, std::uint64_t method) {
  constexpr std::uint64_t kEncrypted = 1;
  constexpr std::uint64_t kStored = 0;
  constexpr std::uint64_t kDeflated = 8;
  if ((flags & kEncrypted) != 0) return ZipEntry::Packing::kOther;
  if (method == kStored) return ZipEntry::Packing::kStored;
  return method == kDeflated ? ZipEntry::Packing::kDeflated : ZipEntry::Packing::kOther;
}

struct Directory {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
  std::uint64_t entries = 0;
};

/// Reads one ZIP file. A nullopt is damage.
class ZipFile {
 public:
  ZipFile(std::FILE* file, std::uint64_t size) : file_(file), size_(size) {}

  /// Whether a read failed.
  [[nodiscard]] bool has_failed() const { return std::ferror(file_) != 0; }

  std::optional<Directory> FindDirectory() {
    const std::uint64_t tail_bytes =
        std::min<std::uint64_t>(size_, kEndBytes + kMostCommentBytes + kLocatorBytes);
    const auto tail = Read(size_ - tail_bytes, tail_bytes);
    if (!tail || tail->size() < kEndBytes) return std::nullopt;
    for (std::size_t at = tail->size() - kEndBytes + 1; at-- > 0;) {
      if (Number<4>(*tail, at) != kEndSignature) continue;
      if (at + kEndBytes + Number<2>(*tail, at + 20) != tail->size()) continue;
      Directory found{Number<4>(*tail, at + 16), Number<4>(*tail, at + 12),
                      Number<2>(*tail, at + 10)};
      const bool is_in_64 =
          found.begin == kIn64 || found.size == kIn64 || found.entries == kCountIn64;
      const bool has_locator =
          at >= kLocatorBytes && Number<4>(*tail, at - kLocatorBytes) == kLocatorSignature;
      if (is_in_64 && has_locator) {
        const auto end = Read(Number<8>(*tail, at - kLocatorBytes + 8), kEnd64Bytes);
        if (!end || Number<4>(*end, 0) != kEnd64Signature) return std::nullopt;
        found = {Number<8>(*end, 48), Number<8>(*end, 40), Number<8>(*end, 32)};
      }
      return found;
    }
    return std::nullopt;
  }

  /// `count` bytes from `begin` on; nullopt where the file has fewer.
  std::optional<std::string> Read(std::uint64_t begin, std::uint64_t count) {
    if (begin > size_ || count > size_ - begin) return std::nullopt;
    if (::fseeko(file_, static_cast<off_t>(begin), SEEK_SET) != 0) return std::nullopt;
    std::string bytes(static_cast<std::size_t>(count), '\0');
    if (std::fread(bytes.data(), 1, bytes.size(), file_) != bytes.size()) return std::nullopt;
    return bytes;
  }

  /// Takes the first entry off `directory`. Its place is that of its local header.
  static std::optional<ZipEntry> TakeEntry(std::string_view& directory) {
    if (directory.size() < kEntryBytes || Number<4>(directory, 0) != kEntrySignature) {
      return std::nullopt;
    }
    const auto name_bytes = static_cast<std::size_t>(Number<2>(directory, 28));
    const auto extra_bytes = static_cast<std::size_t>(Number<2>(directory, 30));
    const std::size_t bytes =
        kEntryBytes + name_bytes + extra_bytes + static_cast<std::size_t>(Number<2>(directory, 32));
    if (directory.size() < bytes) return std::nullopt;
    ZipEntry entry;
    entry.name = directory.substr(kEntryBytes, name_bytes);
    entry.unpacked_size = Number<4>(directory, 24);
    entry.size = Number<4>(directory, 20);
    entry.begin = Number<4>(directory, 42);
    entry.checksum = static_cast<std::uint32_t>(Number<4>(directory, 16));
    entry.packing = PackingOf(Number<2>(directory, 8), Number<2>(directory, 10));
    std::string_view extra = directory.substr(kEntryBytes + name_bytes, extra_bytes);
    directory.remove_prefix(bytes);
    // Those that have no room in 32 bits are in a field of their own, in this order.
    std::uint64_t* const numbers[] = {&entry.unpacked_size, &entry.size, &entry.begin};
    if (std::none_of(std::begin(numbers), std::end(numbers),
                     [](const std::uint64_t* number) { return *number == kIn64; })) {
      return entry;
    }
    while (extra.size() >= 4) {
      const auto field_bytes = static_cast<std::size_t>(Number<2>(extra, 2));
      if (extra.size() - 4 < field_bytes) return std::nullopt;
      if (Number<2>(extra, 0) != kZip64Field) {
        extra.remove_prefix(4 + field_bytes);
        continue;
      }
      std::string_view field = extra.substr(4, field_bytes);
      for (std::uint64_t* const number : numbers) {
        if (*number != kIn64) continue;
        if (field.size() < 8) return std::nullopt;
        *number = Number<8>(field, 0);
        field.remove_prefix(8);
      }
      return entry;
    }
    return std::nullopt;
  }

  /// Where the bytes of an entry begin whose local header is at `header`.
  std::optional<std::uint64_t> BytesBehind(std::uint64_t header) {
    const auto local = Read(header, kLocalBytes);
    if (!local || Number<4>(*local, 0) != kLocalSignature) return std::nullopt;
    return header + kLocalBytes + Number<2>(*local, 26) + Number<2>(*local, 28);
  }

 private:
  std::FILE* const file_;
  const std::uint64_t size_;
};

tl::unexpected<Error> Bad(const std::filesystem::path& path, std::string_view why) {
  return MakeError(ErrorCode::kCorruption, fmt::format("{}: {}", path.native(), why));
}

tl::unexpected<Error> Failed(const std::filesystem::path& path) {
  return MakeError(ErrorCode::kIo,
                   fmt::format("{}: {}", path.native(), std::generic_category().message(errno)));
}

}  // namespace

Result<std::vector<ZipEntry>> ReadZipDirectory(const std::filesystem::path& path) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rbe"));
  if (file == nullptr || ::fseeko(file.get(), 0, SEEK_END) != 0) return Failed(path);
  const off_t size = ::ftello(file.get());
  if (size < 0) return Failed(path);
  ZipFile zip(file.get(), static_cast<std::uint64_t>(size));
  const auto directory = zip.FindDirectory();
  if (zip.has_failed()) return Failed(path);
  if (!directory) return Bad(path, "no ZIP file, or its end is missing");
  if (directory->entries > kMostEntries || directory->size > kMostDirectoryBytes) {
    return Bad(path,
               fmt::format("its directory has {} entries in {} bytes, more than the {} and "
                           "{} that are read",
                           directory->entries, directory->size, kMostEntries, kMostDirectoryBytes));
  }
  const auto bytes = zip.Read(directory->begin, directory->size);
  if (!bytes) return zip.has_failed() ? Failed(path) : Bad(path, "its directory is cut");
  std::string_view rest = *bytes;
  std::vector<ZipEntry> entries;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> stretches;  // headers and bytes
  for (std::uint64_t i = 0; i < directory->entries; ++i) {
    auto entry = ZipFile::TakeEntry(rest);
    if (!entry) return Bad(path, fmt::format("entry {} of its directory is damaged", i));
    const std::uint64_t header = entry->begin;
    const auto begin = zip.BytesBehind(header);
    if (zip.has_failed()) return Failed(path);
    if (!begin || *begin > directory->begin || entry->size > directory->begin - *begin) {
      return Bad(path, fmt::format("{} isn't where its directory says", entry->name));
    }
    entry->begin = *begin;
    stretches.emplace_back(header, *begin + entry->size);
    entries.push_back(std::move(*entry));
  }
  std::sort(stretches.begin(), stretches.end());
  for (std::size_t i = 1; i < stretches.size(); ++i) {
    if (stretches[i].first < stretches[i - 1].second) {
      return Bad(path, "entries of its directory share bytes, as in a ZIP bomb");
    }
  }
  return entries;
}

}  // namespace crawlsieve::consumer

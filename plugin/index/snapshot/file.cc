#include "plugin/index/snapshot/file.h"

#include "plugin/base/result.h"
#include "plugin/index/snapshot/durable_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace crawlsieve {
namespace {

std::string_view Terminated(const std::array<char, 32>& text) {
  return {text.data(), static_cast<std::size_t>(std::ranges::find(text, '\0') - text.begin())};
}

/// Whether the header's fields can go together.
bool IsPossible(const SnapshotHeader& header) {
  const auto kind = static_cast<SnapshotKind>(header.kind);
  if (kind < SnapshotKind::kArchive || kind > SnapshotKind::kRestart) return false;
  if (header.table_count != TableCountOf(kind)) return false;
  if (kind != SnapshotKind::kRestart) return header.document_bits == 0;
  return header.document_bits >= 1 && header.document_bits <= kMaxDocumentBits;
}

}  // namespace

SnapshotFile::SnapshotFile(SnapshotFile&& other) noexcept
    : name_(std::move(other.name_)),
      info_(std::move(other.info_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(other.size_),
      tables_(std::move(other.tables_)) {}

SnapshotFile::~SnapshotFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

tl::unexpected<Error> SnapshotFile::Refuse(ErrorCode code, std::string_view what) const {
  return MakeError(code, "snapshot " + name_ + ": " + std::string(what));
}

Result<SnapshotFile> SnapshotFile::Open(const std::filesystem::path& path) {
  SnapshotFile file;
  CRAWLSIEVE_RETURN_IF_ERROR(file.Map(path));
  CRAWLSIEVE_RETURN_IF_ERROR(file.ReadHeader());
  return file;
}

Status SnapshotFile::Map(const std::filesystem::path& path) {
  name_ = path.string();
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return IoError("can't open", path);
  struct stat status {};
  const bool known = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  size_ = known ? static_cast<std::size_t>(status.st_size) : 0;
  if (size_ < sizeof(SnapshotHeader)) {
    ::close(descriptor);
    return Refuse(ErrorCode::kCorruption, "too short for a snapshot");
  }
  void* data = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, descriptor, 0);
  const auto failed = IoError("can't map", path);
  ::close(descriptor);
  if (data == MAP_FAILED) return failed;
  data_ = static_cast<const std::byte*>(data);
  return {};
}

Status SnapshotFile::ReadHeader() {
  SnapshotHeader header;
  std::memcpy(&header, data_, sizeof(header));
  if (header.magic != kSnapshotMagic) {
    return Refuse(ErrorCode::kCorruption, "not a snapshot of an index");
  }
  if (header.version != kSnapshotVersion) {
    return Refuse(ErrorCode::kMismatch,
                  "version " + std::to_string(header.version) + "; this program reads version 1");
  }
  if (header.checksum != header.ComputeChecksum()) {
    return Refuse(ErrorCode::kCorruption, "wrong checksum of the header");
  }
  if (!IsPossible(header)) return Refuse(ErrorCode::kCorruption, "impossible header");
  info_ = {
      .kind = static_cast<SnapshotKind>(header.kind),
      .origin = {.scheme = std::string(Terminated(header.scheme)), .log_offset = header.log_offset},
      .entries = header.entries,
      .fingerprints = header.fingerprints,
      .bytes = size_,
      .document_bits = header.document_bits};
  return LocateTables(header);
}

Status SnapshotFile::LocateTables(const SnapshotHeader& header) {
  // Sizes are checked one by one against what is left, so that no sum can overflow.
  std::size_t at = sizeof(header);
  for (std::size_t i = 0; i < header.table_count; ++i) {
    const SnapshotHeader::Table& stored = header.tables[i];
    SnapshotTable& table = tables_.emplace_back();
    table.rotation = i == 0 ? 0 : kSecondRotation;
    table.block_count = stored.block_count;
    table.directory_bits = static_cast<int>(stored.directory_bits);
    table.blocks = data_ + at;
    if (stored.rotation != static_cast<std::uint32_t>(table.rotation) ||
        stored.block_count > (size_ - at) / kBlockBytes) {
      return Refuse(ErrorCode::kCorruption, "shorter than its header says");
    }
    at += stored.block_count * kBlockBytes;
  }
  if (info_.kind == SnapshotKind::kSearchable) {
    CRAWLSIEVE_RETURN_IF_ERROR(LocateDirectories(header, at));
  }
  if (at != size_) return Refuse(ErrorCode::kCorruption, "longer than its header says");
  return {};
}

Status SnapshotFile::LocateDirectories(const SnapshotHeader& header, std::size_t& at) {
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    SnapshotTable& table = tables_[i];
    table.directory = data_ + at;
    if (table.directory_bits != DirectoryBits(table.block_count) ||
        DirectoryBytes(table.directory_bits) > size_ - at) {
      return Refuse(ErrorCode::kCorruption, "shorter than its header says");
    }
    const std::size_t bytes = DirectoryBytes(table.directory_bits);
    at += bytes;
    if (SnapshotChecksum(table.directory, bytes) != header.tables[i].directory_checksum) {
      return Refuse(ErrorCode::kCorruption, "wrong checksum of a directory");
    }
  }
  return {};
}

Status SnapshotFile::ForEach(const EntryVisitor& visit) const {
  const Result<std::uint64_t> count = ForEachIn(0, blocks(), visit);
  if (!count) return tl::unexpected(count.error());
  if (*count != info_.entries) return Refuse(ErrorCode::kCorruption, "entries are missing");
  return {};
}

Result<std::uint64_t> SnapshotFile::ForEachIn(std::uint64_t first_block, std::uint64_t last_block,
                                              const EntryVisitor& visit) const {
  const auto block = std::make_unique<DecodedBlock>();
  std::vector<IndexEntry> entries;
  const SnapshotTable& table = tables_.front();
  std::uint64_t count = 0;
  IndexEntry last;
  for (std::uint64_t i = first_block; i < last_block; ++i) {
    if (Status decoded = block->Decode(table.Block(i), i, info_.document_bits); !decoded) {
      return Refuse(decoded.error().code, decoded.error().message);
    }
    entries.clear();
    for (const BlockEntry& stored : block->entries()) {
      const IndexEntry entry{{stored.key}, {stored.document}};
      if ((count != 0 && entry <= last) || (info_.document_bits != 0 && stored.document == 0)) {
        return Refuse(ErrorCode::kCorruption,
                      "block " + std::to_string(i) + ": entries out of order");
      }
      last = entry;
      ++count;
      entries.push_back(entry);
    }
    visit(entries);
  }
  return count;
}

Checksum SnapshotFile::checksum() const {
  return RawChecksum({reinterpret_cast<const char*>(data_), size_});
}

Status SnapshotFile::VerifyTable(const SnapshotTable& table, std::uint64_t& sum) const {
  const auto block = std::make_unique<DecodedBlock>();
  std::uint64_t count = 0;
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < table.block_count; ++i) {
    if (Status decoded = block->Decode(table.Block(i), i, 0); !decoded) {
      return Refuse(decoded.error().code, decoded.error().message);
    }
    for (const BlockEntry& entry : block->entries()) {
      if (count++ != 0 && entry.key <= last) {
        return Refuse(ErrorCode::kCorruption,
                      "block " + std::to_string(i) + ": entries out of order");
      }
      last = entry.key;
      // Any order of the same keys gives the same sum.
      const std::uint64_t bits = std::rotr(entry.key, table.rotation);
      sum += (bits ^ bits >> 29) * 0xbf58'476d'1ce4'e5b9;
    }
  }
  if (count != info_.entries) return Refuse(ErrorCode::kCorruption, "entries are missing");
  return {};
}

Status SnapshotFile::Verify() const {
  std::uint64_t fingerprints = 0;
  std::uint64_t last = 0;
  Status read = ForEach([&](std::span<const IndexEntry> entries) {
    for (const IndexEntry& entry : entries) {
      if (fingerprints == 0 || entry.fingerprint.bits != last) ++fingerprints;
      last = entry.fingerprint.bits;
    }
  });
  if (!read) return read;
  if (fingerprints != info_.fingerprints) {
    return Refuse(ErrorCode::kCorruption, "fingerprints are missing");
  }
  if (info_.kind != SnapshotKind::kSearchable) return {};
  std::array<std::uint64_t, kMaxSnapshotTables> sums{};
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    CRAWLSIEVE_RETURN_IF_ERROR(VerifyTable(tables_[i], sums[i]));
  }
  if (sums[0] != sums[1]) return Refuse(ErrorCode::kCorruption, "the tables differ");
  return {};
}

}  // namespace crawlsieve

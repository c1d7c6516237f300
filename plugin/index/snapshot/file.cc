#include "plugin/index/snapshot/file.h"

#include "plugin/fingerprint/checksum.h"
#include "plugin/index/base/line_array.h"
#include "plugin/index/base/radius.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <memory>
#include <string_view>
#include <system_error>
#include <tuple>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace crawlsieve {
namespace {

constexpr std::array<char, 8> kMagic{'\x89', 'C', 'S', 'I', 'X', '\r', '\n', '\x1a'};
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kMaxTables = 2;
constexpr int kMaxDirectoryBits = 30;
constexpr int kMaxDocumentBits = 40;
// Of a lookup: how many ranges wait for memory at each of its two stages.
constexpr std::size_t kRangesAhead = 12;

/// The first block of a file, as it is stored. docs/snapshot_format.md describes it.
struct Header {
  struct Table {
    std::uint64_t block_count;
    std::uint64_t directory_checksum;
    std::uint32_t directory_bits;
    std::uint32_t rotation;
  };

  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint8_t kind;
  std::uint8_t table_count;
  std::uint8_t document_bits;
  std::uint8_t zero;
  std::array<char, 32> scheme;
  std::int64_t log_offset;
  std::uint64_t entries;
  std::uint64_t fingerprints;
  std::array<Table, kMaxTables> tables;
  std::array<char, 128> zeros;
  std::uint64_t checksum;
};
static_assert(sizeof(Header) == kBlockBytes);
static_assert(std::endian::native == std::endian::little, "integers are stored as they are");

std::uint64_t ChecksumOf(const void* bytes, std::size_t size) {
  return RawChecksum({static_cast<const char*>(bytes), size}).low;
}

std::size_t TableCountOf(SnapshotKind kind) { return kind == SnapshotKind::kSearchable ? 2 : 1; }

/// Four blocks and more behind each entry of a directory: it takes a hundredth of the file.
int DirectoryBits(std::uint64_t blocks) {
  return std::clamp(static_cast<int>(std::bit_width(blocks)) - 3, 0, kMaxDirectoryBits);
}

/// Bytes of a directory in the file, where every part takes whole blocks.
std::size_t DirectoryBytes(int bits) {
  return std::max(sizeof(std::uint32_t) << bits, kBlockBytes);
}

tl::unexpected<Error> IoError(std::string_view what, const std::filesystem::path& path) {
  const int code = errno;
  return MakeError(ErrorCode::kIo, std::string(what) + " " + path.string() + ": " +
                                       std::system_category().message(code));
}

/// A file that is being written; closed, and removed unless kept, at the end. It is written past
/// the page cache, where the file system can: copying there took a fifth to a half of the time.
class NewFile {
 public:
  explicit NewFile(std::filesystem::path path) : path_(std::move(path)) {}
  ~NewFile() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    if (!kept_) ::unlink(path_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  [[nodiscard]] Status Create() {
    descriptor_ = ::open(path_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
    if (descriptor_ < 0) return IoError("can't create", path_);
    SetDirect(true);
    return {};
  }

  [[nodiscard]] Status Append(const void* bytes, std::size_t size) {
    const auto* next = static_cast<const std::byte*>(bytes);
    while (size != 0) {
      const std::size_t part = std::min(size, kBufferBytes - used_);
      std::memcpy(&buffer_->bytes[used_], next, part);
      used_ += part;
      next += part;
      size -= part;
      if (used_ != kBufferBytes) break;
      if (Status flushed = Flush(); !flushed) return flushed;
    }
    return {};
  }

  /// Overwrites the beginning, syncs, renames.
  [[nodiscard]] Status Finish(const Header& header, const std::filesystem::path& name) {
    // Neither what is left nor the header is a whole number of sectors.
    SetDirect(false);
    if (Status flushed = Flush(); !flushed) return flushed;
    if (::pwrite(descriptor_, &header, sizeof(header), 0) != ssize_t{sizeof(header)}) {
      return IoError("can't write", path_);
    }
    if (::fsync(descriptor_) != 0) return IoError("can't sync", path_);
    if (::rename(path_.c_str(), name.c_str()) != 0) return IoError("can't rename", path_);
    kept_ = true;
    return {};
  }

 private:
  // Whole sectors of any disk, in memory aligned to them, as writing past the page cache asks for.
  static constexpr std::size_t kBufferBytes = 1 << 20;
  static constexpr std::size_t kSectorBytes = 4096;
  struct alignas(kSectorBytes) Buffer {
    std::array<std::byte, kBufferBytes> bytes;
  };

  void SetDirect(bool direct) {
    const int flags = ::fcntl(descriptor_, F_GETFL);
    const int wanted = direct ? flags | O_DIRECT : flags & ~O_DIRECT;
    direct_ = flags >= 0 && ::fcntl(descriptor_, F_SETFL, wanted) == 0 && direct;
  }

  [[nodiscard]] Status Flush() {
    for (std::size_t done = 0; done < used_;) {
      const ssize_t written = ::write(descriptor_, &buffer_->bytes[done], used_ - done);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0 && errno == EINVAL && direct_) {
        SetDirect(false);  // the file system promised what it can't do
        continue;
      }
      if (written <= 0) return IoError("can't write", path_);
      done += static_cast<std::size_t>(written);
    }
    used_ = 0;
    return {};
  }

  const std::filesystem::path path_;
  int descriptor_ = -1;
  bool kept_ = false;
  bool direct_ = false;
  const std::unique_ptr<Buffer> buffer_ = std::make_unique_for_overwrite<Buffer>();
  std::size_t used_ = 0;
};

Status SyncDirectoryOf(const std::filesystem::path& file) {
  const std::filesystem::path directory = file.has_parent_path() ? file.parent_path() : ".";
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return IoError("can't open", directory);
  const bool synced = ::fsync(descriptor) == 0;
  ::close(descriptor);
  if (!synced) return IoError("can't sync", directory);
  return {};
}

/// Writes the blocks of one table and remembers where they begin.
class TableWriter {
 public:
  TableWriter(NewFile& file, int document_bits, double mean_gap, bool with_directory)
      : file_(file), encoder_(document_bits, mean_gap), with_directory_(with_directory) {}

  [[nodiscard]] Status Add(const BlockEntry& entry) {
    if (encoder_.Add(entry)) return {};
    if (Status written = WriteBlock(); !written) return written;
    [[maybe_unused]] const bool added = encoder_.Add(entry);
    assert(added);
    return {};
  }

  [[nodiscard]] Status Finish() { return encoder_.empty() ? Status() : WriteBlock(); }

  [[nodiscard]] std::uint64_t block_count() const { return block_count_; }

  /// Entry c: the last block that begins before the keys that start with c, or the first block.
  [[nodiscard]] std::vector<std::uint32_t> Directory() const {
    const int bits = DirectoryBits(block_count_);
    std::vector<std::uint32_t> directory(DirectoryBytes(bits) / sizeof(std::uint32_t));
    std::size_t block = 0;
    for (std::uint64_t c = 1; c < std::uint64_t{1} << bits; ++c) {
      while (block < first_keys_.size() && first_keys_[block] < c << (64 - bits)) ++block;
      directory[c] = static_cast<std::uint32_t>(std::max<std::size_t>(block, 1) - 1);
    }
    return directory;
  }

 private:
  [[nodiscard]] Status WriteBlock() {
    const BlockBytes bytes = encoder_.Finish(block_count_++);
    if (with_directory_) first_keys_.push_back(FirstKey(bytes));
    return file_.Append(bytes.data(), bytes.size());
  }

  NewFile& file_;
  BlockEncoder encoder_;
  const bool with_directory_;
  std::uint64_t block_count_ = 0;
  std::vector<std::uint64_t> first_keys_;
};

/// Ascending keys in the order of their low 32 bits, equal ones staying in order. They are dealt
/// out to runs by the first of those bits as they come; a run of some 100,000 (of 100 million keys)
/// is then sorted by the others in the cache.
class LowHalfOrder {
 public:
  LowHalfOrder() : runs_(std::size_t{1} << kRunBits) {}

  void Add(std::uint64_t key) {
    Run& run = runs_[key >> (2 * kDigitBits) & (runs_.size() - 1)];
    if (run.used_of_last == kChunkKeys) {
      run.chunks.push_back(chunks_++);
      run.used_of_last = 0;
      const std::size_t lines = chunks_ * kChunkLines;
      // What is not written yet takes no memory when there is much.
      if (lines > memory_.size()) memory_.Grow(2 * lines);
    }
    std::memcpy(Chunk(run.chunks.back()) + run.used_of_last++ * sizeof(key), &key, sizeof(key));
  }

  /// Calls visit(key) for all keys. Stops at an error.
  template <typename Visit>
  [[nodiscard]] Status ForEach(const Visit& visit) {
    for (const Run& run : runs_) {
      keys_.clear();
      for (const std::size_t chunk : run.chunks) {
        const std::size_t used = chunk == run.chunks.back() ? run.used_of_last : kChunkKeys;
        keys_.resize(keys_.size() + used);
        std::memcpy(keys_.data() + keys_.size() - used, Chunk(chunk), used * sizeof(std::uint64_t));
      }
      SortBy(0);
      SortBy(kDigitBits);
      for (const std::uint64_t key : keys_) {
        if (Status visited = visit(key); !visited) return visited;
      }
    }
    return {};
  }

 private:
  static constexpr int kRunBits = 10;
  static constexpr int kDigitBits = 11;
  static_assert(kRunBits + 2 * kDigitBits == 32);
  static constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
  static constexpr std::size_t kChunkKeys = 512;
  static constexpr std::size_t kChunkLines = kChunkKeys * sizeof(std::uint64_t) / kLineBytes;

  struct Run {
    std::vector<std::size_t> chunks;
    std::size_t used_of_last = kChunkKeys;
  };

  [[nodiscard]] std::byte* Chunk(std::size_t number) const {
    return reinterpret_cast<std::byte*>(memory_.data() + number * kChunkLines);
  }

  /// Stable.
  void SortBy(int first_bit) {
    const auto digit = [first_bit](std::uint64_t key) { return key >> first_bit & (kDigits - 1); };
    std::array<std::size_t, kDigits + 1> start{};
    for (const std::uint64_t key : keys_) ++start[digit(key) + 1];
    for (std::size_t i = 0; i < kDigits; ++i) start[i + 1] += start[i];
    sorted_.resize(keys_.size());
    for (const std::uint64_t key : keys_) sorted_[start[digit(key)]++] = key;
    keys_.swap(sorted_);
  }

  // In chunks of all runs, one after the other, so that memory comes in huge pages.
  LineArray memory_;
  std::size_t chunks_ = 0;
  std::vector<Run> runs_;
  std::vector<std::uint64_t> keys_;  // of one run
  std::vector<std::uint64_t> sorted_;
};

std::string_view Terminated(const std::array<char, 32>& text) {
  return {text.data(), static_cast<std::size_t>(std::ranges::find(text, '\0') - text.begin())};
}

}  // namespace

const char* SnapshotKindName(SnapshotKind kind) {
  switch (kind) {
    case SnapshotKind::kArchive:
      return "archive";
    case SnapshotKind::kSearchable:
      return "searchable";
    case SnapshotKind::kRestart:
      return "restart";
  }
  return "unknown";
}

Result<SnapshotInfo> WriteSnapshot(const std::filesystem::path& file,
                                   const SnapshotRequest& request, const EntrySource& source) {
  const bool with_documents = request.kind == SnapshotKind::kRestart;
  const bool searchable = request.kind == SnapshotKind::kSearchable;
  Header header{};
  if (request.origin.scheme.size() > header.scheme.size()) {
    return MakeError(ErrorCode::kInvalidInput, "scheme id over 32 bytes: " + request.origin.scheme);
  }
  if (request.max_document >> kMaxDocumentBits != 0) {
    return MakeError(ErrorCode::kInvalidInput, "document numbers over 40 bits");
  }
  const int document_bits =
      with_documents ? std::max(static_cast<int>(std::bit_width(request.max_document)), 1) : 0;
  header.magic = kMagic;
  header.version = kVersion;
  header.kind = static_cast<std::uint8_t>(request.kind);
  header.table_count = static_cast<std::uint8_t>(TableCountOf(request.kind));
  header.document_bits = static_cast<std::uint8_t>(document_bits);
  std::ranges::copy(request.origin.scheme, header.scheme.begin());
  header.log_offset = request.origin.log_offset;

  NewFile output(file.string() + ".tmp");
  if (Status created = output.Create(); !created) return tl::unexpected(created.error());
  if (Status begun = output.Append(&header, sizeof(header)); !begun) {
    return tl::unexpected(begun.error());
  }
  // A guess for the first block, good for some hundred million.
  constexpr double kFirstMeanGap = 1e11;
  LowHalfOrder second_order;
  std::vector<std::vector<std::uint32_t>> directories;
  {
    TableWriter table(output, document_bits, kFirstMeanGap, searchable);
    std::vector<IndexEntry> entries;
    IndexEntry last;
    while (source(entries)) {
      for (const IndexEntry& entry : entries) {
        const bool first = header.entries == 0;
        if (!first && (with_documents ? entry <= last : entry.fingerprint < last.fingerprint)) {
          return MakeError(ErrorCode::kInvalidInput,
                           "entries of a snapshot must be ascending, each once");
        }
        if (with_documents &&
            (entry.document.sequence == 0 || entry.document.sequence > request.max_document)) {
          return MakeError(ErrorCode::kInvalidInput,
                           "document number " + std::to_string(entry.document.sequence) +
                               " is not in 1.." + std::to_string(request.max_document));
        }
        const bool known = !first && entry.fingerprint == last.fingerprint;
        last = entry;
        if (known && !with_documents) continue;
        ++header.entries;
        header.fingerprints += known ? 0 : 1;
        const std::uint64_t document = with_documents ? entry.document.sequence : 0;
        if (Status added = table.Add({entry.fingerprint.bits, document}); !added) {
          return tl::unexpected(added.error());
        }
        if (searchable) second_order.Add(entry.fingerprint.bits);
      }
    }
    if (Status done = table.Finish(); !done) return tl::unexpected(done.error());
    header.tables[0].block_count = table.block_count();
    if (searchable) directories.push_back(table.Directory());
  }
  if (searchable) {
    // They came sorted by all bits: sorted by the low half, they are in the order of the second
    // table.
    TableWriter table(output, 0, kFirstMeanGap, true);
    const auto add = [&table](std::uint64_t key) { return table.Add({std::rotl(key, 32), 0}); };
    if (Status added = second_order.ForEach(add); !added) return tl::unexpected(added.error());
    if (Status done = table.Finish(); !done) return tl::unexpected(done.error());
    header.tables[1].block_count = table.block_count();
    header.tables[1].rotation = 32;
    directories.push_back(table.Directory());
  }
  for (std::size_t i = 0; i < directories.size(); ++i) {
    const std::size_t bytes = directories[i].size() * sizeof(std::uint32_t);
    header.tables[i].directory_bits =
        static_cast<std::uint32_t>(DirectoryBits(header.tables[i].block_count));
    header.tables[i].directory_checksum = ChecksumOf(directories[i].data(), bytes);
    if (Status added = output.Append(directories[i].data(), bytes); !added) {
      return tl::unexpected(added.error());
    }
  }
  header.checksum = ChecksumOf(&header, offsetof(Header, checksum));
  if (Status finished = output.Finish(header, file); !finished) {
    return tl::unexpected(finished.error());
  }
  if (Status synced = SyncDirectoryOf(file); !synced) return tl::unexpected(synced.error());

  std::uint64_t bytes = sizeof(Header);
  for (std::size_t i = 0; i < header.table_count; ++i) {
    bytes += header.tables[i].block_count * kBlockBytes;
    if (searchable) bytes += DirectoryBytes(static_cast<int>(header.tables[i].directory_bits));
  }
  return SnapshotInfo{.kind = request.kind,
                      .origin = request.origin,
                      .entries = header.entries,
                      .fingerprints = header.fingerprints,
                      .bytes = bytes,
                      .document_bits = document_bits};
}

SnapshotFile::SnapshotFile(SnapshotFile&& other) noexcept
    : name_(std::move(other.name_)),
      info_(std::move(other.info_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(other.size_),
      tables_(std::move(other.tables_)) {}

SnapshotFile::~SnapshotFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

Result<SnapshotFile> SnapshotFile::Open(const std::filesystem::path& path) {
  SnapshotFile file;
  file.name_ = path.string();
  const auto refuse = [&path](ErrorCode code, std::string_view what) {
    return MakeError(code, "snapshot " + path.string() + ": " + std::string(what));
  };
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return IoError("can't open", path);
  struct stat status {};
  const bool known = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  file.size_ = known ? static_cast<std::size_t>(status.st_size) : 0;
  if (file.size_ < sizeof(Header)) {
    ::close(descriptor);
    return refuse(ErrorCode::kCorruption, "too short for a snapshot");
  }
  void* data = ::mmap(nullptr, file.size_, PROT_READ, MAP_SHARED, descriptor, 0);
  const auto failed = IoError("can't map", path);
  ::close(descriptor);
  if (data == MAP_FAILED) return failed;
  file.data_ = static_cast<const std::byte*>(data);

  Header header;
  std::memcpy(&header, file.data_, sizeof(header));
  if (header.magic != kMagic) return refuse(ErrorCode::kCorruption, "not a snapshot of an index");
  if (header.version != kVersion) {
    return refuse(ErrorCode::kMismatch,
                  "version " + std::to_string(header.version) + "; this program reads version 1");
  }
  if (header.checksum != ChecksumOf(&header, offsetof(Header, checksum))) {
    return refuse(ErrorCode::kCorruption, "wrong checksum of the header");
  }
  const auto kind = static_cast<SnapshotKind>(header.kind);
  const bool with_documents = kind == SnapshotKind::kRestart;
  if (kind < SnapshotKind::kArchive || kind > SnapshotKind::kRestart ||
      header.table_count != TableCountOf(kind) ||
      (with_documents ? header.document_bits < 1 || header.document_bits > kMaxDocumentBits
                      : header.document_bits != 0)) {
    return refuse(ErrorCode::kCorruption, "impossible header");
  }
  // Sizes are checked one by one against what is left, so that no sum can overflow.
  std::size_t at = sizeof(Header);
  const auto take = [&](std::size_t bytes) {
    if (bytes > file.size_ - at) return false;
    at += bytes;
    return true;
  };
  for (std::size_t i = 0; i < header.table_count; ++i) {
    const Header::Table& stored = header.tables[i];
    Table& table = file.tables_.emplace_back();
    table.rotation = i == 0 ? 0 : 32;
    table.block_count = stored.block_count;
    table.directory_bits = static_cast<int>(stored.directory_bits);
    table.blocks = file.data_ + at;
    if (stored.rotation != static_cast<std::uint32_t>(table.rotation) ||
        stored.block_count > (file.size_ - at) / kBlockBytes ||
        !take(stored.block_count * kBlockBytes)) {
      return refuse(ErrorCode::kCorruption, "shorter than its header says");
    }
  }
  for (std::size_t i = 0; kind == SnapshotKind::kSearchable && i < file.tables_.size(); ++i) {
    Table& table = file.tables_[i];
    table.directory = file.data_ + at;
    if (table.directory_bits != DirectoryBits(table.block_count) ||
        !take(DirectoryBytes(table.directory_bits))) {
      return refuse(ErrorCode::kCorruption, "shorter than its header says");
    }
    if (ChecksumOf(table.directory, DirectoryBytes(table.directory_bits)) !=
        header.tables[i].directory_checksum) {
      return refuse(ErrorCode::kCorruption, "wrong checksum of a directory");
    }
  }
  if (at != file.size_) return refuse(ErrorCode::kCorruption, "longer than its header says");
  file.info_ = {
      .kind = kind,
      .origin = {.scheme = std::string(Terminated(header.scheme)), .log_offset = header.log_offset},
      .entries = header.entries,
      .fingerprints = header.fingerprints,
      .bytes = file.size_,
      .document_bits = header.document_bits};
  return file;
}

BlockBytes SnapshotFile::Block(const Table& table, std::uint64_t number) const {
  return BlockBytes(table.blocks + number * kBlockBytes, kBlockBytes);
}

Status SnapshotFile::Damaged(const Error& error) const {
  return MakeError(error.code, "snapshot " + name_ + ": " + error.message);
}

Status SnapshotFile::ForEach(const std::function<void(std::span<const IndexEntry>)>& visit) const {
  const auto block = std::make_unique<DecodedBlock>();
  std::vector<IndexEntry> entries;
  const Table& table = tables_.front();
  std::uint64_t count = 0;
  IndexEntry last;
  for (std::uint64_t i = 0; i < table.block_count; ++i) {
    if (Status decoded = block->Decode(Block(table, i), i, info_.document_bits); !decoded) {
      return Damaged(decoded.error());
    }
    entries.clear();
    for (const BlockEntry& stored : block->entries()) {
      const IndexEntry entry{{stored.key}, {stored.document}};
      if ((count != 0 && entry <= last) || (info_.document_bits != 0 && stored.document == 0)) {
        return Damaged(
            {ErrorCode::kCorruption, "block " + std::to_string(i) + ": entries out of order"});
      }
      last = entry;
      ++count;
      entries.push_back(entry);
    }
    visit(entries);
  }
  if (count != info_.entries) return Damaged({ErrorCode::kCorruption, "entries are missing"});
  return {};
}

Checksum SnapshotFile::checksum() const {
  return RawChecksum({reinterpret_cast<const char*>(data_), size_});
}

Status SnapshotFile::VerifyTable(const Table& table, std::uint64_t& sum) const {
  const auto block = std::make_unique<DecodedBlock>();
  std::uint64_t count = 0;
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < table.block_count; ++i) {
    if (Status decoded = block->Decode(Block(table, i), i, 0); !decoded) {
      return Damaged(decoded.error());
    }
    for (const BlockEntry& entry : block->entries()) {
      if (count++ != 0 && entry.key <= last) {
        return Damaged(
            {ErrorCode::kCorruption, "block " + std::to_string(i) + ": entries out of order"});
      }
      last = entry.key;
      // Any order of the same keys gives the same sum.
      const std::uint64_t bits = std::rotr(entry.key, table.rotation);
      sum += (bits ^ bits >> 29) * 0xbf58'476d'1ce4'e5b9;
    }
  }
  if (count != info_.entries) return Damaged({ErrorCode::kCorruption, "entries are missing"});
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
    return Damaged({ErrorCode::kCorruption, "fingerprints are missing"});
  }
  if (info_.kind != SnapshotKind::kSearchable) return {};
  std::array<std::uint64_t, kMaxTables> sums{};
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    if (Status intact = VerifyTable(tables_[i], sums[i]); !intact) return intact;
  }
  if (sums[0] != sums[1]) return Damaged({ErrorCode::kCorruption, "the tables differ"});
  return {};
}

SnapshotFile::Place SnapshotFile::Guess(const Table& table, std::uint64_t key) const {
  const auto entry = [&](std::uint64_t c) -> std::uint64_t {
    std::uint32_t block = 0;
    std::memcpy(&block, table.directory + c * sizeof(block), sizeof(block));
    return std::min<std::uint64_t>(block, table.block_count - 1);
  };
  Place place;
  const std::uint64_t cell = CellOf(table, key);
  place.low = entry(cell);
  const bool is_last = cell + 1 == std::uint64_t{1} << table.directory_bits;
  place.high = std::max(place.low, is_last ? table.block_count - 1 : entry(cell + 1));
  // Keys of one cell are spread evenly, unless somebody wants them not to be. The first block
  // begins before the cell, half a block on average.
  const std::uint64_t share = key << table.directory_bits >> 32;
  const std::uint64_t half = std::uint64_t{1} << 31;
  place.guess = place.low + (((place.high - place.low) * share + half) >> 32);
  return place;
}

std::uint64_t SnapshotFile::BlockOf(const Table& table, std::uint64_t key, Place place) const {
  auto [low, high, guess] = place;
  // Steps away from the guess that double, then halving: two or three comparisons where keys are
  // spread evenly, never more than a logarithm.
  std::uint64_t middle = std::max(guess, low + 1);
  for (std::uint64_t step = 1; low < high; step *= 2) {
    if (FirstKey(Block(table, middle)) < key) {
      low = middle;
      middle = low + std::min(step, (high - low + 1) / 2);
    } else {
      high = middle - 1;
      middle = high - std::min(step - 1, (high - low) / 2);
    }
  }
  return low;
}

Status SnapshotFile::Scan(const Table& table, const Range& range, Fingerprint query,
                          int max_distance, DecodedBlock& block, std::vector<Neighbour>& found,
                          LookupWork& work) const {
  ++work.probes;
  const std::uint64_t wanted = std::rotl(query.bits, table.rotation);
  const std::uint64_t start = BlockOf(table, range.first, range.place);
  for (std::uint64_t i = start; i < table.block_count; ++i) {
    if (Status decoded = block.Decode(Block(table, i), i, 0, range.last); !decoded) {
      return Damaged(decoded.error());
    }
    // The search went by first keys that nobody had checked.
    if (i == start && i != 0 && block.entries().front().key >= range.first) {
      return Damaged({ErrorCode::kCorruption, "blocks before block " + std::to_string(i)});
    }
    work.candidates += block.entries().size();
    for (const BlockEntry& entry : block.entries()) {
      if (entry.key > range.last) return {};
      if (entry.key < range.first) continue;
      const int distance = std::popcount(entry.key ^ wanted);
      if (distance <= max_distance) {
        found.push_back({{std::rotr(entry.key, table.rotation)}, distance});
      }
    }
  }
  return {};
}

Status SnapshotFile::Find(Fingerprint query, int max_distance, std::vector<Neighbour>& found,
                          LookupWork* work) const {
  assert(max_distance >= 0 && max_distance <= 7);
  found.clear();
  if (info_.kind != SnapshotKind::kSearchable) {
    return MakeError(
        ErrorCode::kInvalidInput,
        "snapshot " + name_ + ": " + SnapshotKindName(info_.kind) + " snapshots can't be searched");
  }
  LookupWork done;
  thread_local const auto block = std::make_unique<DecodedBlock>();
  thread_local std::vector<Range> ranges;
  // Ranges a quarter of a block long: shorter ones are more of them, in longer ones more is read.
  const int address_bits =
      std::clamp(static_cast<int>(std::bit_width(info_.fingerprints)) - 3, 1, 32);
  const std::uint64_t rest = ~std::uint64_t{0} >> address_bits;
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const Table& table = tables_[t];
    if (table.block_count == 0) continue;
    const int radius =
        BlockRadius(max_distance, static_cast<int>(tables_.size()), static_cast<int>(t));
    const std::uint64_t key = std::rotl(query.bits, table.rotation);
    ranges.clear();
    for (int flips = 0; flips <= std::min(radius, address_bits); ++flips) {
      for (const std::uint32_t mask : MasksOfWeight(address_bits, flips)) {
        const std::uint64_t first = (key & ~rest) ^ std::uint64_t{mask} << (64 - address_bits);
        ranges.push_back({first, first | rest, {}});
      }
    }
    // Each range waits for the directory, then for a block: all of them wait together.
    for (std::size_t i = 0; i < ranges.size() + 2 * kRangesAhead; ++i) {
      if (i < ranges.size()) {
        __builtin_prefetch(table.directory +
                           CellOf(table, ranges[i].first) * sizeof(std::uint32_t));
      }
      if (i >= kRangesAhead && i - kRangesAhead < ranges.size()) {
        Range& range = ranges[i - kRangesAhead];
        range.place = Guess(table, range.first);
        const std::byte* guessed = Block(table, range.place.guess).data();
        for (std::size_t at = 0; at <= kBlockBytes; at += 64) __builtin_prefetch(guessed + at);
      }
      if (i >= 2 * kRangesAhead) {
        if (Status scanned =
                Scan(table, ranges[i - 2 * kRangesAhead], query, max_distance, *block, found, done);
            !scanned) {
          return scanned;
        }
      }
    }
  }
  std::ranges::sort(found, [](const Neighbour& a, const Neighbour& b) {
    return std::tuple(a.distance, a.fingerprint) < std::tuple(b.distance, b.fingerprint);
  });
  found.erase(std::unique(found.begin(), found.end()), found.end());
  if (work != nullptr) {
    work->probes += done.probes;
    work->candidates += done.candidates;
  }
  return {};
}

namespace {

constexpr const char* kNewest = "index.snapshot";
constexpr const char* kPrevious = "index.previous.snapshot";

}  // namespace

Result<SnapshotInfo> SnapshotDirectory::Write(const SnapshotOrigin& origin,
                                              std::uint64_t max_document,
                                              const EntrySource& source) const {
  const std::filesystem::path newest = directory_ / kNewest;
  const std::filesystem::path written = directory_ / "index.new.snapshot";
  const SnapshotRequest request{
      .kind = SnapshotKind::kRestart, .origin = origin, .max_document = max_document};
  Result<SnapshotInfo> info = WriteSnapshot(written, request, source);
  if (!info) return info;
  // Between the renames there is no newest one, and the one that was is the previous one already.
  const std::filesystem::path previous = directory_ / kPrevious;
  if (::rename(newest.c_str(), previous.c_str()) != 0 && errno != ENOENT) {
    return IoError("can't rename", newest);
  }
  if (::rename(written.c_str(), newest.c_str()) != 0) return IoError("can't rename", written);
  if (Status synced = SyncDirectoryOf(newest); !synced) return tl::unexpected(synced.error());
  return info;
}

Result<SnapshotFile> SnapshotDirectory::OpenNewest(const SnapshotOrigin& at_most,
                                                   std::vector<Error>& refused,
                                                   const Check& check) const {
  for (const char* name : {kNewest, kPrevious}) {
    const std::filesystem::path path = directory_ / name;
    Result<SnapshotFile> file = SnapshotFile::Open(path);
    if (!file) {
      refused.push_back(file.error());
      continue;
    }
    const SnapshotInfo& info = file->info();
    const auto refuse = [&](std::string what) {
      refused.push_back({ErrorCode::kMismatch, "snapshot " + path.string() + ": " + what});
    };
    if (info.kind != SnapshotKind::kRestart) {
      refuse(std::string(SnapshotKindName(info.kind)) + " snapshots have no documents");
    } else if (info.origin.scheme != at_most.scheme) {
      refuse("of scheme " + info.origin.scheme + ", not " + at_most.scheme);
    } else if (info.origin.log_offset > at_most.log_offset) {
      refuse("covers log offset " + std::to_string(info.origin.log_offset) + ", past " +
             std::to_string(at_most.log_offset));
    } else if (Status intact = file->Verify(); !intact) {
      refused.push_back(intact.error());
    } else if (Status passed = check ? check(*file) : Status(); !passed) {
      refuse(passed.error().message);
    } else {
      return file;
    }
  }
  return MakeError(ErrorCode::kMismatch,
                   "no usable snapshot in " + directory_.string() +
                       (refused.empty() ? "" : "; " + refused.back().message));
}

}  // namespace crawlsieve

#pragma once

#include "plugin/base/result.h"
#include "plugin/fingerprint/checksum.h"
#include "plugin/index/hamming_index.h"
#include "plugin/index/snapshot/block.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace crawlsieve {

/// What a snapshot is for; docs/snapshot_format.md has the sizes.
enum class SnapshotKind : std::uint8_t {
  kArchive = 1,     ///< the fingerprints once: smallest
  kSearchable = 2,  ///< the fingerprints twice, by either half: SnapshotFile::Find works
  kRestart = 3,     ///< the fingerprints with their documents: an index can be filled from it
};

/// "archive", "searchable" or "restart".
[[nodiscard]] const char* SnapshotKindName(SnapshotKind kind);

/// What a snapshot is of. Both are checked by whoever loads it.
struct SnapshotOrigin {
  /// SchemeId of the fingerprints, at most 32 bytes.
  std::string scheme;
  /// Offset of the last entry of the admission log that the snapshot covers; -1: before the first.
  std::int64_t log_offset = -1;

  friend bool operator==(const SnapshotOrigin&, const SnapshotOrigin&) = default;
};

struct SnapshotInfo {
  SnapshotKind kind = SnapshotKind::kRestart;
  SnapshotOrigin origin;
  std::uint64_t entries = 0;       ///< pairs, or fingerprints where there are no documents
  std::uint64_t fingerprints = 0;  ///< distinct ones
  std::uint64_t bytes = 0;         ///< of the file
  int document_bits = 0;           ///< that each document number takes
};

struct SnapshotRequest {
  SnapshotKind kind = SnapshotKind::kRestart;
  SnapshotOrigin origin;
  /// Of restart snapshots: no document number is larger. Decides how many bits each takes.
  std::uint64_t max_document = (std::uint64_t{1} << 40) - 1;
};

/// Writes a snapshot in place of `file`, atomically: to `file`.tmp, synced, renamed, the directory
/// synced. After a crash or an error the old file is as it was. Kinds without documents store equal
/// fingerprints once.
///
/// Errors: kIo with the path; kInvalidInput if the entries aren't ascending or a document number is
/// out of range. Memory: some MiB; for searchable snapshots 8 bytes an entry, up to 24 where the
/// low halves of fingerprints are much alike.
[[nodiscard]] Result<SnapshotInfo> WriteSnapshot(const std::filesystem::path& file,
                                                 const SnapshotRequest& request,
                                                 const EntrySource& source);

/// A fingerprint within reach of a query.
struct Neighbour {
  Fingerprint fingerprint;
  int distance = 0;

  friend auto operator<=>(const Neighbour&, const Neighbour&) = default;
};

/// A snapshot mapped into memory. Every block is checked against its checksum each time it is read,
/// so no damage goes unseen, whenever it comes. The file must not be cut short while it is open;
/// WriteSnapshot never does that.
///
/// Immutable; thread-safe.
class SnapshotFile {
 public:
  /// Reads the header and the directories. Errors: kIo; kCorruption for damaged files; kMismatch
  /// for versions this program doesn't know.
  [[nodiscard]] static Result<SnapshotFile> Open(const std::filesystem::path& file);

  ~SnapshotFile();
  SnapshotFile(SnapshotFile&& other) noexcept;
  SnapshotFile& operator=(SnapshotFile&&) = delete;

  [[nodiscard]] const SnapshotInfo& info() const { return info_; }

  /// Of all bytes of the file: two snapshots with the same one are the same.
  [[nodiscard]] Checksum checksum() const;

  /// Calls visit for all entries, block by block, ascending. Documents are 0 in kinds without.
  /// Errors: kCorruption; what has been visited until then was intact.
  [[nodiscard]] Status ForEach(const std::function<void(std::span<const IndexEntry>)>& visit) const;

  /// Reads everything. Errors: kCorruption if anything isn't as WriteSnapshot made it.
  [[nodiscard]] Status Verify() const;

  /// All stored fingerprints with distance <= max_distance (0..7) from `query`, ordered by
  /// distance, then fingerprint. Errors: kInvalidInput if the snapshot isn't searchable,
  /// kCorruption.
  [[nodiscard]] Status Find(Fingerprint query, int max_distance, std::vector<Neighbour>& found,
                            LookupWork* work = nullptr) const;

 private:
  /// The blocks of all keys in one order.
  struct Table {
    int rotation = 0;
    std::uint64_t block_count = 0;
    const std::byte* blocks = nullptr;
    int directory_bits = 0;
    const std::byte* directory = nullptr;  // 2^directory_bits block numbers of 32 bits
  };

  SnapshotFile() = default;
  [[nodiscard]] BlockBytes Block(const Table& table, std::uint64_t number) const;
  [[nodiscard]] Status Damaged(const Error& error) const;
  /// Where the last block is that begins before a key, or the first block: in low..high, most
  /// likely at `guess`.
  struct Place {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::uint64_t guess = 0;
  };
  /// Keys to be looked at, and where the first of them is.
  struct Range {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    Place place;
  };
  /// The entry of the directory for keys that start like `key`.
  [[nodiscard]] static std::uint64_t CellOf(const Table& table, std::uint64_t key) {
    // In two steps, as without a bit there are 64 to shift out.
    return key >> 1 >> (63 - table.directory_bits);
  }
  [[nodiscard]] Place Guess(const Table& table, std::uint64_t key) const;
  /// The last block that begins before `key`, or the first: where equal or larger keys start.
  [[nodiscard]] std::uint64_t BlockOf(const Table& table, std::uint64_t key, Place place) const;
  [[nodiscard]] Status VerifyTable(const Table& table, std::uint64_t& sum) const;
  /// Adds the keys of a range that are within reach.
  [[nodiscard]] Status Scan(const Table& table, const Range& range, Fingerprint query,
                            int max_distance, DecodedBlock& block, std::vector<Neighbour>& found,
                            LookupWork& work) const;

  std::string name_;
  SnapshotInfo info_;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::vector<Table> tables_;
};

/// The two newest restart snapshots of a directory: `index.snapshot` and `index.previous.snapshot`.
///
/// Thread-compatible; one process at a time.
class SnapshotDirectory {
 public:
  explicit SnapshotDirectory(std::filesystem::path directory) : directory_(std::move(directory)) {}

  /// Makes a new snapshot the newest and the newest the previous one. At any moment of it a crash
  /// leaves at least the one that was newest. Errors: of WriteSnapshot.
  [[nodiscard]] Result<SnapshotInfo> Write(const SnapshotOrigin& origin, std::uint64_t max_document,
                                           const EntrySource& source) const;

  /// Says why a snapshot that is intact is to be passed over all the same.
  using Check = std::function<Status(const SnapshotFile&)>;

  /// The newest snapshot of this scheme that covers nothing past `log_offset`, is intact from
  /// beginning to end, and passes `check`, where given. Why others were passed over is appended to
  /// `refused`. Errors: kMismatch if there is none.
  [[nodiscard]] Result<SnapshotFile> OpenNewest(const SnapshotOrigin& at_most,
                                                std::vector<Error>& refused,
                                                const Check& check = {}) const;

 private:
  std::filesystem::path directory_;
};

}  // namespace crawlsieve

#pragma once

#include "plugin/base/result.h"
#include "plugin/fingerprint/checksum.h"
#include "plugin/fingerprint/simhash.h"
#include "plugin/index/base/entry.h"
#include "plugin/index/snapshot/block.h"
#include "plugin/index/snapshot/header.h"
#include "plugin/index/snapshot/info.h"
#include "plugin/index/snapshot/table.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve {

/// A fingerprint within reach of a query.
struct Neighbour {
  Fingerprint fingerprint;
  int distance = 0;

  friend auto operator<=>(const Neighbour&, const Neighbour&) = default;
};

/// Gets entries, ascending, some at a time.
using EntryVisitor = std::function<void(std::span<const IndexEntry>)>;

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
  [[nodiscard]] Status ForEach(const EntryVisitor& visit) const;

  /// How many blocks ForEach reads.
  [[nodiscard]] std::uint64_t blocks() const { return tables_.front().block_count; }

  /// ForEach of the blocks from `first_block` to before `last_block`, at most blocks(): several
  /// threads or programs read a part each. Returns how many entries there were. That all parts
  /// together have info().entries is for the caller to check. Errors: kCorruption.
  [[nodiscard]] Result<std::uint64_t> ForEachIn(std::uint64_t first_block, std::uint64_t last_block,
                                                const EntryVisitor& visit) const;

  /// Reads everything. Errors: kCorruption if anything isn't as WriteSnapshot made it.
  [[nodiscard]] Status Verify() const;

  /// All stored fingerprints with distance <= max_distance (0..7) from `query`, ordered by
  /// distance, then fingerprint. Errors: kInvalidInput if the snapshot isn't searchable,
  /// kCorruption.
  [[nodiscard]] Status Find(Fingerprint query, int max_distance, std::vector<Neighbour>& found,
                            LookupWork* work = nullptr) const;

 private:
  SnapshotFile() = default;
  /// Maps the file. Errors: kIo, kCorruption where it is too short.
  [[nodiscard]] Status Map(const std::filesystem::path& path);
  /// Checks the header and sets what it says. Errors: of Open.
  [[nodiscard]] Status ReadHeader();
  /// Finds the parts behind the header and checks directories. Errors: kCorruption.
  [[nodiscard]] Status LocateTables(const SnapshotHeader& header);
  [[nodiscard]] Status LocateDirectories(const SnapshotHeader& header, std::size_t& at);
  [[nodiscard]] tl::unexpected<Error> Refuse(ErrorCode code, std::string_view what) const;

  /// Keys to be looked at, and where the first of them is.
  struct Range {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    SnapshotTable::Place place;
  };
  [[nodiscard]] Status VerifyTable(const SnapshotTable& table, std::uint64_t& sum) const;
  /// Sets `ranges` to the keys of a table in which all are that Find looks for, and more.
  void RangesToScan(std::size_t table, Fingerprint query, int max_distance,
                    std::vector<Range>& ranges) const;
  /// Adds the keys of a range that are within reach.
  [[nodiscard]] Status Scan(const SnapshotTable& table, const Range& range, Fingerprint query,
                            int max_distance, DecodedBlock& block, std::vector<Neighbour>& found,
                            LookupWork& work) const;

  std::string name_;
  SnapshotInfo info_;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::vector<SnapshotTable> tables_;
};

}  // namespace crawlsieve

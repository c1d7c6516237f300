#pragma once

#include "plugin/base/error.h"
#include "plugin/base/result.h"
#include "plugin/state/changes.h"
#include "plugin/state/row_iterator.h"
#include "plugin/state/row_map.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/sst_file_writer.h>

// What everything that opens the state's RocksDB shares. For this folder alone.
namespace crawlsieve {

/// The RocksDB of a state, open: which rows lie in which of its families, how these are merged, and
/// which rows share one of RocksDB.
///
/// A table has a family, but for the rows of table hosts whose keys begin with a zero byte, those
/// of sites (docs/decisions/0036): latest pages are in a family of their own, those of a host as
/// one RowGroup (docs/decisions/0037), and the others in another one. Thread-safe.
class Database {
 public:
  /// Makes the families that are missing if `options` says so. Also in a state that was written
  /// before there were all of them. Errors: kMismatch (another version made a family that this one
  /// doesn't know), kCorruption, kBusy, kIo.
  [[nodiscard]] static Result<std::unique_ptr<Database>> Open(
      const std::filesystem::path& directory, rocksdb::DBOptions options,
      std::size_t block_cache_bytes);

  /// Changes nothing in the directory. Errors: as Open.
  [[nodiscard]] static Result<std::unique_ptr<Database>> OpenForReading(
      const std::filesystem::path& directory, const rocksdb::DBOptions& options,
      std::size_t block_cache_bytes);

  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Whether all rows are where they belong. If not, rows are read where an older state has them,
  /// and Arrange must come before anything is written. A new state is arranged by it, too.
  [[nodiscard]] bool is_arranged() const { return is_arranged_; }

  /// Moves all rows to where they belong, in one step, by files that are written to `folder`, which
  /// is there and empty. Nobody else uses the database meanwhile. Whether there were any to move.
  /// Errors: kIo, kCorruption, which leave it as it was.
  [[nodiscard]] Result<bool> Arrange(const std::filesystem::path& folder);

  /// The value of `key`, or nullopt. Errors: kIo, kCorruption.
  [[nodiscard]] Result<std::optional<std::string>> Get(const rocksdb::ReadOptions& read,
                                                       Table table, std::string_view key) const;

  /// Sets the values of `wanted`, which are of `rows`, to what the database has. Errors: as Get;
  /// not all are set then.
  [[nodiscard]] Status GetAll(Table table, std::vector<const RowMap::Row*> wanted,
                              RowMap& rows) const;

  /// Valid as long as the database, as is what it was told to read of.
  [[nodiscard]] RowIterator Iterate(const rocksdb::ReadOptions& read, Table table) const;

  /// The greatest key of table documents; empty where it has no row. Errors: as Get.
  [[nodiscard]] Result<std::string> LastDocument() const;

  /// What a family has of the changes to a table, in order of keys.
  struct FamilyChanges {
    rocksdb::ColumnFamilyHandle* family;
    std::vector<const RowMap::Row*> rows;
    const GroupMap* latest_pages = nullptr;  ///< of the family that has them, which has no rows

    [[nodiscard]] bool empty() const { return rows.empty() && latest_pages == nullptr; }
  };
  [[nodiscard]] std::vector<FamilyChanges> ByFamily(Table table, const Changes& changes) const;

  /// Writes changes, one at least and in order of keys, to a new file, to be added to their family
  /// before any other change of these rows. Errors: as Get.
  [[nodiscard]] Status WriteFile(const FamilyChanges& changes, const std::string& path) const;

  /// About how many rows table documents has. Deleted ones may count.
  [[nodiscard]] std::uint64_t EstimateDocuments() const;

  /// All of them, RocksDB's own, which has one row at most, the first.
  [[nodiscard]] std::span<rocksdb::ColumnFamilyHandle* const> families() const { return families_; }
  [[nodiscard]] rocksdb::DB& rocksdb() const { return *rocksdb_; }

 private:
  struct FamilyRows {
    rocksdb::ColumnFamilyHandle* family;
    std::vector<const RowMap::Row*> rows;  // in the order in which they were
  };

  explicit Database(std::filesystem::path directory) : directory_(std::move(directory)) {}

  [[nodiscard]] std::vector<FamilyRows> ByFamily(Table table,
                                                 std::vector<const RowMap::Row*> rows) const;

  [[nodiscard]] rocksdb::ColumnFamilyHandle* HomeOf(Table table) const;
  [[nodiscard]] rocksdb::ColumnFamilyHandle* FamilyOf(Table table, std::string_view key) const;
  [[nodiscard]] bool HasGroups(const rocksdb::ColumnFamilyHandle* family) const;
  [[nodiscard]] Status Opened(const rocksdb::Status& status, rocksdb::DB* rocksdb);
  [[nodiscard]] rocksdb::Status FindArrangement();
  [[nodiscard]] rocksdb::Status WriteGroups(const GroupMap& groups,
                                            rocksdb::SstFileWriter& file) const;
  [[nodiscard]] rocksdb::Status WriteGroup(std::string_view key, const GroupChanges& changes,
                                           rocksdb::SstFileWriter& file) const;

  const std::filesystem::path directory_;
  std::unique_ptr<rocksdb::DB> rocksdb_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;
  bool is_arranged_ = false;
  // Where rows of sites are. Of a state that isn't arranged both may be the family of hosts.
  rocksdb::ColumnFamilyHandle* sites_ = nullptr;
  rocksdb::ColumnFamilyHandle* latest_pages_ = nullptr;
};

/// Not even an empty one may be nowhere.
[[nodiscard]] inline rocksdb::Slice ToSlice(std::string_view text) {
  return text.empty() ? rocksdb::Slice("", 0) : rocksdb::Slice(text.data(), text.size());
}

/// Where a row isn't the RowGroup that it should be.
[[nodiscard]] rocksdb::Status NoGroup();

/// Says where, and for files that can't be used what to do.
[[nodiscard]] Error ToError(const rocksdb::Status& status, const std::filesystem::path& directory);

/// Drops what RocksDB says beside the statuses that it returns. Its own log file would lie on the
/// same disk as the tables, and when that is full or broken the second line written to it is a
/// failed assertion, which ends the process in the place of the error that should be reported.
/// Test: Store.ReportsAFullDiskAndKeepsWhatWasWritten
[[nodiscard]] std::shared_ptr<rocksdb::Logger> NoLog();

}  // namespace crawlsieve

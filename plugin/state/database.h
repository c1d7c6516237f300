#pragma once

#include "plugin/base/error.h"
#include "plugin/state/changes.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include <rocksdb/db.h>
#include <rocksdb/env.h>

// What everything that opens the state's RocksDB shares. For this folder alone.
namespace crawlsieve {

/// RocksDB's own family, which stays empty, and then one for each table, in the order of Table.
[[nodiscard]] std::vector<rocksdb::ColumnFamilyDescriptor> FamiliesOf(
    std::size_t block_cache_bytes);

/// Of a table, in files' names and in RocksDB.
[[nodiscard]] const char* NameOf(Table table);

/// The table's place among the handles of FamiliesOf.
[[nodiscard]] inline std::size_t FamilyOf(Table table) {
  return 1 + static_cast<std::size_t>(table);
}

/// Not even an empty one may be nowhere.
[[nodiscard]] inline rocksdb::Slice ToSlice(std::string_view text) {
  return text.empty() ? rocksdb::Slice("", 0) : rocksdb::Slice(text.data(), text.size());
}

/// Says where, and for files that can't be used what to do.
[[nodiscard]] Error ToError(const rocksdb::Status& status, const std::filesystem::path& directory);

/// Drops what RocksDB says beside the statuses that it returns. Its own log file would lie on the
/// same disk as the tables, and when that is full or broken the second line written to it is a
/// failed assertion, which ends the process in the place of the error that should be reported.
/// Test: Store.ReportsAFullDiskAndKeepsWhatWasWritten
[[nodiscard]] std::shared_ptr<rocksdb::Logger> NoLog();

}  // namespace crawlsieve

#pragma once

#include "plugin/state/row_map.h"

#include <string_view>
#include <vector>

#include <rocksdb/db.h>

// Reading many rows at once, in the order of their keys whatever theirs, because rows that lie
// beside each other are in the same blocks. For this folder alone.
namespace crawlsieve {

/// Puts the rows of `keys` in the files of `family`, or that there are none, into `rows`. Any
/// number of threads may call it at once. Errors: RocksDB's first; some rows may be missing then.
[[nodiscard]] rocksdb::Status ReadRows(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family,
                                       std::vector<std::string_view> keys, RowMap& rows);

/// The same of latest pages in a family of groups.
[[nodiscard]] rocksdb::Status ReadMembers(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family,
                                          std::vector<std::string_view> keys, RowMap& rows);

}  // namespace crawlsieve

#pragma once

#include "plugin/state/row_map.h"

#include <span>
#include <vector>

#include <rocksdb/db.h>

// Reading many rows at once, in the order of their keys whatever theirs, because rows that lie
// beside each other are in the same blocks. For this folder alone.
namespace crawlsieve {

/// Sets the values of `wanted`, which are of `rows`, to what is in the files of `family`. Any
/// number of threads may call it at once. Errors: RocksDB's first; not all are set then.
[[nodiscard]] rocksdb::Status ReadRows(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family,
                                       std::vector<const RowMap::Row*> wanted, RowMap& rows);

/// The same of latest pages in a family of groups.
[[nodiscard]] rocksdb::Status ReadMembers(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family,
                                          std::span<const RowMap::Row* const> wanted, RowMap& rows);

}  // namespace crawlsieve

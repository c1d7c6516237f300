#pragma once

#include "plugin/state/row_map.h"

#include <vector>

#include <rocksdb/db.h>

namespace crawlsieve {

/// Puts the rows of `keys` in the files of `family`, or that there are none, into `rows`.
///
/// In the order of the keys, whatever theirs, because rows that lie beside each other are in the
/// same blocks. Keys that differ in the last byte alone, as those of a host's latest pages do, are
/// read by one walk over the rows there.
///
/// For this folder alone. Any number of threads may call it at once. Errors: RocksDB's first; some
/// rows may be missing then.
[[nodiscard]] rocksdb::Status ReadTogether(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family,
                                           std::vector<rocksdb::Slice> keys, RowMap& rows);

}  // namespace crawlsieve

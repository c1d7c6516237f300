#pragma once

#include "plugin/state/row_map.h"

#include <vector>

#include <rocksdb/db.h>

// For this folder alone.
namespace crawlsieve {

/// Puts the rows of `keys` in the files of `family`, or that there are none, into `rows`: in the
/// order of the keys, whatever theirs, because rows that lie beside each other are in the same
/// blocks. Any number of threads may call it at once. Errors: RocksDB's first; some rows may be
/// missing then.
[[nodiscard]] rocksdb::Status ReadInOrder(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family,
                                          std::vector<rocksdb::Slice> keys, RowMap& rows);

/// The same where keys that differ in the last byte alone, as those of a host's latest pages do,
/// mostly are there: they are read by one walk over the rows. Of keys that aren't there a walk
/// costs more, because no filter keeps it out of a file.
[[nodiscard]] rocksdb::Status ReadByWalks(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family,
                                          std::vector<rocksdb::Slice> keys, RowMap& rows);

}  // namespace crawlsieve

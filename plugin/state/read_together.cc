#include "plugin/state/read_together.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace crawlsieve {
namespace {

/// A walk costs as much as looking for so many keys.
constexpr std::size_t kFewestForWalk = 4;

/// As many values keep their blocks in memory until they are copied.
constexpr std::size_t kMostAtOnce = 512;

using Keys = std::span<const rocksdb::Slice>;

void Sort(std::vector<rocksdb::Slice>& keys) {
  std::ranges::sort(
      keys, [](const rocksdb::Slice& a, const rocksdb::Slice& b) { return a.compare(b) < 0; });
}

bool DifferInLastByteAlone(const rocksdb::Slice& a, const rocksdb::Slice& b) {
  return !a.empty() && a.size() == b.size() &&
         rocksdb::Slice(a.data(), a.size() - 1) == rocksdb::Slice(b.data(), b.size() - 1);
}

/// How many of the first of `keys`, which has some, a walk would find side by side.
std::size_t Beside(Keys keys) {
  const auto end = std::ranges::find_if_not(
      keys, [&](const rocksdb::Slice& key) { return DifferInLastByteAlone(keys.front(), key); });
  return std::max<std::size_t>(1, static_cast<std::size_t>(end - keys.begin()));
}

/// Keys in order that lie beside each other.
rocksdb::Status Walk(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family, Keys keys,
                     RowMap& rows) {
  // Behind the last key there may be any number of deleted rows.
  const std::string behind_last = keys.back().ToString() + '\0';
  const rocksdb::Slice bound(behind_last);
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &bound;
  const std::unique_ptr<rocksdb::Iterator> it(db.NewIterator(options, family));
  it->Seek(keys.front());
  for (const rocksdb::Slice& key : keys) {
    if (it->Valid() && it->key().compare(key) < 0) it->Next();
    // Longer keys may lie between two, any number of them.
    if (it->Valid() && it->key().compare(key) < 0) it->Seek(key);
    if (!it->status().ok()) return it->status();
    const bool is_there = it->Valid() && it->key() == key;
    rows.Put(key.ToStringView(),
             is_there ? RowMap::Value(it->value().ToStringView()) : std::nullopt);
  }
  return rocksdb::Status::OK();
}

/// Keys in order.
rocksdb::Status Find(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family, Keys keys,
                     RowMap& rows) {
  constexpr bool kAreSorted = true;
  std::vector<rocksdb::PinnableSlice> values(std::min(keys.size(), kMostAtOnce));
  std::vector<rocksdb::Status> statuses(values.size());
  while (!keys.empty()) {
    const std::size_t count = std::min(keys.size(), kMostAtOnce);
    db.MultiGet(rocksdb::ReadOptions(), family, count, keys.data(), values.data(), statuses.data(),
                kAreSorted);
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_there = statuses[i].ok();
      if (!is_there && !statuses[i].IsNotFound()) return statuses[i];
      rows.Put(keys[i].ToStringView(),
               is_there ? RowMap::Value(values[i].ToStringView()) : std::nullopt);
      values[i].Reset();
    }
    keys = keys.subspan(count);
  }
  return rocksdb::Status::OK();
}

}  // namespace

rocksdb::Status ReadInOrder(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family,
                            std::vector<rocksdb::Slice> keys, RowMap& rows) {
  Sort(keys);
  return Find(db, family, keys, rows);
}

rocksdb::Status ReadByWalks(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family,
                            std::vector<rocksdb::Slice> keys, RowMap& rows) {
  Sort(keys);
  std::vector<rocksdb::Slice> apart;
  apart.reserve(keys.size());
  for (Keys left = keys; !left.empty();) {
    const std::size_t beside = Beside(left);
    if (beside >= kFewestForWalk) {
      rocksdb::Status walked = Walk(db, family, left.first(beside), rows);
      if (!walked.ok()) return walked;
    } else {
      apart.insert(apart.end(), left.begin(), left.begin() + static_cast<std::ptrdiff_t>(beside));
    }
    left = left.subspan(beside);
  }
  return Find(db, family, apart, rows);
}

}  // namespace crawlsieve

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

class Reader {
 public:
  Reader(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family, RowMap& rows, std::size_t keys)
      : db_(db),
        family_(family),
        rows_(rows),
        values_(std::min(keys, kMostAtOnce)),
        statuses_(values_.size()) {}

  /// Keys in order that lie beside each other.
  rocksdb::Status Walk(Keys keys) {
    // Behind the last key there may be any number of deleted rows.
    const std::string behind_last = keys.back().ToString() + '\0';
    const rocksdb::Slice bound(behind_last);
    rocksdb::ReadOptions options;
    options.iterate_upper_bound = &bound;
    const std::unique_ptr<rocksdb::Iterator> it(db_.NewIterator(options, family_));
    it->Seek(keys.front());
    for (const rocksdb::Slice& key : keys) {
      if (it->Valid() && it->key().compare(key) < 0) it->Next();
      // Longer keys may lie between two, any number of them.
      if (it->Valid() && it->key().compare(key) < 0) it->Seek(key);
      if (!it->status().ok()) return it->status();
      const bool is_there = it->Valid() && it->key() == key;
      rows_.Put(key.ToStringView(),
                is_there ? RowMap::Value(it->value().ToStringView()) : std::nullopt);
    }
    return rocksdb::Status::OK();
  }

  /// Keys in order, kMostAtOnce at most.
  rocksdb::Status Find(Keys keys) {
    constexpr bool kAreSorted = true;
    db_.MultiGet(rocksdb::ReadOptions(), family_, keys.size(), keys.data(), values_.data(),
                 statuses_.data(), kAreSorted);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const bool is_there = statuses_[i].ok();
      if (!is_there && !statuses_[i].IsNotFound()) return statuses_[i];
      rows_.Put(keys[i].ToStringView(),
                is_there ? RowMap::Value(values_[i].ToStringView()) : std::nullopt);
      values_[i].Reset();
    }
    return rocksdb::Status::OK();
  }

 private:
  rocksdb::DB& db_;
  rocksdb::ColumnFamilyHandle* const family_;
  RowMap& rows_;
  std::vector<rocksdb::PinnableSlice> values_;
  std::vector<rocksdb::Status> statuses_;
};

}  // namespace

rocksdb::Status ReadTogether(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family,
                             std::vector<rocksdb::Slice> keys, RowMap& rows) {
  std::ranges::sort(
      keys, [](const rocksdb::Slice& a, const rocksdb::Slice& b) { return a.compare(b) < 0; });
  Reader reader(db, family, rows, keys.size());
  std::vector<rocksdb::Slice> one_by_one;
  one_by_one.reserve(keys.size());
  for (Keys left = keys; !left.empty();) {
    const std::size_t beside = Beside(left);
    if (beside >= kFewestForWalk) {
      const rocksdb::Status walked = reader.Walk(left.first(beside));
      if (!walked.ok()) return walked;
    } else {
      one_by_one.insert(one_by_one.end(), left.begin(), left.begin() + beside);
    }
    left = left.subspan(beside);
  }
  for (Keys left = one_by_one; !left.empty();) {
    const std::size_t count = std::min(left.size(), kMostAtOnce);
    const rocksdb::Status found = reader.Find(left.first(count));
    if (!found.ok()) return found;
    left = left.subspan(count);
  }
  return rocksdb::Status::OK();
}

}  // namespace crawlsieve

#include "plugin/state/read_together.h"

#include "plugin/state/database.h"
#include "plugin/state/latest_page_key.h"
#include "plugin/state/row_group.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

namespace crawlsieve {
namespace {

/// As many values keep their blocks in memory until they are copied.
constexpr std::size_t kMostAtOnce = 512;

/// Calls `visit(i, value)` for the key with number i of `keys`, which are in order; a status that
/// isn't OK ends it.
rocksdb::Status Find(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family,
                     std::span<const rocksdb::Slice> keys, const auto& visit) {
  constexpr bool kAreSorted = true;
  std::vector<rocksdb::PinnableSlice> values(std::min(keys.size(), kMostAtOnce));
  std::vector<rocksdb::Status> statuses(values.size());
  for (std::size_t begin = 0; begin < keys.size(); begin += kMostAtOnce) {
    const std::size_t count = std::min(keys.size() - begin, kMostAtOnce);
    db.MultiGet(rocksdb::ReadOptions(), family, count, &keys[begin], values.data(), statuses.data(),
                kAreSorted);
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_there = statuses[i].ok();
      if (!is_there && !statuses[i].IsNotFound()) return statuses[i];
      rocksdb::Status visited =
          visit(begin + i, is_there ? RowMap::Value(values[i].ToStringView()) : std::nullopt);
      if (!visited.ok()) return visited;
      values[i].Reset();
    }
  }
  return rocksdb::Status::OK();
}

}  // namespace

rocksdb::Status ReadRows(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family,
                         std::vector<std::string_view> keys, RowMap& rows) {
  std::ranges::sort(keys);
  std::vector<rocksdb::Slice> slices;
  slices.reserve(keys.size());
  for (const std::string_view key : keys) slices.push_back(ToSlice(key));
  return Find(db, family, slices, [&](std::size_t i, RowMap::Value value) {
    rows.Put(keys[i], value);
    return rocksdb::Status::OK();
  });
}

rocksdb::Status ReadMembers(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family,
                            std::vector<std::string_view> keys, RowMap& rows) {
  std::ranges::sort(keys);
  std::vector<rocksdb::Slice> groups;
  std::vector<std::size_t> ends;  // of each group's keys
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const rocksdb::Slice group = ToSlice(GroupOf(keys[i]));
    if (groups.empty() || groups.back() != group) {
      groups.push_back(group);
      ends.push_back(i);
    }
    ++ends.back();
  }
  return Find(db, family, groups, [&](std::size_t group, RowMap::Value value) {
    const std::optional<RowGroup> members = RowGroup::Decode(value.value_or(std::string_view()));
    if (!members.has_value()) return NoGroup();
    for (std::size_t i = group == 0 ? 0 : ends[group - 1]; i < ends[group]; ++i) {
      rows.Put(keys[i], members->Find(keys[i].back()));
    }
    return rocksdb::Status::OK();
  });
}

}  // namespace crawlsieve

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
                         std::vector<const RowMap::Row*> wanted, RowMap& rows) {
  RowMap::Sort(wanted);
  std::vector<rocksdb::Slice> slices;
  slices.reserve(wanted.size());
  for (const RowMap::Row* const row : wanted) slices.push_back(ToSlice(row->key()));
  return Find(db, family, slices, [&](std::size_t i, RowMap::Value value) {
    rows.SetValue(*wanted[i], value);
    return rocksdb::Status::OK();
  });
}

rocksdb::Status ReadMembers(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family,
                            std::span<const RowMap::Row* const> wanted, RowMap& rows) {
  // Of one group, as they were asked for one behind the other.
  struct Run {
    std::string_view group;
    std::span<const RowMap::Row* const> rows;
  };
  std::vector<Run> runs;
  while (!wanted.empty()) {
    const std::string_view group = GroupOf(wanted.front()->key());
    const auto end = std::ranges::find_if_not(
        wanted, [&](const RowMap::Row* row) { return GroupOf(row->key()) == group; });
    runs.push_back({group, wanted.first(static_cast<std::size_t>(end - wanted.begin()))});
    wanted = wanted.subspan(runs.back().rows.size());
  }
  std::ranges::sort(runs, {}, &Run::group);
  std::vector<rocksdb::Slice> groups;
  groups.reserve(runs.size());
  for (const Run& run : runs) groups.push_back(ToSlice(run.group));
  return Find(db, family, groups, [&](std::size_t i, RowMap::Value value) {
    const std::optional<RowGroup> members = RowGroup::Decode(value.value_or(std::string_view()));
    if (!members.has_value()) return NoGroup();
    for (const RowMap::Row* const row : runs[i].rows) {
      rows.SetValue(*row, members->Find(row->key().back()));
    }
    return rocksdb::Status::OK();
  });
}

}  // namespace crawlsieve

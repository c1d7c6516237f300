#include "plugin/state/group_map.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace crawlsieve {
namespace {

constexpr std::size_t kLineBytes = 64;

static_assert(kMostLatestPages <= 64, "GroupMap has a bit for each");

std::uint64_t BitOf(unsigned char number) { return std::uint64_t{1} << number; }

unsigned char NumberOf(std::string_view key) { return static_cast<unsigned char>(key.back()); }

template <typename Struct>
Struct FromBytes(const char* bytes) {
  Struct value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

std::optional<RowMap::Value> Unlisted(bool is_deleted) {
  return is_deleted ? std::optional<RowMap::Value>(std::in_place, std::nullopt) : std::nullopt;
}

}  // namespace

std::optional<RowMap::Value> GroupChanges::Find(unsigned char number) const {
  const auto row = std::ranges::lower_bound(rows, number, {}, &Row::number);
  if (row == rows.end() || row->number != number) return Unlisted(others_deleted);
  return std::optional<RowMap::Value>(std::in_place, row->value);
}

GroupMap::Group GroupMap::Load(const RowMap::Row& group) {
  return group.value().has_value() ? FromBytes<Group>(group.value()->data()) : Group();
}

const RowMap::Row& GroupMap::RowOf(std::string_view group) {
  return groups_.rows()[groups_.PutIfNew(group)];
}

void GroupMap::Save(const RowMap::Row& row, const Group& group) {
  groups_.SetValue(row, std::string_view(reinterpret_cast<const char*>(&group), sizeof(group)));
}

void GroupMap::Add(unsigned char number, RowMap::Value value, Group& group) {
  const std::string_view bytes = value.value_or(std::string_view());
  const RowHead head{group.last_row, static_cast<std::uint32_t>(bytes.size()), number,
                     value.has_value()};
  char* const row = rows_.Allocate(sizeof(head) + bytes.size());
  std::memcpy(row, &head, sizeof(head));
  std::copy(bytes.begin(), bytes.end(), row + sizeof(head));
  group.last_row = row;
  group.changed |= BitOf(number);
}

void GroupMap::Visit(const Group& group, const auto& visit) {
  std::uint64_t seen = 0;
  for (const char* row = group.last_row; row != nullptr;) {
    const auto head = FromBytes<RowHead>(row);
    if ((seen & BitOf(head.number)) == 0) {
      const std::string_view bytes(row + sizeof(head), head.value_bytes);
      if (visit(head.number, head.has_value ? RowMap::Value(bytes) : std::nullopt)) return;
    }
    seen |= BitOf(head.number);
    row = head.row_before;
  }
}

void GroupMap::Put(std::string_view key, RowMap::Value value) {
  const RowMap::Row& row = RowOf(GroupOf(key));
  Group group = Load(row);
  Add(NumberOf(key), value, group);
  Save(row, group);
}

void GroupMap::DeleteAll(std::string_view group) { Save(RowOf(group), {.is_deleted = true}); }

void GroupMap::PutAll(const GroupMap& later) {
  groups_.PutKeys(later.groups_, [this](const RowMap::Row& theirs, const RowMap::Row& here) {
    const Group from = Load(theirs);
    Group to = from.is_deleted ? Group{.is_deleted = true} : Load(here);
    Visit(from, [&](unsigned char number, const RowMap::Value& value) {
      Add(number, value, to);
      return false;
    });
    Save(here, to);
  });
}

void GroupMap::Clear() {
  groups_.Clear();
  rows_.Clear();
}

std::optional<RowMap::Value> GroupMap::Find(std::string_view key) const {
  const std::optional<std::size_t> place = groups_.PlaceOf(GroupOf(key));
  if (!place.has_value()) return std::nullopt;
  const Group group = Load(groups()[*place]);
  std::optional<RowMap::Value> found = Unlisted(group.is_deleted);
  if ((group.changed & BitOf(NumberOf(key))) == 0) return found;
  Visit(group, [&](unsigned char number, const RowMap::Value& value) {
    const bool is_it = number == NumberOf(key);
    if (is_it) found.emplace(value);
    return is_it;
  });
  return found;
}

// Each row leads to the one before it, and waits for memory: here for several groups at once.
void GroupMap::Fetch(std::span<const RowMap::Row* const> groups) const {
  std::vector<const char*> rows;
  for (const RowMap::Row* const group : groups) __builtin_prefetch(group);
  for (const RowMap::Row* const group : groups) __builtin_prefetch(group->value()->data());
  for (const RowMap::Row* const group : groups) rows.push_back(Load(*group).last_row);
  for (std::erase(rows, nullptr); !rows.empty(); std::erase(rows, nullptr)) {
    for (const char* const row : rows) {
      __builtin_prefetch(row);
      __builtin_prefetch(row + kLineBytes);  // a page's is about as long
    }
    for (const char*& row : rows) row = FromBytes<RowHead>(row).row_before;
  }
}

void GroupMap::ChangesOf(const RowMap::Row& row, GroupChanges& changes) const {
  const Group group = Load(row);
  changes.others_deleted = group.is_deleted;
  changes.rows.clear();
  Visit(group, [&](unsigned char number, const RowMap::Value& value) {
    changes.rows.push_back({number, value});
    return false;
  });
  std::ranges::reverse(changes.rows);  // mostly as they came
  if (!std::ranges::is_sorted(changes.rows, {}, &GroupChanges::Row::number)) {
    std::ranges::sort(changes.rows, {}, &GroupChanges::Row::number);
  }
}

void GroupMap::ChangesOf(std::string_view group, GroupChanges& changes) const {
  const std::optional<std::size_t> place = groups_.PlaceOf(group);
  if (place.has_value()) {
    ChangesOf(groups()[*place], changes);
  } else {
    changes.rows.clear();
    changes.others_deleted = false;
  }
}

void GroupMap::ForEach(
    const std::function<void(std::string_view, const RowMap::Value&)>& visit) const {
  GroupChanges changes;
  std::string key;
  for (const RowMap::Row& group : groups()) {
    ChangesOf(group, changes);
    key.assign(group.key()).push_back('\0');
    auto row = changes.rows.begin();
    for (unsigned char number = 0; number < kMostLatestPages; ++number) {
      const bool is_listed = row != changes.rows.end() && row->number == number;
      key.back() = static_cast<char>(number);
      if (is_listed || changes.others_deleted) visit(key, is_listed ? row->value : std::nullopt);
      if (is_listed) ++row;
    }
  }
}

}  // namespace crawlsieve

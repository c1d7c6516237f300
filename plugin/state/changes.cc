#include "plugin/state/changes.h"

#include <algorithm>
#include <numeric>

namespace crawlsieve {

void Changes::Set(Table table, std::string_view key, RowMap::Value value) {
  if (listener_ != nullptr) listener_->BeforeChange(table, key, Find(table, key));
  tables_[static_cast<std::size_t>(table)].Put(key, value);
}

void Changes::DeleteLatestPages(std::string_view host) {
  const KeysOfGroup keys(GroupOfHost(host));
  if (!IsLatestPage(keys.all().front())) {  // no host has such a name
    for (const std::string_view key : keys.all()) Delete(Table::kHosts, key);
    return;
  }
  if (listener_ != nullptr) {
    for (const std::string_view key : keys.all()) {
      listener_->BeforeChange(Table::kHosts, key, Find(Table::kHosts, key));
    }
  }
  DeleteGroup(keys);
}

void Changes::DeleteGroup(const KeysOfGroup& keys) {
  RowMap& rows = tables_[static_cast<std::size_t>(Table::kHosts)];
  const std::vector<std::optional<RowMap::Value>> known = rows.FindAll(RowMap::Keys(keys.all()));
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (known[i].has_value() && known[i]->has_value()) rows.Put(keys.all()[i], std::nullopt);
  }
  deleted_groups_.PutIfNew(GroupOf(keys.all().front()));
}

void Changes::PutAll(const Changes& later) {
  // Groups first: rows that later puts behind a deletion come after it. Those that it put before
  // are deleted among its own rows.
  for (const RowMap::Row& group : later.deleted_groups_.rows()) {
    DeleteGroup(KeysOfGroup(group.key()));
  }
  for (std::size_t i = 0; i < kTableCount; ++i) tables_[i].PutAll(later.tables_[i]);
}

void Changes::Clear() {
  for (RowMap& table : tables_) table.Clear();
  deleted_groups_.Clear();
}

bool Changes::IsInDeletedGroup(Table table, std::string_view key) const {
  return table == Table::kHosts && !deleted_groups_.empty() && IsLatestPage(key) &&
         deleted_groups_.Find(GroupOf(key)).has_value();
}

std::optional<RowMap::Value> Changes::Find(Table table, std::string_view key) const {
  std::optional<RowMap::Value> row = Of(table).Find(key);
  if (!row.has_value() && IsInDeletedGroup(table, key)) row.emplace(std::nullopt);
  return row;
}

std::vector<std::optional<RowMap::Value>> Changes::FindAll(Table table,
                                                           const RowMap::Keys& keys) const {
  std::vector<std::optional<RowMap::Value>> rows = Of(table).FindAll(keys);
  if (table != Table::kHosts || deleted_groups_.empty()) return rows;
  std::string_view group;  // keys of one are mostly asked for together
  bool is_deleted = false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string_view key = keys.keys()[i];
    if (rows[i].has_value() || !IsLatestPage(key)) continue;
    if (GroupOf(key) != group) {
      group = GroupOf(key);
      is_deleted = deleted_groups_.Find(group).has_value();
    }
    if (is_deleted) rows[i].emplace(std::nullopt);
  }
  return rows;
}

void Changes::ForEach(
    Table table, const std::function<void(std::string_view, const RowMap::Value&)>& visit) const {
  for (const RowMap::Row& row : Of(table).rows()) visit(row.key(), row.value());
  if (table != Table::kHosts) return;
  for (const RowMap::Row& group : deleted_groups_.rows()) {
    const KeysOfGroup keys(group.key());
    for (const std::string_view key : keys.all()) {
      if (!Of(table).Find(key).has_value()) visit(key, std::nullopt);
    }
  }
}

bool Changes::empty() const {
  return std::ranges::all_of(tables_, &RowMap::empty) && deleted_groups_.empty();
}

std::size_t Changes::bytes() const {
  return std::accumulate(tables_.begin(), tables_.end(), deleted_groups_.bytes(),
                         [](std::size_t sum, const RowMap& map) { return sum + map.bytes(); });
}

}  // namespace crawlsieve

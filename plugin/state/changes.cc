#include "plugin/state/changes.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace crawlsieve {
namespace {

bool IsInGroup(Table table, std::string_view key) {
  return table == Table::kHosts && IsLatestPage(key);
}

}  // namespace

void Changes::Set(Table table, std::string_view key, RowMap::Value value) {
  if (listener_ != nullptr) listener_->BeforeChange(table, key, Find(table, key));
  if (IsInGroup(table, key)) {
    latest_pages_.Put(key, value);
  } else {
    tables_[static_cast<std::size_t>(table)].Put(key, value);
  }
}

void Changes::DeleteLatestPages(std::string_view host) {
  const std::string group = GroupOfHost(host);
  const bool is_group = IsLatestPage(group + '\0');  // no host has a name of which it isn't
  if (listener_ != nullptr || !is_group) {
    const KeysOfGroup keys(group);
    for (const std::string_view key : keys.all()) {
      if (!is_group) {
        Delete(Table::kHosts, key);
      } else {
        listener_->BeforeChange(Table::kHosts, key, Find(Table::kHosts, key));
      }
    }
  }
  if (is_group) latest_pages_.DeleteAll(group);
}

void Changes::PutAll(const Changes& later) {
  for (std::size_t i = 0; i < kTableCount; ++i) tables_[i].PutAll(later.tables_[i]);
  latest_pages_.PutAll(later.latest_pages_);
}

void Changes::Clear() {
  for (RowMap& table : tables_) table.Clear();
  latest_pages_.Clear();
}

std::optional<RowMap::Value> Changes::Find(Table table, std::string_view key) const {
  return IsInGroup(table, key) ? latest_pages_.Find(key) : Of(table).Find(key);
}

std::vector<std::optional<RowMap::Value>> Changes::FindAll(Table table,
                                                           const RowMap::Keys& keys) const {
  std::vector<std::optional<RowMap::Value>> rows = Of(table).FindAll(keys);
  if (table != Table::kHosts || latest_pages_.empty()) return rows;
  std::string_view group;  // keys of one are mostly asked for together
  GroupChanges of_group;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string_view key = keys.keys()[i];
    if (!IsLatestPage(key)) continue;
    if (GroupOf(key) != group) {
      group = GroupOf(key);
      latest_pages_.ChangesOf(group, of_group);
    }
    rows[i] = of_group.Find(static_cast<unsigned char>(key.back()));
  }
  return rows;
}

void Changes::ForEach(
    Table table, const std::function<void(std::string_view, const RowMap::Value&)>& visit) const {
  for (const RowMap::Row& row : Of(table).rows()) visit(row.key(), row.value());
  if (table == Table::kHosts) latest_pages_.ForEach(visit);
}

bool Changes::empty() const {
  return std::ranges::all_of(tables_, &RowMap::empty) && latest_pages_.empty();
}

std::size_t Changes::bytes() const {
  return std::accumulate(tables_.begin(), tables_.end(), latest_pages_.bytes(),
                         [](std::size_t sum, const RowMap& map) { return sum + map.bytes(); });
}

}  // namespace crawlsieve

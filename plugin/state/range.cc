#include "plugin/state/range.h"

#include "plugin/base/result.h"
#include "plugin/state/latest_page_key.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

namespace crawlsieve {
namespace {

using Change = RowMap::Row;

}  // namespace

Result<std::vector<Store::Row>> ChangedRange(const Changes& changes, Table table,
                                             std::string_view prefix, std::string_view from,
                                             std::size_t limit, const RowSource& source) {
  std::map<std::string, RowMap::Value> some;
  const auto within = [&](std::string_view next, const std::string* last) {
    some.clear();
    changes.ForEach(table, [&](std::string_view key, const RowMap::Value& value) {
      if (key < next || (last != nullptr && key > *last) || !key.starts_with(prefix)) return;
      some.emplace(key, value);
    });
    std::vector<Change> in_order;
    in_order.reserve(some.size());
    for (const auto& [key, value] : some) in_order.push_back({key, value});
    return in_order;
  };
  return ChangedRange(within, std::max(from, prefix), limit, source);
}

Result<std::vector<Store::Row>> ChangedRange(const ChangeSource& changes_within,
                                             std::string_view from, std::size_t limit,
                                             const RowSource& source) {
  std::vector<Store::Row> rows;
  std::string next(from);
  while (rows.size() < limit) {
    const std::size_t wanted = limit - rows.size();
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto base, source(next, wanted));
    const bool is_end = base.size() < wanted;
    const std::string last = is_end ? std::string() : base.back().key;
    auto unchanged = base.begin();
    for (const Change& change : changes_within(next, is_end ? nullptr : &last)) {
      const auto end = std::find_if(unchanged, base.end(), [&change](const Store::Row& row) {
        return row.key >= change.key();
      });
      std::move(unchanged, end, std::back_inserter(rows));
      unchanged = end;
      if (unchanged != base.end() && unchanged->key == change.key()) ++unchanged;
      if (change.value().has_value()) {
        rows.push_back({std::string(change.key()), std::string(*change.value())});
      }
    }
    std::move(unchanged, base.end(), std::back_inserter(rows));
    if (is_end) break;
    next = last + '\0';
  }
  if (rows.size() > limit) rows.resize(limit);
  return rows;
}

bool ChangedKeys::Has(std::string_view from, const std::string* last) const {
  if (!is_known_ || from < first_) return false;
  return !last_.has_value() || (last != nullptr && *last <= *last_);
}

void ChangedKeys::Add(std::string_view key) {
  if (key < first_ || (last_.has_value() && key > *last_) || !key.starts_with(prefix_)) return;
  keys_.emplace(key);
}

void ChangedKeys::Add(const Sources& sources) {
  for (std::size_t i = 0; i < sources.changes.size(); ++i) {
    auto& [looked_at_rows, looked_at_groups] = looked_at_[i];
    const std::vector<Change>& rows = sources.changes[i]->Of(table_).rows();
    for (; looked_at_rows < rows.size(); ++looked_at_rows) Add(rows[looked_at_rows].key());
    if (table_ != Table::kHosts) continue;
    const std::vector<Change>& groups = sources.changes[i]->latest_pages().groups();
    for (; looked_at_groups < groups.size(); ++looked_at_groups) {
      const KeysOfGroup keys(groups[looked_at_groups].key());
      for (const std::string_view key : keys.all()) Add(key);
    }
  }
}

std::vector<RowMap::Row> ChangedKeys::Within(Table table, const Sources& sources,
                                             std::string_view prefix, std::string_view from,
                                             const std::string* last, const PartEnd& end_of_part) {
  is_known_ =
      is_known_ && table_ == table && generation_ == sources.generation && prefix_ == prefix;
  if (!Has(from, last)) {
    table_ = table;
    generation_ = sources.generation;
    prefix_ = prefix;
    first_ = from;
    last_ = end_of_part(from);
    if (last == nullptr || (last_.has_value() && *last > *last_)) last_.reset();
    looked_at_.assign(sources.changes.size(), {});
    keys_.clear();
    is_known_ = true;
  }
  Add(sources);
  std::vector<Change> changes;
  for (auto key = keys_.lower_bound(from); key != keys_.end(); ++key) {
    if (last != nullptr && *key > *last) break;
    for (auto source = sources.changes.rbegin(); source != sources.changes.rend(); ++source) {
      const auto value = (*source)->Find(table, *key);
      if (!value.has_value()) continue;
      changes.push_back({*key, *value});
      break;
    }
  }
  return changes;
}

}  // namespace crawlsieve

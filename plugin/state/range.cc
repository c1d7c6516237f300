#include "plugin/state/range.h"

#include "plugin/base/result.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace crawlsieve {
namespace {

using Change = RowMap::Row;

/// The changes to keys of the range, from `from` to `last`, if there is one, in order: the last one
/// to each key.
std::vector<Change> Within(const std::vector<const RowMap*>& maps, std::string_view prefix,
                           std::string_view from, const std::string* last) {
  std::vector<Change> changes;
  for (const RowMap* map : maps) {
    for (const Change& change : map->rows()) {
      if (change.key < from || (last != nullptr && change.key > *last) ||
          !change.key.starts_with(prefix)) {
        continue;
      }
      changes.push_back(change);
    }
  }
  std::ranges::stable_sort(changes, {}, &Change::key);
  // Of equal keys the last one: seen from the end, the first.
  const auto kept = std::unique(changes.rbegin(), changes.rend(),
                                [](const Change& a, const Change& b) { return a.key == b.key; });
  changes.erase(changes.begin(), kept.base());
  return changes;
}

}  // namespace

Result<std::vector<Store::Row>> ChangedRange(const std::vector<const RowMap*>& changes,
                                             std::string_view prefix, std::string_view from,
                                             std::size_t limit, const RowSource& source) {
  return ChangedRange([&](std::string_view next,
                          const std::string* last) { return Within(changes, prefix, next, last); },
                      std::max(from, prefix), limit, source);
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
        return row.key >= change.key;
      });
      std::move(unchanged, end, std::back_inserter(rows));
      unchanged = end;
      if (unchanged != base.end() && unchanged->key == change.key) ++unchanged;
      if (change.value.has_value()) {
        rows.push_back({std::string(change.key), std::string(*change.value)});
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

void ChangedKeys::Add(const Maps& maps) {
  for (std::size_t i = 0; i < maps.maps.size(); ++i) {
    const std::vector<Change>& rows = maps.maps[i]->rows();
    for (std::size_t& row = looked_at_[i]; row < rows.size(); ++row) {
      const std::string_view key = rows[row].key;
      if (key < first_ || (last_.has_value() && key > *last_) || !key.starts_with(prefix_))
        continue;
      keys_.emplace(key);
    }
  }
}

std::vector<RowMap::Row> ChangedKeys::Within(std::size_t table, const Maps& maps,
                                             std::string_view prefix, std::string_view from,
                                             const std::string* last, const PartEnd& end_of_part) {
  is_known_ = is_known_ && table_ == table && generation_ == maps.generation && prefix_ == prefix;
  if (!Has(from, last)) {
    table_ = table;
    generation_ = maps.generation;
    prefix_ = prefix;
    first_ = from;
    last_ = end_of_part(from);
    if (last == nullptr || (last_.has_value() && *last > *last_)) last_.reset();
    looked_at_.assign(maps.maps.size(), 0);
    keys_.clear();
    is_known_ = true;
  }
  Add(maps);
  std::vector<Change> changes;
  for (auto key = keys_.lower_bound(from); key != keys_.end(); ++key) {
    if (last != nullptr && *key > *last) break;
    for (auto map = maps.maps.rbegin(); map != maps.maps.rend(); ++map) {
      const auto value = (*map)->Find(*key);
      if (!value.has_value()) continue;
      changes.push_back({*key, *value});
      break;
    }
  }
  return changes;
}

}  // namespace crawlsieve

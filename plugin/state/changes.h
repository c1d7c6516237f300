#pragma once

#include "plugin/state/row_map.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string_view>

namespace crawlsieve {

/// The tables of the judge's state. What their keys and values are: docs/state.md.
enum class Table : std::size_t { kDocuments, kContent, kUrls, kHosts, kMarks, kMeta, kRestart };
inline constexpr std::size_t kTableCount = 7;

/// Those that follow from the log alone. The others are about files on this disk.
inline constexpr std::array kFoldedTables{Table::kDocuments, Table::kContent, Table::kUrls,
                                          Table::kHosts,     Table::kMarks,   Table::kMeta};

/// Is told of each change of a row before it is made.
class ChangeListener {
 public:
  virtual ~ChangeListener() = default;

  /// `before`: as Changes::Find has it, valid during the call.
  virtual void BeforeChange(Table table, std::string_view key,
                            const std::optional<RowMap::Value>& before) = 0;
};

/// Changes to several tables that become visible together. Thread-compatible.
class Changes {
 public:
  void Put(Table table, std::string_view key, std::string_view value) { Set(table, key, value); }
  void Delete(Table table, std::string_view key) { Set(table, key, std::nullopt); }

  /// Has a listener told of each Put and Delete from now on; nullptr: none. It must outlive that.
  void SetListener(ChangeListener* listener) { listener_ = listener; }

  /// Puts all of later changes. No listener is told.
  void PutAll(const Changes& later) {
    for (std::size_t i = 0; i < kTableCount; ++i) tables_[i].PutAll(later.tables_[i]);
  }

  /// Forgets all changes, and keeps the memory for others.
  void Clear() {
    for (RowMap& table : tables_) table.Clear();
  }

  /// Outer nullopt: not changed here. Inner nullopt: deleted here. Valid until the next change.
  [[nodiscard]] std::optional<RowMap::Value> Find(Table table, std::string_view key) const {
    return Of(table).Find(key);
  }

  [[nodiscard]] const RowMap& Of(Table table) const {
    return tables_[static_cast<std::size_t>(table)];
  }
  [[nodiscard]] bool empty() const { return std::ranges::all_of(tables_, &RowMap::empty); }

  /// Memory in use, in bytes.
  [[nodiscard]] std::size_t bytes() const {
    return std::accumulate(tables_.begin(), tables_.end(), std::size_t{0},
                           [](std::size_t sum, const RowMap& map) { return sum + map.bytes(); });
  }

 private:
  void Set(Table table, std::string_view key, RowMap::Value value) {
    RowMap& rows = tables_[static_cast<std::size_t>(table)];
    if (listener_ != nullptr) listener_->BeforeChange(table, key, rows.Find(key));
    rows.Put(key, value);
  }

  std::array<RowMap, kTableCount> tables_;
  ChangeListener* listener_ = nullptr;
};

}  // namespace crawlsieve

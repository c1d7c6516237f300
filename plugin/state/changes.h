#pragma once

#include "plugin/state/group_map.h"
#include "plugin/state/row_map.h"

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

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
///
/// The latest pages of a host (plugin/state/latest_page_key.h) are a group, and those of all hosts
/// are apart from the other rows of their table.
class Changes {
 public:
  void Put(Table table, std::string_view key, std::string_view value) { Set(table, key, value); }
  void Delete(Table table, std::string_view key) { Set(table, key, std::nullopt); }

  /// Deletes all rows of table hosts that are latest pages of a host, those that are put later
  /// excepted.
  void DeleteLatestPages(std::string_view host);

  /// Has a listener told of each Put and Delete from now on, and of each row that DeleteLatestPages
  /// may delete; nullptr: none. It must outlive that.
  void SetListener(ChangeListener* listener) { listener_ = listener; }

  /// Puts all of later changes. No listener is told.
  void PutAll(const Changes& later);

  /// Forgets all changes, and keeps the memory for others.
  void Clear();

  /// Outer nullopt: not changed here. Inner nullopt: deleted here. Valid until the next change.
  [[nodiscard]] std::optional<RowMap::Value> Find(Table table, std::string_view key) const;

  /// The same of several keys.
  [[nodiscard]] std::vector<std::optional<RowMap::Value>> FindAll(Table table,
                                                                  const RowMap::Keys& keys) const;

  /// Calls `visit` for each row that was changed, once and in no order, with a value as of Find;
  /// also for each that a deleted group may have had. The key is valid during the call.
  void ForEach(Table table,
               const std::function<void(std::string_view, const RowMap::Value&)>& visit) const;

  /// Rows that were changed, but for latest pages.
  [[nodiscard]] const RowMap& Of(Table table) const {
    return tables_[static_cast<std::size_t>(table)];
  }

  /// The other changes of table hosts.
  [[nodiscard]] const GroupMap& latest_pages() const { return latest_pages_; }

  [[nodiscard]] bool empty() const;

  /// Memory in use, in bytes.
  [[nodiscard]] std::size_t bytes() const;

 private:
  void Set(Table table, std::string_view key, RowMap::Value value);

  std::array<RowMap, kTableCount> tables_;
  GroupMap latest_pages_;
  ChangeListener* listener_ = nullptr;
};

}  // namespace crawlsieve

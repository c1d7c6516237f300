#pragma once

#include "plugin/state/byte_arena.h"
#include "plugin/state/latest_page_key.h"
#include "plugin/state/row_map.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace crawlsieve {

/// What was changed of the rows of a group (plugin/state/latest_page_key.h). Value type; borrows
/// values from the map that gave it.
struct GroupChanges {
  struct Row {
    unsigned char number;
    RowMap::Value value;  ///< nullopt: it is deleted
  };
  std::vector<Row> rows;        ///< in order of numbers, each once
  bool others_deleted = false;  ///< else they weren't changed

  /// Outer nullopt: not changed; inner nullopt: deleted.
  [[nodiscard]] std::optional<RowMap::Value> Find(unsigned char number) const;
};

/// Changes to rows of groups in memory. Rows of a group come one by one and go together: so its key
/// is there once, each row leads to the one that came before it, and that all of them went is noted
/// once (docs/decisions/0043).
///
/// Keys of rows are such that IsLatestPage is true of them. Bytes of a row that was replaced or
/// deleted are free again only with all the others. Thread-compatible.
class GroupMap {
 public:
  /// Copies both. Without a value the row is deleted.
  void Put(std::string_view key, RowMap::Value value);

  /// Deletes all rows of a group, those that are put later excepted.
  void DeleteAll(std::string_view group);

  /// Makes all of later changes.
  void PutAll(const GroupMap& later);

  /// Forgets all changes, and keeps the memory for others.
  void Clear();

  /// As GroupChanges::Find. Valid until the next change, as are the next ones.
  [[nodiscard]] std::optional<RowMap::Value> Find(std::string_view key) const;

  /// The groups that were changed, in the order of their first change. Their values are of this
  /// class alone.
  [[nodiscard]] const std::vector<RowMap::Row>& groups() const { return groups_.rows(); }

  /// The same, in byte order of their keys.
  [[nodiscard]] std::vector<const RowMap::Row*> InOrder() const { return groups_.InOrder(); }

  /// Fetches what ChangesOf looks at into the processor's cache.
  void Fetch(std::span<const RowMap::Row* const> groups) const;

  /// Of one of these; into `changes`, so that its memory can be used again.
  void ChangesOf(const RowMap::Row& group, GroupChanges& changes) const;
  /// Of any group. Nothing, where there are none.
  void ChangesOf(std::string_view group, GroupChanges& changes) const;

  /// Calls `visit` for each row that was changed, once. The key is valid during the call.
  void ForEach(const std::function<void(std::string_view, const RowMap::Value&)>& visit) const;

  [[nodiscard]] bool empty() const { return groups_.empty(); }

  /// Memory that the changes take, in bytes.
  [[nodiscard]] std::size_t bytes() const { return groups_.bytes() + rows_.used_bytes(); }

 private:
  /// The value of a group's key, as its bytes.
  struct Group {
    const char* last_row = nullptr;  ///< the one that came last, as its RowHead's bytes
    std::uint64_t changed = 0;       ///< a bit for each number that a row has
    bool is_deleted = false;
  };
  /// What precedes a row's value.
  struct RowHead {
    const char* row_before = nullptr;  ///< of the group; it may have the same number
    std::uint32_t value_bytes = 0;
    unsigned char number = 0;
    bool has_value = false;
  };

  [[nodiscard]] static Group Load(const RowMap::Row& group);
  /// The row of a group, which may be a new one.
  [[nodiscard]] const RowMap::Row& RowOf(std::string_view group);
  void Save(const RowMap::Row& row, const Group& group);
  void Add(unsigned char number, RowMap::Value value, Group& group);
  /// Calls `visit` for rows of a group, the latest ones first, until it says that it is done.
  static void Visit(const Group& group, const auto& visit);

  RowMap groups_;
  ByteArena rows_;
};

}  // namespace crawlsieve

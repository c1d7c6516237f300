#pragma once

#include "plugin/state/byte_arena.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace crawlsieve {

/// Rows of a table in memory, by key: values, and the knowledge that there is no such row.
///
/// A hash table (open addressing) over bytes of an arena, because a fold puts and forgets millions
/// of rows. Bytes of a value that was replaced by a longer one are free again only with all the
/// others.
///
/// Thread-compatible. One that was moved from can only be assigned to.
class RowMap {
 public:
  /// nullopt: there is no such row.
  using Value = std::optional<std::string_view>;

  /// Borrows both, of less than 4 GiB each. Smaller than two views: there are millions.
  class Row {
   public:
    Row(std::string_view key, Value value)
        : key_(key.data()), key_size_(static_cast<std::uint32_t>(key.size())) {
      if (!value.has_value()) return;
      value_ = value->empty() ? "" : value->data();
      value_size_ = static_cast<std::uint32_t>(value->size());
    }

    [[nodiscard]] std::string_view key() const { return {key_, key_size_}; }
    [[nodiscard]] Value value() const {
      return value_ == nullptr ? Value() : std::string_view(value_, value_size_);
    }

   private:
    const char* key_;
    const char* value_ = nullptr;  // none
    std::uint32_t key_size_;
    std::uint32_t value_size_ = 0;
  };

  /// What is known of a key; nullopt if nothing is. Valid until the next change.
  [[nodiscard]] std::optional<Value> Find(std::string_view key) const;

  /// Keys to look for, also in several maps. Borrows them. Value type.
  class Keys {
   public:
    explicit Keys(std::span<const std::string_view> keys);

    [[nodiscard]] std::span<const std::string_view> keys() const { return keys_; }

   private:
    friend class RowMap;

    std::span<const std::string_view> keys_;
    std::vector<std::uint32_t> hashes_;
  };

  /// The same of several keys, whose places in memory are fetched at the same time.
  [[nodiscard]] std::vector<std::optional<Value>> FindAll(const Keys& wanted) const;

  /// Copies both. `value` may be one of this map.
  void Put(std::string_view key, Value value);

  /// Puts a key without a value, unless something is known of it, and says where it is among
  /// `rows`. What was found stays valid.
  std::size_t PutIfNew(std::string_view key);

  /// Where a key is among `rows`; nullopt: nothing is known of it.
  [[nodiscard]] std::optional<std::size_t> PlaceOf(std::string_view key) const;

  /// Copies the value, for a row of this map. `value` may be one of this map.
  void SetValue(const Row& row, Value value);

  /// Puts all rows of another.
  void PutAll(const RowMap& other);

  /// Calls `visit(theirs, here)` for each row of another, with the row that has its key here: a new
  /// one without a value if there was none. `visit` may set the value of `here`, and nothing else.
  void PutKeys(const RowMap& other, const std::function<void(const Row&, const Row&)>& visit);

  /// Forgets all rows, and keeps the memory for others.
  void Clear();

  [[nodiscard]] bool empty() const { return rows_.empty(); }

  /// All rows, in the order of their first Put. Valid until the next change, as are the next ones.
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }

  /// All rows, in byte order of their keys.
  [[nodiscard]] std::vector<const Row*> InOrder() const;

  /// Sorts rows by the bytes of their keys, of which no two are equal.
  static void Sort(std::span<const Row*> rows);

  /// Memory that the rows take, in bytes; what is kept for others is not counted.
  [[nodiscard]] std::size_t bytes() const {
    return bytes_.used_bytes() + rows_.size() * (sizeof(Row) + 2 * sizeof(Slot));
  }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t row = 0;  // 1 is the first; 0: free
  };

  /// The slot of a key, or the free one where it would be. There must be a free one.
  [[nodiscard]] std::size_t SlotOf(std::string_view key, std::uint32_t hash) const;
  void FindSome(std::span<const std::string_view> keys, std::span<const std::uint32_t> hashes,
                std::span<std::optional<Value>> found) const;
  /// The row of a key, which is put without a value if it is new.
  Row& RowOf(std::string_view key, std::uint32_t hash);
  void SetValueOf(Row& row, Value value);
  /// Fetches what SlotOf looks at.
  void FetchPlaces(std::span<const std::uint32_t> hashes) const;
  void MakeRoomFor(std::size_t rows);

  std::vector<Row> rows_;
  std::vector<Slot> slots_;  // as many as a power of two
  ByteArena bytes_;
};

}  // namespace crawlsieve

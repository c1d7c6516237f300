#pragma once

#include "plugin/index/hamming_index.h"
#include "plugin/state/store.h"

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace crawlsieve {

/// Rows of a store and answers of an index, read by several threads before somebody needs them one
/// by one. What isn't here was not read; nobody may rely on anything being here.
///
/// It knows nothing of later changes: rows are to be cleared when the store changes, and answers
/// made good for what the index has come to since.
/// Thread-compatible.
class ReadAhead {
 public:
  /// How the index is asked: as its Find has it.
  struct Reach {
    int max_distance = 0;
    std::size_t limit = 0;

    friend bool operator==(const Reach&, const Reach&) = default;
  };

  /// One thread's part.
  class Reader {
   public:
    Reader(const Store& store, const HammingIndex& index, const Reach& reach)
        : store_(store), index_(index), reach_(reach) {}

    /// Asks for a row, which is there after the next Fetch.
    void Want(Table table, std::string_view key);

    /// Reads the rows that are wanted.
    void Fetch();

    /// The row; nullopt if there is none, or it wasn't fetched, or can't be read. Valid until the
    /// next Fetch.
    [[nodiscard]] RowMap::Value Row(Table table, std::string_view key) const;

    /// The index's answer, which is kept.
    const std::vector<Match>& Matches(Fingerprint query);

   private:
    friend class ReadAhead;

    /// Takes over what the other has read.
    void Take(Reader& other);

    const Store& store_;
    const HammingIndex& index_;
    const Reach reach_;
    std::array<RowMap, kTableCount> wanted_;  // their keys
    std::array<RowMap, kTableCount> rows_;
    std::unordered_map<std::uint64_t, std::vector<Match>> matches_;
    LookupWork work_;
  };

  /// What to read for one thing; the first says which rows it wants, the second looks at these and
  /// may want more.
  struct Steps {
    std::function<void(std::size_t i, Reader&)> first;
    std::function<void(std::size_t i, Reader&)> second;
  };

  /// Takes both steps for each i below `count`, on `threads` threads at most, and keeps what the
  /// readers read until the next call or Clear. Store and index must stand still meanwhile.
  /// Returns what the lookups took.
  LookupWork Read(const Store& store, const HammingIndex& index, const Reach& reach,
                  std::size_t count, std::size_t threads, const Steps& steps);

  void Clear() { read_.reset(); }

  /// The row as it was read, nullopt inside if there was none; nullopt if it wasn't read.
  [[nodiscard]] std::optional<RowMap::Value> Row(Table table, std::string_view key) const;

  /// The index's answer as it was; null if it wasn't asked in this way.
  [[nodiscard]] const std::vector<Match>* Matches(Fingerprint query, const Reach& reach) const;

 private:
  std::optional<Reader> read_;  // what all of them have read
};

}  // namespace crawlsieve

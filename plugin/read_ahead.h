#pragma once

#include "plugin/base/string_map.h"
#include "plugin/index/hamming_index.h"
#include "plugin/state/store.h"

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
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

    /// The row, which is kept; nullopt if there is none, or it can't be read.
    std::optional<std::string_view> Row(Table table, std::string_view key);

    /// The index's answer, which is kept.
    const std::vector<Match>& Matches(Fingerprint query);

   private:
    friend class ReadAhead;

    /// nullopt: there is no such row.
    using Rows = StringMap<std::optional<std::string>>;

    /// Moves over what the other has read and this one hasn't.
    void Take(Reader& other);

    const Store& store_;
    const HammingIndex& index_;
    const Reach reach_;
    std::array<Rows, kTableCount> rows_;
    std::unordered_map<std::uint64_t, std::vector<Match>> matches_;
    LookupWork work_;
  };

  /// Calls read(i, reader) for each i below `count`, on `threads` threads at most, and keeps what
  /// the readers read until the next call or Clear. Store and index must stand still meanwhile.
  /// Returns what the lookups took.
  LookupWork Read(const Store& store, const HammingIndex& index, const Reach& reach,
                  std::size_t count, std::size_t threads,
                  const std::function<void(std::size_t, Reader&)>& read);

  void Clear() { read_.reset(); }

  /// The row as it was read; null if it wasn't. A row that is known not to be there is nullopt.
  [[nodiscard]] const std::optional<std::string>* Row(Table table, std::string_view key) const;

  /// The index's answer as it was; null if it wasn't asked in this way.
  [[nodiscard]] const std::vector<Match>* Matches(Fingerprint query, const Reach& reach) const;

 private:
  std::optional<Reader> read_;  // what all of them have read
};

}  // namespace crawlsieve

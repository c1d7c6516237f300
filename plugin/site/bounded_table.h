#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace crawlsieve::site {

/// A small table by key, in ascending order of the keys, with a bound. When it is full, the entry
/// with the lowest rank makes room for a new one, of equals the one with the lowest key. So the
/// same additions in the same order leave the same entries.
///
/// `Value` has a `rank()` that can be compared. One piece of memory: it is read from bytes and
/// written as a whole, and never has more than a few hundred entries. Thread-compatible.
template <typename Key, typename Value>
class BoundedTable {
 public:
  struct Entry {
    Key key;
    Value value;

    friend bool operator==(const Entry&, const Entry&) = default;
  };
  using Iterator = typename std::vector<Entry>::const_iterator;

  /// nullptr: there is none. Valid until the next change.
  [[nodiscard]] const Value* Find(Key key) const {
    const auto at = LowerBound(key);
    return at != entries_.end() && at->key == key ? &at->value : nullptr;
  }
  [[nodiscard]] Value* Find(Key key) { return const_cast<Value*>(std::as_const(*this).Find(key)); }

  /// Adds an entry whose key isn't there. At most `max` stay, of which there is at least one. Calls
  /// `inherit(value, weakest)` with the entry that makes room for it, if any does.
  template <typename Inherit>
  Value& Add(Key key, Value value, std::size_t max, const Inherit& inherit) {
    auto to = entries_.begin() + (LowerBound(key) - entries_.cbegin());
    if (entries_.size() < max) {
      if (entries_.size() == entries_.capacity()) {
        const auto place = to - entries_.begin();
        entries_.reserve(std::min(max, std::max(kFewest, 2 * entries_.size())));
        to = entries_.begin() + place;
      }
      return entries_.insert(to, {key, std::move(value)})->value;
    }
    const auto from = entries_.begin() + (WeakestEntry() - entries_.cbegin());
    inherit(value, std::as_const(from->value));
    if (from < to) {
      to = std::move(from + 1, to, from);
    } else {
      std::move_backward(to, from, from + 1);
    }
    *to = {key, std::move(value)};
    return to->value;
  }

  /// The same; what makes room leaves nothing.
  Value& Add(Key key, Value value, std::size_t max) {
    return Add(key, std::move(value), max, [](Value& /*added*/, const Value& /*weakest*/) {});
  }

  /// Adds what comes behind all others. False: it doesn't.
  [[nodiscard]] bool Append(Key key, Value value) {
    if (!entries_.empty() && key <= entries_.back().key) return false;
    entries_.push_back({key, std::move(value)});
    return true;
  }

  template <typename Change>
  void ForEach(const Change& change) {
    for (Entry& entry : entries_) change(entry.value);
  }

  void Clear() { entries_.clear(); }
  void Reserve(std::size_t size) { entries_.reserve(size); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] Iterator begin() const { return entries_.begin(); }
  [[nodiscard]] Iterator end() const { return entries_.end(); }

  friend bool operator==(const BoundedTable&, const BoundedTable&) = default;

 private:
  /// For which there is memory with the first one.
  static constexpr std::size_t kFewest = 8;

  [[nodiscard]] Iterator LowerBound(Key key) const {
    return std::lower_bound(entries_.begin(), entries_.end(), key,
                            [](const Entry& entry, Key wanted) { return entry.key < wanted; });
  }
  // The first of equals has the lowest key.
  [[nodiscard]] Iterator WeakestEntry() const {
    return std::min_element(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return a.value.rank() < b.value.rank();
    });
  }

  std::vector<Entry> entries_;
};

}  // namespace crawlsieve::site

#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace crawlsieve::consumer {

/// The names that occur most, counted in bounded memory: the algorithm Space-Saving (Metwally,
/// Agrawal, El Abbadi: Efficient Computation of Frequent and Top-k Elements in Data Streams, ICDT
/// 2005). Every name with more than total() / capacity occurrences is among those counted.
///
/// Memory: `capacity` names of at most kMaxNameBytes, about 100 bytes besides for each.
/// Thread-compatible.
class HeavyHitters {
 public:
  static constexpr std::size_t kMaxNameBytes = 255;  ///< longer ones are cut

  struct Item {
    std::string name;
    std::uint64_t count = 0;  ///< never too low
    std::uint64_t error = 0;  ///< too high by at most this
  };

  explicit HeavyHitters(std::size_t capacity);
  HeavyHitters(HeavyHitters&&) = default;
  HeavyHitters& operator=(HeavyHitters&&) = default;

  /// Takes O(1) for a name that is counted already, else O(log `capacity`) in the mean of many
  /// calls.
  void Add(std::string_view name, std::uint64_t count = 1);

  /// The `most` names with the highest counts in both together, highest first; names in byte order
  /// where counts are equal.
  [[nodiscard]] static std::vector<Item> Top(const HeavyHitters& one, const HeavyHitters& other,
                                             std::size_t most);

  /// Occurrences of all names, also of those that are not counted any more.
  [[nodiscard]] std::uint64_t total() const { return total_; }
  /// Names that are counted.
  [[nodiscard]] std::size_t size() const { return counts_.size(); }

  void Clear();

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const {
      return std::hash<std::string_view>()(name);
    }
  };

  /// A place and the count that it had when it was last looked at.
  struct Seen {
    std::uint64_t count;
    std::size_t place;

    friend auto operator<=>(const Seen&, const Seen&) = default;
  };

  /// How often a name that isn't counted may have occurred.
  [[nodiscard]] std::uint64_t Missed() const;
  /// The place with the lowest count. All places are taken.
  [[nodiscard]] std::size_t LowestPlace();
  /// Enters a place into lowest_, with the count that it has now.
  void EnterLowest(std::size_t place);

  std::size_t capacity_;
  std::uint64_t total_ = 0;
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> places_;
  std::vector<std::uint64_t> counts_;  ///< by place
  std::vector<std::uint64_t> errors_;
  std::vector<const std::string*> names_;  ///< keys of places_
  /// A heap, the lowest on top. Counts only grow, so one that is no longer right is too low here,
  /// and it is put right when it comes to the top.
  std::vector<Seen> lowest_;
};

}  // namespace crawlsieve::consumer

#pragma once

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

  /// Takes O(1) for a name that is counted already, else one pass over `capacity` numbers.
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

  /// How often a name that isn't counted may have occurred.
  [[nodiscard]] std::uint64_t Missed() const;

  std::size_t capacity_;
  std::uint64_t total_ = 0;
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> places_;
  std::vector<std::uint64_t> counts_;  ///< by place
  std::vector<std::uint64_t> errors_;
  std::vector<const std::string*> names_;  ///< keys of places_
};

}  // namespace crawlsieve::consumer

#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace crawlsieve {

/// Sets of ids that pairs connect: union-find with path halving, by size. Memory: some 60 bytes an
/// id. Thread-compatible.
class Clusters {
 public:
  struct Member {
    std::uint64_t id = 0;
    std::uint64_t root = 0;  ///< the smallest id of its set

    friend bool operator==(const Member&, const Member&) = default;
  };

  /// Both belong to one set from now on.
  void Join(std::uint64_t a, std::uint64_t b);

  [[nodiscard]] std::size_t ids() const { return nodes_.size(); }
  /// How many sets there are.
  [[nodiscard]] std::size_t sets() const { return sets_; }

  /// All ids that were in a pair, by root, then by id. Depends on the pairs alone, not on their
  /// order.
  [[nodiscard]] std::vector<Member> Members();

 private:
  struct Node {
    std::uint32_t parent = 0;
    std::uint32_t size = 1;      ///< of a set, at its top
    std::uint64_t smallest = 0;  ///< the same
  };

  /// Throws std::length_error beyond 2^32 ids.
  [[nodiscard]] std::uint32_t NodeOf(std::uint64_t id);
  [[nodiscard]] std::uint32_t TopOf(std::uint32_t node);

  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
  std::vector<Node> nodes_;
  std::size_t sets_ = 0;
};

}  // namespace crawlsieve

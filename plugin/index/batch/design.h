#pragma once

#include <cstdint>
#include <vector>

namespace crawlsieve {

/// Bits of a fingerprint side by side, counted from its leading one, and how many of them may
/// differ.
struct BatchBlock {
  int first_bit = 0;
  int bits = 0;
  int radius = 0;

  /// Whether fingerprints that differ in these bits are within the radius of one another here.
  [[nodiscard]] bool Holds(std::uint64_t differences) const;
};

/// How a batch of queries is arranged. Disjoint blocks with sum(radius + 1) = k + 1, so that two
/// fingerprints within k bits of one another are within the radius of one block at least: if they
/// differed in more than the radius of each, they would differ in k + 1 bits or more. The first
/// block is the leading bits, by which stored fingerprints come in order; so a large radius costs
/// little there. The others have a radius of 0 or 1.
struct BatchDesign {
  std::vector<BatchBlock> blocks;
  double nanoseconds = 0;  ///< that a pass should take; for comparisons between designs
};

/// Leading bits of each level at which queries are told apart, ascending: steps of four, the last
/// one all `bits`.
[[nodiscard]] std::vector<int> PrefixDepths(int bits);

/// The quickest design for `queries` queries at distance `max_distance`, 0 to 7, that meet `stored`
/// stored fingerprints in one pass, where both are spread evenly. Depends on nothing else; answers
/// don't depend on it.
[[nodiscard]] BatchDesign ChooseBatchDesign(int max_distance, std::uint64_t queries,
                                            std::uint64_t stored);

}  // namespace crawlsieve

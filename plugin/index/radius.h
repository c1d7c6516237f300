#pragma once

#include <cstdint>
#include <span>

namespace crawlsieve {

/// The largest number of bits a lookup may flip in an address.
inline constexpr int kMaxRadius = 3;

/// The radius within which block `block` of `blocks` is searched so that every fingerprint at
/// distance <= max_distance is found: the radii r_i of all blocks have sum (r_i + 1) =
/// max_distance + 1, so if more than r_i of the differing bits lay in every block i there would be
/// more than max_distance of them (the general pigeonhole principle). -1: the block isn't needed.
[[nodiscard]] constexpr int BlockRadius(int max_distance, int blocks, int block) {
  const int shares = max_distance + 1;
  return shares / blocks + (block < shares % blocks ? 1 : 0) - 1;
}

/// All numbers below 2^bits with exactly `weight` ones, ascending. `weight` <= kMaxRadius, `bits`
/// <= 32. Static storage.
[[nodiscard]] std::span<const std::uint32_t> MasksOfWeight(int bits, int weight);

}  // namespace crawlsieve

#pragma once

#include <array>
#include <cstddef>
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

namespace radius_internal {

// Masks of 32 bits by weight, ascending: those below 2^bits come first, C(bits, weight) of them.
extern const std::array<const std::uint32_t*, kMaxRadius + 1> kMasks;

/// C(bits, weight).
inline constexpr auto kCounts = [] {
  std::array<std::array<std::uint16_t, kMaxRadius + 1>, 33> counts{};
  for (std::size_t bits = 0; bits <= 32; ++bits) {
    counts[bits][0] = 1;
    for (std::size_t weight = 1; bits > 0 && weight <= kMaxRadius; ++weight) {
      counts[bits][weight] =
          static_cast<std::uint16_t>(counts[bits - 1][weight - 1] + counts[bits - 1][weight]);
    }
  }
  return counts;
}();

}  // namespace radius_internal

/// All numbers below 2^bits with exactly `weight` ones, ascending. `weight` <= kMaxRadius, `bits`
/// <= 32. Static storage.
[[nodiscard]] inline std::span<const std::uint32_t> MasksOfWeight(int bits, int weight) {
  const auto w = static_cast<std::size_t>(weight);
  return {radius_internal::kMasks[w], radius_internal::kCounts[static_cast<std::size_t>(bits)][w]};
}

}  // namespace crawlsieve

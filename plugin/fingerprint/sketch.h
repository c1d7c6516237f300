#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace crawlsieve {

/// One bit each of 448 min-hash values of a set (Broder 1997; Li and König, "b-Bit Minwise
/// Hashing", WWW 2010): two sketches tell how much their sets have in common. Value type, 56 bytes.
///
/// One bit of more values beats more bits of fewer: at a resemblance of 0.5 and above it has the
/// smallest variance for its size (Li and König, section 4).
struct Sketch {
  static constexpr std::size_t kBits = 448;
  static constexpr std::size_t kWords = kBits / 64;

  std::array<std::uint64_t, kWords> words{};

  friend bool operator==(const Sketch&, const Sketch&) = default;
};

/// Sketches a set of hashes; their order, and how often one occurs, don't matter. The hashes must
/// be good ones (keyed, 64 bits). The sketch of the empty set is all zero and says nothing.
///
/// The values come from Dahlgaard, Knudsen and Thorup, "Fast Similarity Sketching" (FOCS 2017): one
/// pass over a large set fills all bins, and a small set is passed over until it has filled them.
/// So small sets are estimated as well as by 448 independent permutations, at a cost of O(n + kBits
/// log kBits); one permutation with densified bins would be worse on small sets.
[[nodiscard]] Sketch ComputeSketch(std::span<const std::uint64_t> hashes);

/// Estimates the resemblance |A ∩ B| / |A ∪ B| of two sets that aren't empty, in ten-thousandths,
/// 0..10000. Unbiased before it is cut off at 0: values that differ share their bit half of the
/// time, so a share m of equal bits makes 2m - 1. The standard deviation is at most
/// 2 sqrt(C (1 - C) / 448), C = (1 + resemblance) / 2: 0.032 at 0.7, 0.021 at 0.9.
[[nodiscard]] std::uint32_t EstimateResemblance(const Sketch& a, const Sketch& b);

}  // namespace crawlsieve

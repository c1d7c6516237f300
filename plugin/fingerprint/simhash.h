#pragma once

#include "plugin/fingerprint/feature.h"

#include <bit>
#include <compare>
#include <cstdint>
#include <span>

namespace crawlsieve {

/// A 64-bit simhash. Near-duplicates have fingerprints a few bits apart. Value type.
struct Fingerprint {
  std::uint64_t bits = 0;

  friend auto operator<=>(const Fingerprint&, const Fingerprint&) = default;
};

/// Number of bits in which two fingerprints differ, 0..64.
[[nodiscard]] inline int HammingDistance(Fingerprint a, Fingerprint b) {
  return std::popcount(a.bits ^ b.bits);
}

/// Charikar's simhash (STOC 2002) as in Manku, Jain, Das Sarma (WWW 2007) section 2: bit i is the
/// sign of the sum, over all features, of +weight where bit i of the feature's hash is 1 and
/// -weight where it is 0. A sum of zero gives 0. The order of the features doesn't matter.
/// Without features the fingerprint is 0; callers treat such pages as too short to compare.
[[nodiscard]] Fingerprint ComputeSimhash(std::span<const Feature> features);

}  // namespace crawlsieve

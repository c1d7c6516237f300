#include "plugin/fingerprint/sketch.h"

#include <algorithm>
#include <bit>

namespace crawlsieve {
namespace {

/// The hash function of one round: the finisher of SplitMix64, a bijection whose every output bit
/// depends on every input bit.
std::uint64_t HashInRound(std::uint64_t hash, std::uint64_t round) {
  std::uint64_t mixed = hash + (round + 1) * 0x9e3779b97f4a7c15;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

/// The bin a value falls into, by its high bits: values of one bin still are in random order.
std::size_t BinOf(std::uint64_t value) {
  return static_cast<std::size_t>((value >> 32) * Sketch::kBits >> 32);
}

}  // namespace

Sketch ComputeSketch(std::span<const std::uint64_t> hashes) {
  Sketch sketch;
  if (hashes.empty()) return sketch;
  constexpr std::uint64_t kEmpty = ~std::uint64_t{0};
  std::array<std::uint64_t, Sketch::kBits> minima;
  minima.fill(kEmpty);
  std::array<std::uint64_t, Sketch::kBits> fill;

  // Values of an earlier round are smaller than those of a later one: a round only fills what is
  // empty. The first half of the rounds throws hashes into bins; should a bin be empty after
  // these, the second half puts the least of all hashes into each.
  std::size_t empty = Sketch::kBits;
  for (std::uint64_t round = 0; empty > 0 && round < Sketch::kBits; ++round) {
    fill.fill(kEmpty);
    for (const std::uint64_t hash : hashes) {
      const std::uint64_t value = HashInRound(hash, round);
      std::uint64_t& least = fill[BinOf(value)];
      least = std::min(least, value);
    }
    for (std::size_t bin = 0; bin < Sketch::kBits; ++bin) {
      if (minima[bin] != kEmpty || fill[bin] == kEmpty) continue;
      minima[bin] = fill[bin];
      --empty;
    }
  }
  for (std::size_t bin = 0; bin < Sketch::kBits; ++bin) {
    if (minima[bin] == kEmpty) {
      for (const std::uint64_t hash : hashes) {
        minima[bin] = std::min(minima[bin], HashInRound(hash, Sketch::kBits + bin));
      }
    }
    sketch.words[bin / 64] |= (minima[bin] & 1) << bin % 64;
  }
  return sketch;
}

std::uint32_t EstimateResemblance(const Sketch& a, const Sketch& b) {
  constexpr auto kBits = static_cast<int>(Sketch::kBits);
  int equal = kBits;
  for (std::size_t i = 0; i < Sketch::kWords; ++i) {
    equal -= std::popcount(a.words[i] ^ b.words[i]);
  }
  return static_cast<std::uint32_t>(std::max(0, 2 * equal - kBits) * 10'000 / kBits);
}

}  // namespace crawlsieve

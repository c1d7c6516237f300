#include "plugin/fingerprint/sketch.h"

#include <algorithm>
#include <bit>
#include <numeric>

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
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  std::array<std::uint64_t, Sketch::kBits> minima;
  std::array<std::uint64_t, Sketch::kBits> least;
  std::array<std::uint16_t, Sketch::kBits> empty;  // the bins that are, in order
  std::size_t empties = Sketch::kBits;
  std::iota(empty.begin(), empty.end(), std::uint16_t{0});

  // Values of an earlier round are smaller than those of a later one: a round only fills what is
  // empty. The first half of the rounds throws hashes into bins; should a bin be empty after
  // these, the second half puts the least of all hashes into each.
  // Without branches on hashes, which nobody can predict: wrong guesses took most of the time.
  for (std::uint64_t round = 0; empties > 0 && round < Sketch::kBits; ++round) {
    least.fill(kNone);
    for (const std::uint64_t hash : hashes) {
      const std::uint64_t value = HashInRound(hash, round);
      const std::size_t bin = BinOf(value);
      const std::uint64_t before = least[bin];
      least[bin] = value < before ? value : before;
    }
    std::size_t still_empty = 0;
    for (std::size_t i = 0; i < empties; ++i) {
      const std::uint16_t bin = empty[i];
      minima[bin] = least[bin];
      empty[still_empty] = bin;
      still_empty += least[bin] == kNone ? 1 : 0;
    }
    empties = still_empty;
  }
  for (std::size_t i = 0; i < empties; ++i) {
    for (const std::uint64_t hash : hashes) {
      minima[empty[i]] = std::min(minima[empty[i]], HashInRound(hash, Sketch::kBits + empty[i]));
    }
  }
  for (std::size_t bin = 0; bin < Sketch::kBits; ++bin) {
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

#include "plugin/index/snapshot/table.h"

#include <algorithm>
#include <cstring>

namespace crawlsieve {

SnapshotTable::Place SnapshotTable::Guess(std::uint64_t key) const {
  const auto entry = [&](std::uint64_t c) -> std::uint64_t {
    std::uint32_t block = 0;
    std::memcpy(&block, directory + c * sizeof(block), sizeof(block));
    return std::min<std::uint64_t>(block, block_count - 1);
  };
  Place place;
  const std::uint64_t cell = CellOf(key);
  place.low = entry(cell);
  const bool is_last = cell + 1 == std::uint64_t{1} << directory_bits;
  place.high = std::max(place.low, is_last ? block_count - 1 : entry(cell + 1));
  // Keys of one cell are spread evenly, unless somebody wants them not to be. The first block
  // begins before the cell, half a block on average.
  const std::uint64_t share = key << directory_bits >> 32;
  const std::uint64_t half = std::uint64_t{1} << 31;
  place.guess = place.low + (((place.high - place.low) * share + half) >> 32);
  return place;
}

std::uint64_t SnapshotTable::BlockOf(std::uint64_t key, const Place& place) const {
  auto [low, high, guess] = place;
  // Steps away from the guess that double, then halving: two or three comparisons where keys are
  // spread evenly, never more than a logarithm.
  std::uint64_t middle = std::max(guess, low + 1);
  for (std::uint64_t step = 1; low < high; step *= 2) {
    if (FirstKey(Block(middle)) < key) {
      low = middle;
      middle = low + std::min(step, (high - low + 1) / 2);
    } else {
      high = middle - 1;
      middle = high - std::min(step - 1, (high - low) / 2);
    }
  }
  return low;
}

}  // namespace crawlsieve

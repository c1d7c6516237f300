#pragma once

#include "plugin/index/snapshot/block.h"

#include <cstddef>
#include <cstdint>

namespace crawlsieve {

/// The blocks of all keys in one order, and the directory that finds them by the keys' leading
/// bits. Views of a mapped file, nothing of which needs to have been checked but the sizes.
///
/// Immutable once filled in; thread-safe.
struct SnapshotTable {
  /// Where the last block is that begins before a key, or the first block: in low..high, most
  /// likely at `guess`.
  struct Place {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::uint64_t guess = 0;
  };

  int rotation = 0;  ///< of the fingerprints, to the left, that makes them keys
  std::uint64_t block_count = 0;
  const std::byte* blocks = nullptr;
  int directory_bits = 0;
  const std::byte* directory = nullptr;  ///< 2^directory_bits block numbers of 32 bits

  [[nodiscard]] BlockBytes Block(std::uint64_t number) const {
    return BlockBytes(blocks + number * kBlockBytes, kBlockBytes);
  }

  /// Starts loading what Guess(key) reads.
  void PrefetchDirectory(std::uint64_t key) const {
    __builtin_prefetch(directory + CellOf(key) * sizeof(std::uint32_t));
  }

  /// Reads the directory, which must exist, as some block must.
  [[nodiscard]] Place Guess(std::uint64_t key) const;

  /// The last block that begins before `key`, or the first: where equal or larger keys start.
  /// Reads blocks that nobody has checked: the caller checks the answer.
  [[nodiscard]] std::uint64_t BlockOf(std::uint64_t key, const Place& place) const;

 private:
  /// The entry of the directory for keys that start like `key`.
  [[nodiscard]] std::uint64_t CellOf(std::uint64_t key) const {
    // In two steps, as without a bit there are 64 to shift out.
    return key >> 1 >> (63 - directory_bits);
  }
};

}  // namespace crawlsieve

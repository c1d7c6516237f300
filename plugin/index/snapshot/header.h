#pragma once

#include "plugin/index/snapshot/block.h"
#include "plugin/index/snapshot/info.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace crawlsieve {

// What writer and reader of snapshots agree on. docs/snapshot_format.md describes it.

inline constexpr std::array<char, 8> kSnapshotMagic{'\x89', 'C', 'S', 'I', 'X', '\r', '\n', '\x1a'};
inline constexpr std::uint32_t kSnapshotVersion = 1;
inline constexpr std::size_t kMaxSnapshotTables = 2;
/// The second table's keys are the fingerprints rotated by so many bits.
inline constexpr int kSecondRotation = 32;

/// The first block of a file, as it is stored.
struct SnapshotHeader {
  struct Table {
    std::uint64_t block_count;
    std::uint64_t directory_checksum;
    std::uint32_t directory_bits;
    std::uint32_t rotation;
  };

  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint8_t kind;
  std::uint8_t table_count;
  std::uint8_t document_bits;
  std::uint8_t zero;
  std::array<char, 32> scheme;
  std::int64_t log_offset;
  std::uint64_t entries;
  std::uint64_t fingerprints;
  std::array<Table, kMaxSnapshotTables> tables;
  std::array<char, 128> zeros;
  std::uint64_t checksum;

  /// The checksum that these contents should have.
  [[nodiscard]] std::uint64_t ComputeChecksum() const;
};
static_assert(sizeof(SnapshotHeader) == kBlockBytes);
static_assert(std::endian::native == std::endian::little, "integers are stored as they are");

/// 64 bits over the header or a directory.
[[nodiscard]] std::uint64_t SnapshotChecksum(const void* bytes, std::size_t size);

/// Number of tables in a snapshot of this kind.
[[nodiscard]] constexpr std::size_t TableCountOf(SnapshotKind kind) {
  return kind == SnapshotKind::kSearchable ? 2 : 1;
}

/// Leading bits by which a directory finds blocks: four blocks and more an entry, so it takes a
/// hundredth of the file.
[[nodiscard]] constexpr int DirectoryBits(std::uint64_t blocks) {
  constexpr int kMaxDirectoryBits = 30;
  return std::clamp(static_cast<int>(std::bit_width(blocks)) - 3, 0, kMaxDirectoryBits);
}

/// Bytes of a directory in the file, where every part takes whole blocks.
[[nodiscard]] constexpr std::size_t DirectoryBytes(int bits) {
  return std::max(sizeof(std::uint32_t) << bits, kBlockBytes);
}

}  // namespace crawlsieve

#pragma once

#include "plugin/base/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace crawlsieve {

/// Sorted keys, with document numbers or without, compressed into 256 bytes that can be read on
/// their own: the unit of every snapshot. docs/snapshot_format.md has the layout.
inline constexpr std::size_t kBlockBytes = 256;
using BlockBytes = std::span<const std::byte, kBlockBytes>;

/// A key, in the order of its table, and its document (0 in snapshots without documents).
struct BlockEntry {
  std::uint64_t key = 0;
  std::uint64_t document = 0;

  friend auto operator<=>(const BlockEntry&, const BlockEntry&) = default;
};

/// So many entries a block has at most: one bit for each but the first.
inline constexpr std::size_t kMaxBlockEntries = 8 * kBlockBytes;
inline constexpr int kMaxDocumentBits = 40;

/// Packs ascending entries into blocks. Thread-compatible.
class BlockEncoder {
 public:
  /// `document_bits`: 0, or how many every document number fits in, at most kMaxDocumentBits.
  /// `mean_gap`: the expected distance from one key to the next; what is wrong with it costs space
  /// in one block.
  BlockEncoder(int document_bits, double mean_gap);

  /// Adds an entry that is not before the one that was added last; false if the block is full. The
  /// first of a block always fits.
  [[nodiscard]] bool Add(const BlockEntry& entry);

  /// The finished block, to be written as number `position` of its table; valid until the next Add,
  /// which starts another block. Some entry must have been added.
  [[nodiscard]] BlockBytes Finish(std::uint64_t position);

  [[nodiscard]] bool empty() const { return count_ == 0; }

 private:
  /// Makes room for one more entry by another number of low bits; false if that is no help.
  [[nodiscard]] bool Recode(const BlockEntry& next);
  /// Bits that the entries take.
  [[nodiscard]] std::size_t CodedBits(int rice_bits) const;

  const int document_bits_;
  int likely_rice_bits_;  // low bits of a gap, stored as they are: best for the block before
  int rice_bits_ = 0;     // ... and as this one has it so far
  std::size_t count_ = 0;
  std::size_t coded_bits_ = 0;  // that the entries take
  std::array<BlockEntry, kMaxBlockEntries> entries_;
  std::array<std::byte, kBlockBytes + 8> bytes_{};  // codes are written eight bytes at a time
};

/// The entries of one block, in memory of its own. Thread-compatible.
class DecodedBlock {
 public:
  /// Replaces what is there by the entries of a block, up to the first with a key beyond `last`.
  /// Errors: kCorruption, for any bytes that BlockEncoder doesn't make at this position (with a
  /// `last`: as far as the checksum tells); what is there is then undefined.
  [[nodiscard]] Status Decode(BlockBytes bytes, std::uint64_t position, int document_bits,
                              std::uint64_t last = ~std::uint64_t{0});

  [[nodiscard]] std::span<const BlockEntry> entries() const { return {entries_.data(), count_}; }

 private:
  std::size_t count_ = 0;
  std::array<BlockEntry, kMaxBlockEntries> entries_;
};

/// The first key of a block that may not have been checked yet.
[[nodiscard]] std::uint64_t FirstKey(BlockBytes bytes);

}  // namespace crawlsieve

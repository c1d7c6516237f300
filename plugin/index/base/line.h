#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace crawlsieve {

/// A cache line of a bucket: the low 32 bits of up to twelve keys side by side, so that one vector
/// comparison covers them, then the keys' higher bits, then a header.
///
///     slots   words 0..s-1    bytes after them           word 15, low bits first
///     12      low 32 bits     bits 32..39, a byte each   count 4, bit 40 of each slot, next 16
///     11      low 32 bits     bits 32..39, a byte each,  count 4, bits 40..43 of slot 10, unused
///     8,
///                             then 40..43 of 0..9        next 16
///     10      low 32 bits     bits 32..47                count 4, unused 12, next 16
///     7       low 32 bits     bits 32..63                count 4, unused 12, next 16
///
/// `next` says which overflow line continues the bucket, 0 that none does.
struct alignas(64) Line {
  std::array<std::uint32_t, 16> words;
};

/// How a Line is divided; the number of slots.
enum class LineFormat : std::uint8_t { kSlots7 = 7, kSlots10 = 10, kSlots11 = 11, kSlots12 = 12 };

inline constexpr int kLineBytes = 64;
inline constexpr int kHeaderWord = 15;
/// A count no line has: the bucket's keys are in a Nest.
inline constexpr std::uint32_t kNested = 15;

[[nodiscard]] inline std::uint32_t SlotCount(LineFormat format) {
  return static_cast<std::uint32_t>(format);
}

/// The format with most slots for keys of `key_bits` bits.
[[nodiscard]] inline LineFormat FormatFor(int key_bits) {
  if (key_bits <= 41) return LineFormat::kSlots12;
  if (key_bits <= 44) return LineFormat::kSlots11;
  return key_bits <= 48 ? LineFormat::kSlots10 : LineFormat::kSlots7;
}

[[nodiscard]] inline std::uint32_t Count(const Line& line) { return line.words[kHeaderWord] & 15; }

inline void SetCount(Line& line, std::uint32_t count) {
  line.words[kHeaderWord] = (line.words[kHeaderWord] & ~15u) | count;
}

inline constexpr std::uint32_t kMaxNext = 0xffff;

[[nodiscard]] inline std::uint32_t Next(const Line& line) { return line.words[kHeaderWord] >> 16; }

inline void SetNext(Line& line, std::uint32_t next) {
  line.words[kHeaderWord] = (line.words[kHeaderWord] & 0xffffu) | next << 16;
}

/// The key in a slot.
[[nodiscard]] inline std::uint64_t LoadKey(const Line& line, LineFormat format, std::size_t slot) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(line.words.data());
  std::uint64_t high = 0;
  switch (format) {
    case LineFormat::kSlots12:
      high = bytes[48 + slot] | (line.words[kHeaderWord] >> (4 + slot) & 1) << 8;
      break;
    case LineFormat::kSlots11:
      high = bytes[44 + slot] |
             (slot == 10 ? bytes[60] >> 4 : bytes[55 + slot / 2] >> 4 * (slot % 2) & 15) << 8;
      break;
    case LineFormat::kSlots10: {
      std::uint16_t half = 0;
      std::memcpy(&half, bytes + 40 + 2 * slot, sizeof(half));
      high = half;
      break;
    }
    case LineFormat::kSlots7:
      high = line.words[7 + slot];
      break;
  }
  return high << 32 | line.words[slot];
}

inline void StoreKey(Line& line, LineFormat format, std::size_t slot, std::uint64_t key) {
  auto* bytes = reinterpret_cast<unsigned char*>(line.words.data());
  line.words[slot] = static_cast<std::uint32_t>(key);
  switch (format) {
    case LineFormat::kSlots12: {
      bytes[48 + slot] = static_cast<unsigned char>(key >> 32);
      const std::uint32_t bit = 1u << (4 + slot);
      std::uint32_t& header = line.words[kHeaderWord];
      header = (key >> 40 & 1) != 0 ? header | bit : header & ~bit;
      break;
    }
    case LineFormat::kSlots11: {
      bytes[44 + slot] = static_cast<unsigned char>(key >> 32);
      unsigned char& pair = slot == 10 ? bytes[60] : bytes[55 + slot / 2];
      const int shift = slot == 10 ? 4 : 4 * (slot % 2);
      pair = static_cast<unsigned char>((pair & ~(15 << shift)) | (key >> 40 & 15) << shift);
      break;
    }
    case LineFormat::kSlots10: {
      const auto half = static_cast<std::uint16_t>(key >> 32);
      std::memcpy(bytes + 40 + 2 * slot, &half, sizeof(half));
      break;
    }
    case LineFormat::kSlots7:
      line.words[7 + slot] = static_cast<std::uint32_t>(key >> 32);
      break;
  }
}

}  // namespace crawlsieve

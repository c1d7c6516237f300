#pragma once

#include "extract/text/ascii.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace crawlsieve::extract {

/// 16 bytes of text, and of what kind they are. Immutable.
///
/// Texts between two tags are 20 bytes long on average: that is too short for a kernel chosen at
/// run time, so it is what every x86-64 processor has, and on others one byte after the other.
class SixteenBytes {
 public:
  static constexpr std::size_t kSize = 16;

  /// Of kSize bytes.
  static SixteenBytes Load(const char* bytes) {
    SixteenBytes loaded;
    std::memcpy(&loaded.bytes_, bytes, kSize);
    return loaded;
  }

  /// Of `size` bytes, 1 to kSize; zeros behind them. Reads nothing else.
  static SixteenBytes LoadFirst(const char* bytes, std::size_t size) {
    static_assert(std::endian::native == std::endian::little);
    std::array<std::uint64_t, 2> words{};
    if (size >= 8) {
      std::memcpy(&words[0], bytes, 8);
      // Its first bytes are in the first word already.
      if (size > 8) words[1] = LastEight(bytes, size) >> 8 * (kSize - size);
    } else if (size >= 4) {
      std::uint32_t low = 0;
      std::uint32_t high = 0;
      std::memcpy(&low, bytes, 4);
      std::memcpy(&high, bytes + size - 4, 4);
      words[0] = low | std::uint64_t{high} << 8 * (size - 4);  // what overlaps is the same
    } else {
      const auto byte = [bytes](std::size_t i) {
        return std::uint64_t{static_cast<unsigned char>(bytes[i])};
      };
      words[0] = byte(0) | byte(size / 2) << 8 * (size / 2) | byte(size - 1) << 8 * (size - 1);
    }
    SixteenBytes loaded;
    std::memcpy(&loaded.bytes_, words.data(), kSize);
    return loaded;
  }

  /// Writes all kSize bytes.
  void Store(char* to) const { std::memcpy(to, &bytes_, kSize); }

#if defined(__SSE2__)
  /// Bit i: byte i is white space.
  [[nodiscard]] std::uint32_t Spaces() const {
    const auto is = [this](char c) { return _mm_cmpeq_epi8(bytes_, _mm_set1_epi8(c)); };
    return Bits(_mm_or_si128(_mm_or_si128(_mm_or_si128(is(' '), is('\n')), is('\t')),
                             _mm_or_si128(is('\r'), is('\f'))));
  }
  /// Bit i: byte i is `c`.
  [[nodiscard]] std::uint32_t Equal(char c) const {
    return Bits(_mm_cmpeq_epi8(bytes_, _mm_set1_epi8(c)));
  }
  /// Bit i: byte i is one of `first` to `last`, in the order of unsigned bytes.
  [[nodiscard]] std::uint32_t Between(char first, char last) const {
    const __m128i from_first = _mm_sub_epi8(bytes_, _mm_set1_epi8(first));
    const __m128i most = _mm_set1_epi8(static_cast<char>(last - first));
    return Bits(_mm_cmpeq_epi8(_mm_min_epu8(from_first, most), from_first));
  }

 private:
  static std::uint32_t Bits(__m128i mask) {
    return static_cast<std::uint32_t>(_mm_movemask_epi8(mask));
  }
  __m128i bytes_;
#else
  [[nodiscard]] std::uint32_t Spaces() const { return Bits(IsAsciiSpace); }
  [[nodiscard]] std::uint32_t Equal(char c) const {
    return Bits([c](char byte) { return byte == c; });
  }
  [[nodiscard]] std::uint32_t Between(char first, char last) const {
    return Bits([first, last](char byte) {
      return static_cast<unsigned char>(byte - first) <= static_cast<unsigned char>(last - first);
    });
  }

 private:
  template <typename Is>
  [[nodiscard]] std::uint32_t Bits(Is is) const {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < kSize; ++i) bits |= (is(bytes_[i]) ? 1U : 0U) << i;
    return bits;
  }
  std::array<char, kSize> bytes_;
#endif

  static std::uint64_t LastEight(const char* bytes, std::size_t size) {
    std::uint64_t last = 0;
    std::memcpy(&last, bytes + size - 8, 8);
    return last;
  }
};

}  // namespace crawlsieve::extract

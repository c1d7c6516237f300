#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace crawlsieve {

/// The value of one NH: a number of 128 bits.
struct NhValue {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend bool operator==(const NhValue&, const NhValue&) = default;
};

/// The bytes of a number, or of an NH value, as they lie in memory.
template <typename Value>
std::string_view BytesOf(const Value& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

namespace nh_internal {

__extension__ using Uint128 = unsigned __int128;

static_assert(std::endian::native == std::endian::little, "words are read as they lie in memory");

inline std::uint64_t Read64(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

}  // namespace nh_internal

/// What bytes NH takes at a time.
inline constexpr std::size_t kNhBlock = 48;

/// A factor and another one, whose product is added to an NH: a word more and its key.
struct NhTerm {
  std::uint64_t word = 0;
  std::uint64_t key = 0;
};

/// NH of Black, Halevi, Krawczyk, Krovetz and Rogaway ("UMAC: Fast and Secure Message
/// Authentication", CRYPTO 1999, section 4) on words of 64 bits: the sum, modulo 2^128, of
/// (m[2i] + k[2i] mod 2^64) * (m[2i+1] + k[2i+1] mod 2^64), and of `more`. Zeros fill up `bytes` to
/// a multiple of kNhBlock, so the length has to be told apart elsewhere, or by `more`.
///
/// Two different strings of one length have the same value for one random key in 2^64 at most
/// (theorem 4.2). `key` has a word for every 8 of the bytes that are filled up. The value itself
/// must be kept secret.
///
/// How long `bytes` is, nobody can predict: so the last block is read as a whole where memory up to
/// `readable_end` allows that, and what is behind its end is masked.
inline NhValue Nh(const std::uint64_t* key, std::string_view bytes, const char* readable_end,
                  NhTerm more = {}) {
  using nh_internal::Read64;
  using nh_internal::Uint128;
  constexpr std::size_t kWords = kNhBlock / 8;
  static constexpr auto kMasks = [] {
    std::array<char, 2 * kNhBlock> masks{};
    for (std::size_t i = 0; i < kNhBlock; ++i) masks[i] = '\xff';
    return masks;
  }();
  // Three sums, since each addition of 128 bits waits for the one before.
  std::array<Uint128, kWords / 2> sums{Uint128{more.word} * more.key};
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left > kNhBlock; left -= kNhBlock, at += kNhBlock, key += kWords) {
    for (std::size_t i = 0; i < kWords; i += 2) {
      sums[i / 2] += Uint128{Read64(at + 8 * i) + key[i]} * (Read64(at + 8 * i + 8) + key[i + 1]);
    }
  }
  std::array<char, kNhBlock> copy{};
  if (readable_end - at < static_cast<std::ptrdiff_t>(kNhBlock)) {
    if (left > 0) std::memcpy(copy.data(), at, left);
    at = copy.data();
  }
  const char* const mask = kMasks.data() + kNhBlock - left;
  for (std::size_t i = 0; i < kWords; i += 2) {
    const std::uint64_t first = Read64(at + 8 * i) & Read64(mask + 8 * i);
    const std::uint64_t second = Read64(at + 8 * i + 8) & Read64(mask + 8 * i + 8);
    sums[i / 2] += Uint128{first + key[i]} * (second + key[i + 1]);
  }
  const Uint128 sum = sums[0] + sums[1] + sums[2];
  return {static_cast<std::uint64_t>(sum), static_cast<std::uint64_t>(sum >> 64)};
}

}  // namespace crawlsieve

#pragma once

#include "plugin/fingerprint/aes.h"
#include "plugin/fingerprint/nh.h"
#include "plugin/fingerprint/siphash.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace crawlsieve {

/// A pseudo-random function of short strings to 64 bits: AES-128 of a universal hash (Wegman and
/// Carter, "New hash functions and their use in authentication and set equality", 1981), of which
/// the low half is kept.
///
/// A string of up to kPieceBytes is the block NH(bytes) + length * k, modulo 2^128. Two different
/// strings have the same block for one key in 2^63 at most: the length and the words are the words
/// of one NH where both fill up to the same number of kNhBlock (theorem 4.2 holds for any
/// difference of two values), and else the longer one has a product of its own, which takes one
/// value for at most 2^65 of 2^128 pairs of keys. A longer string is SipHash of the NH values of
/// its pieces and its length.
///
/// Who knows any number of hashes learns nothing of others. Thread-compatible; a copy hashes alike.
class KeyedHash {
 public:
  static constexpr std::size_t kPieceBytes = 5 * kNhBlock;

  /// What follows from `key` for `purpose` (DeriveBytes).
  KeyedHash(std::string_view key, std::string_view purpose);

  [[nodiscard]] std::uint64_t operator()(std::string_view bytes);

  /// The hash of each string; `hashes` has room for them. Bytes behind a string may be read up to
  /// `readable_end`, the end of the memory that all of them lie in.
  void HashAll(std::span<const std::string_view> strings, const char* readable_end,
               std::uint64_t* hashes);

 private:
  struct Keys {
    alignas(64) std::array<std::uint64_t, kPieceBytes / 8> nh;
    std::uint64_t length = 0;
    SipKey sip;
    Aes128::Key aes;
  };

  static Keys Derive(std::string_view key, std::string_view purpose);
  /// What is encrypted for a string of up to kPieceBytes.
  [[nodiscard]] NhValue BlockOf(std::string_view bytes, const char* readable_end) const;
  [[nodiscard]] std::uint64_t HashLong(std::string_view bytes) const;

  const Keys keys_;
  Aes128 aes_;
};

}  // namespace crawlsieve

#pragma once

#include "plugin/fingerprint/checksum.h"
#include "plugin/fingerprint/nh.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace crawlsieve {

/// A fast hash of long strings under a random key that is drawn anew for each object and never
/// shown: for tables in memory that take equal hashes for equal strings.
///
/// Two different strings, chosen by someone who doesn't know the key, have the same hash with a
/// probability of 2^-64 at most, but for a collision of SHA-256. For strings of different lengths
/// SHA-256 is given different lengths. Of two of the same length some piece differs, and its NH
/// values under the key are the same with a probability of 2^-64 (see Nh); else SHA-256 is given
/// different values. Where a table of 100,000 strings is asked for, an adversary has to send 10^14
/// strings for an even chance of one wrong answer.
///
/// Immutable after construction; thread-safe.
class RandomHash {
 public:
  RandomHash();

  /// Hash of `bytes` and, apart from these, of `label`, which should be short.
  [[nodiscard]] Checksum operator()(std::string_view bytes, std::string_view label) const;

 private:
  static constexpr std::size_t kPieceBytes = 48 * kNhBlock;

  std::array<std::uint64_t, kPieceBytes / 8> key_;
};

}  // namespace crawlsieve

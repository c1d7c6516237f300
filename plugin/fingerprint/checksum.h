#pragma once

#include "plugin/base/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace crawlsieve {

/// A 128-bit checksum, of whatever hash. Value type.
struct Checksum {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  friend auto operator<=>(const Checksum&, const Checksum&) = default;
};

/// 32 lower-case hexadecimal digits, as `xxhsum -H2` prints.
[[nodiscard]] std::string Hex(const Checksum& checksum);

/// 16 bytes, most significant first, and back. Errors: kCorruption unless there are 16.
[[nodiscard]] std::string ToBytes(const Checksum& checksum);
[[nodiscard]] Result<Checksum> ChecksumFromBytes(std::string_view bytes);

/// Checksum of a page as fetched: plain XXH3-128, seed 0, so that any tool can recompute it.
[[nodiscard]] Checksum RawChecksum(std::string_view bytes);

/// XXH3-128 under a secret made from a key: fast, but no more than a good hash for tables. Who sees
/// its values for texts of their choice can find the secret, so nothing may be taken to be the same
/// for having the same one (but by SchemeVersion::k1).
///
/// Immutable after construction; thread-safe.
class KeyedChecksum {
 public:
  explicit KeyedChecksum(std::string_view key);

  [[nodiscard]] Checksum operator()(std::string_view bytes) const;

 private:
  static constexpr std::size_t kSecretBytes = 192;
  alignas(64) std::array<std::byte, kSecretBytes> secret_;
};

}  // namespace crawlsieve

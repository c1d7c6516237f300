#pragma once

#include <cstdint>
#include <string_view>

namespace crawlsieve::schedule {

/// A hash of 64 bits for tables of one host: FNV-1a, and then a mixing step so that each bit of the
/// result depends on all bytes. Whoever makes up texts that collide spoils the tables of their own
/// host.
[[nodiscard]] constexpr std::uint64_t TextHash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccd;
  return hash ^ hash >> 33;
}

}  // namespace crawlsieve::schedule

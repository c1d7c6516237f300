#pragma once

#include <cstdint>
#include <string_view>

namespace crawlsieve {

/// 128 bits that must stay secret.
struct SipKey {
  std::uint64_t k0 = 0;
  std::uint64_t k1 = 0;
};

/// SipHash-2-4 with 64 bits of output (Aumasson and Bernstein, "SipHash: a fast short-input PRF",
/// INDOCRYPT 2012): who doesn't know the key can't tell its values from random ones.
[[nodiscard]] std::uint64_t SipHash(const SipKey& key, std::string_view bytes);

}  // namespace crawlsieve

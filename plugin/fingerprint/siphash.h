#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
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

/// Messages of 20 bytes, side by side: `low` and `high`, least significant byte first, then `size`.
struct SipMessages {
  static constexpr std::size_t kMost = 64;

  alignas(64) std::array<std::uint64_t, kMost> low;
  alignas(64) std::array<std::uint64_t, kMost> high;
  alignas(64) std::array<std::uint64_t, kMost> size;  ///< below 2^32
};

/// SipHash of one message of 20 bytes.
[[nodiscard]] std::uint64_t SipHash20(const SipKey& key, std::uint64_t low, std::uint64_t high,
                                      std::uint32_t size);

/// SipHash of the first `count` messages, at most kMost, several at a time where the processor can.
/// `hashes` has room for them.
void SipHashAll(const SipKey& key, const SipMessages& messages, std::size_t count,
                std::uint64_t* hashes);

/// One way to do SipHashAll, for tests. Its function may be called where `is_supported`.
struct SipKernel {
  const char* name;
  bool is_supported;
  decltype(&SipHashAll) hash_all;
};

/// All of them, the fastest first; the last one is supported everywhere.
[[nodiscard]] std::span<const SipKernel> SipKernels();

}  // namespace crawlsieve

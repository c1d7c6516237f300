#include "plugin/fingerprint/siphash.h"

#include "plugin/fingerprint/nh.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace crawlsieve {
namespace {

constexpr std::uint64_t kInit0 = 0x736f6d6570736575;
constexpr std::uint64_t kInit1 = 0x646f72616e646f6d;
constexpr std::uint64_t kInit2 = 0x6c7967656e657261;
constexpr std::uint64_t kInit3 = 0x7465646279746573;

/// SipHash's state, of one message (std::uint64_t) or of several (Lanes).
template <typename Word>
struct State {
  Word v0, v1, v2, v3;

  [[gnu::always_inline]] static void Rotate(Word& word, int bits) {
    word = word << bits | word >> (64 - bits);
  }

  [[gnu::always_inline]] void Round() {
    v0 += v1;
    v2 += v3;
    Rotate(v1, 13);
    Rotate(v3, 16);
    v1 ^= v0;
    v3 ^= v2;
    Rotate(v0, 32);
    v2 += v1;
    v0 += v3;
    Rotate(v1, 17);
    Rotate(v3, 21);
    v1 ^= v2;
    v3 ^= v0;
    Rotate(v2, 32);
  }

  [[gnu::always_inline]] void Compress(const Word& word) {
    v3 ^= word;
    Round();
    Round();
    v0 ^= word;
  }

  /// Leaves the hash in v0.
  [[gnu::always_inline]] void Finish() {
    v2 ^= 0xff;
    Round();
    Round();
    Round();
    Round();
    v0 ^= v1 ^ v2 ^ v3;
  }
};

State<std::uint64_t> Begin(const SipKey& key) {
  return {kInit0 ^ key.k0, kInit1 ^ key.k1, kInit2 ^ key.k0, kInit3 ^ key.k1};
}

/// The last word of a message of 20 bytes has four of them, and the length in its highest byte.
constexpr std::uint64_t kLength20 = std::uint64_t{20} << 56;

void HashOneByOne(const SipKey& key, const SipMessages& messages, std::size_t count,
                  std::uint64_t* hashes) {
  for (std::size_t i = 0; i < count; ++i) {
    hashes[i] = SipHash20(key, messages.low[i], messages.high[i],
                          static_cast<std::uint32_t>(messages.size[i]));
  }
}

#if defined(__x86_64__)

/// Eight messages side by side. The compiler makes of it what the target has.
using Lanes = std::uint64_t __attribute__((vector_size(64)));
constexpr std::size_t kLanes = 8;

[[gnu::always_inline]] inline void HashInLanes(const SipKey& key, const SipMessages& messages,
                                               std::size_t count, std::uint64_t* hashes) {
  const State<std::uint64_t> begin = Begin(key);
  Lanes low;
  Lanes high;
  Lanes last;
  for (std::size_t i = 0; i < count; i += kLanes) {
    std::memcpy(&low, &messages.low[i], sizeof(low));
    std::memcpy(&high, &messages.high[i], sizeof(high));
    std::memcpy(&last, &messages.size[i], sizeof(last));
    State<Lanes> state{Lanes{} + begin.v0, Lanes{} + begin.v1, Lanes{} + begin.v2,
                       Lanes{} + begin.v3};
    state.Compress(low);
    state.Compress(high);
    state.Compress(last | kLength20);
    state.Finish();
    std::memcpy(&hashes[i], &state.v0, std::min(kLanes, count - i) * sizeof(*hashes));
  }
}

[[gnu::target("avx512f")]] void HashAvx512(const SipKey& key, const SipMessages& messages,
                                           std::size_t count, std::uint64_t* hashes) {
  HashInLanes(key, messages, count, hashes);
}

[[gnu::target("avx2")]] void HashAvx2(const SipKey& key, const SipMessages& messages,
                                      std::size_t count, std::uint64_t* hashes) {
  HashInLanes(key, messages, count, hashes);
}

#endif

}  // namespace

std::uint64_t SipHash(const SipKey& key, std::string_view bytes) {
  State<std::uint64_t> state = Begin(key);
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) state.Compress(nh_internal::Read64(at));
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < left; ++i) {
    last |= std::uint64_t{static_cast<unsigned char>(at[i])} << 8 * i;
  }
  state.Compress(std::uint64_t{bytes.size()} << 56 | last);
  state.Finish();
  return state.v0;
}

std::uint64_t SipHash20(const SipKey& key, std::uint64_t low, std::uint64_t high,
                        std::uint32_t size) {
  State<std::uint64_t> state = Begin(key);
  state.Compress(low);
  state.Compress(high);
  state.Compress(kLength20 | size);
  state.Finish();
  return state.v0;
}

std::span<const SipKernel> SipKernels() {
#if defined(__x86_64__)
  static const std::array<SipKernel, 3> kernels{{
      {"avx512", __builtin_cpu_supports("avx512f") != 0, HashAvx512},
      {"avx2", __builtin_cpu_supports("avx2") != 0, HashAvx2},
      {"portable", true, HashOneByOne},
  }};
#else
  static const std::array<SipKernel, 1> kernels{{{"portable", true, HashOneByOne}}};
#endif
  return kernels;
}

void SipHashAll(const SipKey& key, const SipMessages& messages, std::size_t count,
                std::uint64_t* hashes) {
  static const SipKernel& best = *std::ranges::find_if(
      SipKernels(), [](const SipKernel& kernel) { return kernel.is_supported; });
  best.hash_all(key, messages, count, hashes);
}

}  // namespace crawlsieve

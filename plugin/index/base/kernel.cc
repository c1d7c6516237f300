#include "plugin/index/base/kernel.h"

#include <algorithm>
#include <array>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace crawlsieve {
namespace {

/// Number of ones in each 32-bit half. By arithmetic: without the popcnt instruction the compiler's
/// own popcount looks bytes up in a table, one at a time.
std::uint64_t PopcountHalves(std::uint64_t x) {
  x -= x >> 1 & 0x5555'5555'5555'5555;
  x = (x & 0x3333'3333'3333'3333) + (x >> 2 & 0x3333'3333'3333'3333);
  x = (x + (x >> 4)) & 0x0f0f'0f0f'0f0f'0f0f;
  x += x >> 8;
  x += x >> 16;
  return x & 0x0000'003f'0000'003f;
}

void MatchPortable(const Line* const* lines, const std::uint32_t* queries,
                   const std::uint32_t* max_distances, std::size_t count, std::uint16_t* masks) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::array<std::uint32_t, 16>& words = lines[i]->words;
    unsigned mask = 0;
    for (std::size_t word = 0; word < 16; word += 2) {
      const std::uint64_t differences = PopcountHalves(
          std::uint64_t{words[word + 1] ^ queries[i]} << 32 | (words[word] ^ queries[i]));
      mask |= unsigned{(differences & 0xff) <= max_distances[i]} << word;
      mask |= unsigned{differences >> 32 <= max_distances[i]} << (word + 1);
    }
    masks[i] = static_cast<std::uint16_t>(mask);
  }
}

#if defined(__x86_64__)

/// Popcount of each 32-bit lane: nibbles looked up in a register, then added up pairwise.
__attribute__((target("avx2"))) inline __m256i PopcountAvx2(__m256i x) {
  const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                         0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i nibbles = _mm256_set1_epi8(0x0f);
  const __m256i low = _mm256_shuffle_epi8(table, _mm256_and_si256(x, nibbles));
  const __m256i high =
      _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(x, 4), nibbles));
  const __m256i bytes = _mm256_add_epi8(low, high);
  const __m256i halves = _mm256_maddubs_epi16(bytes, _mm256_set1_epi8(1));
  return _mm256_madd_epi16(halves, _mm256_set1_epi16(1));
}

__attribute__((target("avx2"))) void MatchAvx2(const Line* const* lines,
                                               const std::uint32_t* queries,
                                               const std::uint32_t* max_distances,
                                               std::size_t count, std::uint16_t* masks) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto* words = reinterpret_cast<const __m256i*>(lines[i]->words.data());
    const __m256i query = _mm256_set1_epi32(static_cast<int>(queries[i]));
    const __m256i limit = _mm256_set1_epi32(static_cast<int>(max_distances[i]));
    const __m256i a = PopcountAvx2(_mm256_xor_si256(_mm256_load_si256(words), query));
    const __m256i b = PopcountAvx2(_mm256_xor_si256(_mm256_load_si256(words + 1), query));
    const int far_a = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(a, limit)));
    const int far_b = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(b, limit)));
    masks[i] = static_cast<std::uint16_t>(~(far_a | far_b << 8));
  }
}

__attribute__((target("avx512f,avx512vpopcntdq"))) void MatchAvx512(
    const Line* const* lines, const std::uint32_t* queries, const std::uint32_t* max_distances,
    std::size_t count, std::uint16_t* masks) {
  for (std::size_t i = 0; i < count; ++i) {
    const __m512i words = _mm512_load_si512(lines[i]->words.data());
    const __m512i query = _mm512_set1_epi32(static_cast<int>(queries[i]));
    const __m512i distances = _mm512_popcnt_epi32(_mm512_xor_si512(words, query));
    masks[i] =
        _mm512_cmple_epu32_mask(distances, _mm512_set1_epi32(static_cast<int>(max_distances[i])));
  }
}

#endif

}  // namespace

std::span<const NamedKernel> AllKernels() {
#if defined(__x86_64__)
  static const std::array<NamedKernel, 3> kernels{{
      {"avx512", __builtin_cpu_supports("avx512vpopcntdq") != 0, MatchAvx512},
      {"avx2", __builtin_cpu_supports("avx2") != 0, MatchAvx2},
      {"portable", true, MatchPortable},
  }};
#else
  static const std::array<NamedKernel, 1> kernels{{{"portable", true, MatchPortable}}};
#endif
  return kernels;
}

const NamedKernel& BestKernel() {
  static const NamedKernel& best = *std::ranges::find_if(
      AllKernels(), [](const NamedKernel& kernel) { return kernel.supported; });
  return best;
}

}  // namespace crawlsieve

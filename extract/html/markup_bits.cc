#include "extract/html/markup_bits.h"

#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace crawlsieve::extract {
namespace {

using Maps = MarkupBits::Maps;

constexpr std::size_t kBlock = 64;

/// Of each byte, bit m is set when it belongs to map m.
constexpr std::array<std::uint8_t, 256> kMapsOfByte = [] {
  std::array<std::uint8_t, 256> maps{};
  const auto add = [&maps](MarkupBits::MapIndex map, std::string_view bytes) {
    for (const char c : bytes) {
      std::uint8_t& of_byte = maps[static_cast<unsigned char>(c)];
      of_byte = static_cast<std::uint8_t>(of_byte | 1U << map);
    }
  };
  add(MarkupBits::kLessThan, "<");
  add(MarkupBits::kGreaterThan, ">");
  add(MarkupBits::kNameEnd, "\t\n\f\r />=");
  add(MarkupBits::kDoubleQuote, "\"");
  add(MarkupBits::kSingleQuote, "'");
  add(MarkupBits::kSpecial, std::string_view("&\0\r", 3));
  return maps;
}();

void ScanPortable(const char* blocks, std::size_t count, const Maps& maps) {
  for (std::size_t block = 0; block < count; ++block) {
    const char* const bytes = blocks + block * kBlock;
    std::array<std::uint64_t, MarkupBits::kMapCount> words{};
    for (std::size_t i = 0; i < kBlock; i += 8) {
      std::uint64_t eight = 0;  // of eight bytes the maps, the first byte's in the lowest bits
      for (std::size_t k = 0; k < 8; ++k) {
        const auto byte = static_cast<unsigned char>(bytes[i + k]);
        eight |= std::uint64_t{kMapsOfByte[byte]} << 8 * k;
      }
      for (std::size_t map = 0; map < words.size(); ++map) {
        // The product has the lowest bits of all eight bytes side by side in its highest byte.
        const std::uint64_t ones = eight >> map & 0x0101'0101'0101'0101;
        words[map] |= (ones * 0x0102'0408'1020'4080 >> 56) << i;
      }
    }
    for (std::size_t map = 0; map < words.size(); ++map) maps[map][block] = words[map];
  }
}

#if defined(__x86_64__)

/// Of each map the bits of 16 bytes.
struct Sse2Masks {
  std::array<std::uint64_t, MarkupBits::kMapCount> bits;
};

inline Sse2Masks MasksSse2(const char* bytes) {
  const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
  const auto is = [v](char c) { return _mm_cmpeq_epi8(v, _mm_set1_epi8(c)); };
  const auto bits = [](__m128i mask) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(mask)));
  };
  const __m128i greater_than = is('>');
  const __m128i carriage_return = is('\r');
  const __m128i lines = _mm_or_si128(_mm_or_si128(is('\n'), is('\f')), carriage_return);
  const __m128i blanks = _mm_or_si128(is(' '), is('\t'));
  const __m128i signs = _mm_or_si128(_mm_or_si128(is('/'), is('=')), greater_than);
  const __m128i special =
      _mm_or_si128(_mm_or_si128(is('&'), _mm_cmpeq_epi8(v, _mm_setzero_si128())), carriage_return);
  return {{bits(is('<')), bits(greater_than),
           bits(_mm_or_si128(_mm_or_si128(lines, blanks), signs)), bits(is('"')), bits(is('\'')),
           bits(special)}};
}

void ScanSse2(const char* blocks, std::size_t count, const Maps& maps) {
  for (std::size_t block = 0; block < count; ++block) {
    const char* const bytes = blocks + block * kBlock;
    const Sse2Masks a = MasksSse2(bytes);
    const Sse2Masks b = MasksSse2(bytes + 16);
    const Sse2Masks c = MasksSse2(bytes + 32);
    const Sse2Masks d = MasksSse2(bytes + 48);
    for (std::size_t map = 0; map < maps.size(); ++map) {
      maps[map][block] = a.bits[map] | b.bits[map] << 16 | c.bits[map] << 32 | d.bits[map] << 48;
    }
  }
}

// A byte belongs to a set when it is the one that the set has for its low four bits. Both sets have
// one at most for each, '=' aside, which shares its low bits with the carriage return. Where a set
// has none stands a byte with other low bits. Bytes from 0x80 look up 0, which they aren't.
#define CRAWLSIEVE_NAME_ENDS ' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, '\f', '\r', '>', '/'
#define CRAWLSIEVE_SPECIALS 0, 0, 0, 0, 0, 0, '&', 0, 0, 0, 0, 0, 0, '\r', 0, 0

__attribute__((target("avx2"))) inline std::uint64_t BitsAvx2(__m256i low, __m256i high) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
         std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(high))} << 32;
}

__attribute__((target("avx2"))) inline std::uint64_t EqualAvx2(__m256i a, __m256i b, char c) {
  const __m256i sought = _mm256_set1_epi8(c);
  return BitsAvx2(_mm256_cmpeq_epi8(a, sought), _mm256_cmpeq_epi8(b, sought));
}

__attribute__((target("avx2"))) void ScanAvx2(const char* blocks, std::size_t count,
                                              const Maps& maps) {
  const Maps to = maps;  // a copy that nothing written can change
  const __m256i name_ends = _mm256_setr_epi8(CRAWLSIEVE_NAME_ENDS, CRAWLSIEVE_NAME_ENDS);
  const __m256i specials = _mm256_setr_epi8(CRAWLSIEVE_SPECIALS, CRAWLSIEVE_SPECIALS);
  const __m256i equals = _mm256_set1_epi8('=');
  for (std::size_t block = 0; block < count; ++block) {
    const auto* const bytes = reinterpret_cast<const __m256i*>(blocks + block * kBlock);
    const __m256i a = _mm256_loadu_si256(bytes);
    const __m256i b = _mm256_loadu_si256(bytes + 1);
    to[MarkupBits::kLessThan][block] = EqualAvx2(a, b, '<');
    to[MarkupBits::kGreaterThan][block] = EqualAvx2(a, b, '>');
    to[MarkupBits::kDoubleQuote][block] = EqualAvx2(a, b, '"');
    to[MarkupBits::kSingleQuote][block] = EqualAvx2(a, b, '\'');
    to[MarkupBits::kNameEnd][block] =
        BitsAvx2(_mm256_or_si256(_mm256_cmpeq_epi8(a, _mm256_shuffle_epi8(name_ends, a)),
                                 _mm256_cmpeq_epi8(a, equals)),
                 _mm256_or_si256(_mm256_cmpeq_epi8(b, _mm256_shuffle_epi8(name_ends, b)),
                                 _mm256_cmpeq_epi8(b, equals)));
    to[MarkupBits::kSpecial][block] =
        BitsAvx2(_mm256_cmpeq_epi8(a, _mm256_shuffle_epi8(specials, a)),
                 _mm256_cmpeq_epi8(b, _mm256_shuffle_epi8(specials, b)));
  }
}

__attribute__((target("avx512f,avx512bw"))) inline __m512i BroadcastAvx512(__m128i x) {
  // Of the unmasked form g++ 12 warns (GCC bug 105593).
  return _mm512_maskz_broadcast_i32x4(0xFFFF, x);
}

__attribute__((target("avx512f,avx512bw"))) void ScanAvx512(const char* blocks, std::size_t count,
                                                            const Maps& maps) {
  const Maps to = maps;  // a copy that nothing written can change
  const __m512i name_ends = BroadcastAvx512(_mm_setr_epi8(CRAWLSIEVE_NAME_ENDS));
  const __m512i specials = BroadcastAvx512(_mm_setr_epi8(CRAWLSIEVE_SPECIALS));
  const __m512i less_than = _mm512_set1_epi8('<');
  const __m512i greater_than = _mm512_set1_epi8('>');
  const __m512i double_quote = _mm512_set1_epi8('"');
  const __m512i single_quote = _mm512_set1_epi8('\'');
  const __m512i equals = _mm512_set1_epi8('=');
  for (std::size_t block = 0; block < count; ++block) {
    const __m512i v = _mm512_loadu_si512(blocks + block * kBlock);
    to[MarkupBits::kLessThan][block] = _mm512_cmpeq_epi8_mask(v, less_than);
    to[MarkupBits::kGreaterThan][block] = _mm512_cmpeq_epi8_mask(v, greater_than);
    to[MarkupBits::kDoubleQuote][block] = _mm512_cmpeq_epi8_mask(v, double_quote);
    to[MarkupBits::kSingleQuote][block] = _mm512_cmpeq_epi8_mask(v, single_quote);
    to[MarkupBits::kNameEnd][block] = _mm512_cmpeq_epi8_mask(v, _mm512_shuffle_epi8(name_ends, v)) |
                                      _mm512_cmpeq_epi8_mask(v, equals);
    to[MarkupBits::kSpecial][block] = _mm512_cmpeq_epi8_mask(v, _mm512_shuffle_epi8(specials, v));
  }
}

#undef CRAWLSIEVE_NAME_ENDS
#undef CRAWLSIEVE_SPECIALS

#endif

}  // namespace

std::span<const HtmlKernel> SupportedHtmlKernels() {
  static const std::vector<HtmlKernel> kernels = [] {
    std::vector<HtmlKernel> supported;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0) {
      supported.push_back(HtmlKernel::kAvx512);
    }
    if (__builtin_cpu_supports("avx2") != 0) supported.push_back(HtmlKernel::kAvx2);
    supported.push_back(HtmlKernel::kSse2);
#endif
    supported.push_back(HtmlKernel::kPortable);
    return supported;
  }();
  return kernels;
}

HtmlKernel BestHtmlKernel() { return SupportedHtmlKernels().front(); }

std::string_view HtmlKernelName(HtmlKernel kernel) {
  switch (kernel) {
    case HtmlKernel::kPortable:
      return "portable";
    case HtmlKernel::kSse2:
      return "sse2";
    case HtmlKernel::kAvx2:
      return "avx2";
    case HtmlKernel::kAvx512:
      return "avx512";
  }
  return {};
}

MarkupBits::Kernel MarkupBits::KernelOf(HtmlKernel kernel) {
  switch (kernel) {
#if defined(__x86_64__)
    case HtmlKernel::kAvx512:
      return ScanAvx512;
    case HtmlKernel::kAvx2:
      return ScanAvx2;
    case HtmlKernel::kSse2:
      return ScanSse2;
#endif
    default:
      return ScanPortable;
  }
}

MarkupBits::MarkupBits(HtmlKernel kernel) : kernel_(KernelOf(kernel)) {}

void MarkupBits::Scan(std::string_view html) {
  const std::size_t whole = html.size() / kBlock;
  size_ = html.size();
  if (whole + 1 > stride_) {
    // An odd number of cache lines: the same word of all maps doesn't fall into one cache set.
    const std::size_t stride = (whole + 1 + 7) / 8 * 8 | 8;
    words_.clear();  // so that growing copies nothing
    stride_ = 0;
    words_.resize(kMapCount * stride);
    stride_ = stride;
  }
  Maps maps{};
  for (std::size_t map = 0; map < kMapCount; ++map) maps[map] = words_.data() + map * stride_;
  kernel_(html.data(), whole, maps);

  const std::size_t rest = html.size() % kBlock;
  std::array<char, kBlock> last{};
  if (rest != 0) std::memcpy(last.data(), html.data() + whole * kBlock, rest);
  for (std::uint64_t*& map : maps) map += whole;
  kernel_(last.data(), 1, maps);
  const std::uint64_t behind = std::uint64_t{1} << rest;
  for (std::uint64_t* const map : maps) *map = (*map & (behind - 1)) | behind;
}

}  // namespace crawlsieve::extract

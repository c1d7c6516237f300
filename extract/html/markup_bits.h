#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace crawlsieve::extract {

/// Instruction sets that find markup. All find the same.
enum class HtmlKernel {
  kPortable,  ///< words of 64 bits, on any processor
  kSse2,      ///< every x86-64 processor
  kAvx2,
  kAvx512,  ///< AVX-512 F and BW
};

/// Those that this build has and this processor supports, fastest first; kPortable is the last one.
[[nodiscard]] std::span<const HtmlKernel> SupportedHtmlKernels();

/// The fastest one that this processor supports.
[[nodiscard]] HtmlKernel BestHtmlKernel();

/// `portable`, `sse2`, `avx2` or `avx512`.
[[nodiscard]] std::string_view HtmlKernelName(HtmlKernel kernel);

/// Where in a page the bytes are that a tokenizer stops at: a bitmap for each kind of byte, in
/// which bit i % 64 of word i / 64 stands for byte i of the page. Behind the last byte each map has
/// one more bit, which is set, and zeros to the end of its last word.
///
/// Control characters, C1 and noncharacters are no stops: the standard reports them as errors and
/// takes them as they are, all but NUL and carriage return.
///
/// Thread-compatible. Memory stays between pages: 3/4 of the largest page's size.
class MarkupBits {
 public:
  /// `kernel` is one of SupportedHtmlKernels.
  explicit MarkupBits(HtmlKernel kernel = BestHtmlKernel());

  /// Fills the maps for `html`. Views of an earlier page's maps end here.
  void Scan(std::string_view html);

  /// Memory of the page's maps; the same with each kernel.
  [[nodiscard]] std::size_t bytes() const {
    return (size_ / 64 + 1) * kMapCount * sizeof(std::uint64_t);
  }

  /// Each has html.size() / 64 + 1 words.
  [[nodiscard]] const std::uint64_t* less_than() const { return Map(kLessThan); }
  [[nodiscard]] const std::uint64_t* greater_than() const { return Map(kGreaterThan); }
  /// What ends the name of a tag or of an attribute: white space, '/', '>' and '='.
  [[nodiscard]] const std::uint64_t* name_end() const { return Map(kNameEnd); }
  [[nodiscard]] const std::uint64_t* double_quote() const { return Map(kDoubleQuote); }
  [[nodiscard]] const std::uint64_t* single_quote() const { return Map(kSingleQuote); }
  /// What text and values of attributes can't be copied over: '&', NUL and carriage return.
  [[nodiscard]] const std::uint64_t* special() const { return Map(kSpecial); }

  /// The first bit of `map` that is set in [from, end); `end` if there is none. `from` <= `end` <=
  /// html.size(). Reads no word behind the one in which it finds a bit.
  [[nodiscard]] static std::size_t Next(const std::uint64_t* map, std::size_t from,
                                        std::size_t end) {
    if (from >= end) return end;
    std::size_t at = from / 64;
    std::uint64_t word = map[at] & ~std::uint64_t{0} << from % 64;
    const std::size_t last = (end - 1) / 64;
    while (word == 0) {
      if (at == last) return end;
      word = map[++at];
    }
    return std::min(at * 64 + static_cast<std::size_t>(std::countr_zero(word)), end);
  }

  /// The place of each map among those a kernel fills.
  enum MapIndex : std::size_t {
    kLessThan,
    kGreaterThan,
    kNameEnd,
    kDoubleQuote,
    kSingleQuote,
    kSpecial,
    kMapCount,
  };
  using Maps = std::array<std::uint64_t*, kMapCount>;

 private:
  /// Fills one word of each map for each of `count` blocks of 64 bytes.
  using Kernel = void (*)(const char* blocks, std::size_t count, const Maps& maps);

  static Kernel KernelOf(HtmlKernel kernel);
  [[nodiscard]] const std::uint64_t* Map(MapIndex map) const {
    return words_.data() + map * stride_;
  }

  Kernel kernel_;
  std::vector<std::uint64_t> words_;  ///< of all maps, one map behind the other
  std::size_t stride_ = 0;            ///< words from one map to the next
  std::size_t size_ = 0;              ///< of the page
};

}  // namespace crawlsieve::extract

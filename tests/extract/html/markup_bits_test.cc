#include "extract/html/markup_bits.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::extract {
namespace {

struct NamedMap {
  const char* name;
  const std::uint64_t* (MarkupBits::*words)() const;
  std::string_view bytes;  ///< that belong to it
};

constexpr std::string_view kSpecialBytes("&\0\r", 3);
constexpr NamedMap kMaps[] = {
    {"less_than", &MarkupBits::less_than, "<"},
    {"greater_than", &MarkupBits::greater_than, ">"},
    {"name_end", &MarkupBits::name_end, "\t\n\f\r />="},
    {"double_quote", &MarkupBits::double_quote, "\""},
    {"single_quote", &MarkupBits::single_quote, "'"},
    {"special", &MarkupBits::special, kSpecialBytes},
};

/// What a map has to be, found byte by byte.
std::vector<std::uint64_t> Expected(std::string_view html, std::string_view bytes) {
  std::vector<std::uint64_t> words(html.size() / 64 + 1);
  for (std::size_t i = 0; i < html.size(); ++i) {
    if (bytes.find(html[i]) != std::string_view::npos) words[i / 64] |= std::uint64_t{1} << i % 64;
  }
  words[html.size() / 64] |= std::uint64_t{1} << html.size() % 64;
  return words;
}

void ExpectMaps(MarkupBits& bits, std::string_view html) {
  bits.Scan(html);
  for (const NamedMap& map : kMaps) {
    const std::vector<std::uint64_t> expected = Expected(html, map.bytes);
    const std::uint64_t* const words = (bits.*map.words)();
    ASSERT_EQ(std::vector<std::uint64_t>(words, words + expected.size()), expected)
        << map.name << " of " << html.size() << " bytes";
  }
}

/// Every byte alike, markup with text between, and nothing but markup.
std::string RandomBytes(std::mt19937_64& random, std::size_t size) {
  constexpr std::string_view kMarkup("<>\"'=/ \t\n\f\r&\0\v-!\x80\xBC\xA6", 19);
  const std::uint64_t kind = random() % 3;
  std::string bytes(size, '\0');
  for (char& c : bytes) {
    const std::uint64_t draw = random();
    const bool markup = kind == 2 || (kind == 1 && draw % 4 == 0);
    c = markup ? kMarkup[(draw >> 8) % kMarkup.size()] : static_cast<char>(draw >> 8);
  }
  return bytes;
}

class MarkupBitsKernel : public ::testing::TestWithParam<HtmlKernel> {};

INSTANTIATE_TEST_SUITE_P(Supported, MarkupBitsKernel, ::testing::ValuesIn(SupportedHtmlKernels()),
                         [](const auto& kernel) {
                           return std::string(HtmlKernelName(kernel.param));
                         });

TEST_P(MarkupBitsKernel, FindsEveryByteInEveryPlace) {
  MarkupBits bits(GetParam());
  for (int byte = 0; byte < 256; ++byte) {
    for (std::size_t place = 0; place < 130; ++place) {
      std::string html(130, 'x');
      html[place] = static_cast<char>(byte);
      ASSERT_NO_FATAL_FAILURE(ExpectMaps(bits, html)) << byte << " at " << place;
    }
    ASSERT_NO_FATAL_FAILURE(ExpectMaps(bits, std::string(200, static_cast<char>(byte)))) << byte;
  }
}

TEST_P(MarkupBitsKernel, FindsTheSameAsByteByByteForEveryLengthAndAlignment) {
  std::mt19937_64 random(20260101);
  MarkupBits bits(GetParam());
  for (std::size_t size = 0; size <= 200; ++size) {
    for (std::size_t offset = 0; offset < 64; ++offset) {
      // Of its own size, so that AddressSanitizer sees a byte read on either side.
      const std::string bytes = RandomBytes(random, size);
      const auto buffer = std::make_unique<char[]>(offset + size);
      if (size != 0) std::memcpy(buffer.get() + offset, bytes.data(), size);
      ASSERT_NO_FATAL_FAILURE(ExpectMaps(bits, {buffer.get() + offset, size}));
    }
  }
}

TEST_P(MarkupBitsKernel, FindsTheSameAsByteByByteInLargePages) {
  std::mt19937_64 random(7);
  MarkupBits bits(GetParam());
  // Up and down again: of a larger page nothing may be left.
  for (const std::size_t size : {70'000, 1 << 20, 65'536, 65'535, 1, 0, 640, 70'001}) {
    ASSERT_NO_FATAL_FAILURE(ExpectMaps(bits, RandomBytes(random, size)));
  }
}

TEST_P(MarkupBitsKernel, KeepsItsMemoryBetweenPages) {
  MarkupBits bits(GetParam());
  bits.Scan(std::string(100'000, '<'));
  const std::uint64_t* const before = bits.special();
  bits.Scan(std::string(100'000, '&'));
  EXPECT_EQ(bits.special(), before);
  bits.Scan("&");
  EXPECT_EQ(bits.special(), before);
}

TEST(MarkupBits, NextIsTheFirstBitFromThereOn) {
  MarkupBits bits;
  std::mt19937_64 random(3);
  std::string html(300, 'x');
  for (char& c : html) {
    if (random() % 40 == 0) c = '<';
  }
  bits.Scan(html);
  for (std::size_t from = 0; from <= html.size(); ++from) {
    for (std::size_t end = from; end <= html.size(); ++end) {
      const std::size_t found = std::string_view(html).substr(0, end).find('<', from);
      ASSERT_EQ(MarkupBits::Next(bits.less_than(), from, end),
                found == std::string_view::npos ? end : found)
          << from << " to " << end;
    }
  }
}

TEST(MarkupBits, NextReadsNothingBehindItsEnd) {
  // Words of their own, so that AddressSanitizer sees one read too many.
  const auto words = std::make_unique<std::uint64_t[]>(2);
  EXPECT_EQ(MarkupBits::Next(words.get(), 0, 128), 128U);
  EXPECT_EQ(MarkupBits::Next(words.get(), 127, 128), 128U);
  EXPECT_EQ(MarkupBits::Next(words.get(), 128, 128), 128U);
  EXPECT_EQ(MarkupBits::Next(words.get(), 64, 65), 65U);
  words[1] = 4;
  EXPECT_EQ(MarkupBits::Next(words.get(), 3, 66), 66U);
  EXPECT_EQ(MarkupBits::Next(words.get(), 3, 67), 66U);
}

TEST(MarkupBits, AnEmptyPageHasOnlyTheBitBehindItsEnd) {
  MarkupBits bits;
  bits.Scan({});
  EXPECT_EQ(*bits.less_than(), 1U);
  EXPECT_EQ(*bits.special(), 1U);
  EXPECT_EQ(MarkupBits::Next(bits.less_than(), 0, 0), 0U);
}

TEST(SupportedHtmlKernels, RunOnEveryProcessorAndHaveNames) {
  EXPECT_EQ(SupportedHtmlKernels().back(), HtmlKernel::kPortable);
  EXPECT_EQ(SupportedHtmlKernels().front(), BestHtmlKernel());
#if defined(__x86_64__)
  EXPECT_THAT(SupportedHtmlKernels(), ::testing::Contains(HtmlKernel::kSse2));
#endif
  for (const HtmlKernel kernel : SupportedHtmlKernels())
    EXPECT_FALSE(HtmlKernelName(kernel).empty());
}

}  // namespace
}  // namespace crawlsieve::extract

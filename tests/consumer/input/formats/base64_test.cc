#include "consumer/input/formats/base64.h"

#include "tests/support/compress.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

TEST(Base64, DecodesTheExamplesOfTheStandard) {
  EXPECT_EQ(DecodeBase64(""), "");
  EXPECT_EQ(DecodeBase64("Zg=="), "f");
  EXPECT_EQ(DecodeBase64("Zm8="), "fo");
  EXPECT_EQ(DecodeBase64("Zm9v"), "foo");
  EXPECT_EQ(DecodeBase64("Zm9vYmFy"), "foobar");
}

TEST(Base64, TakesUrlAlphabetLineBreaksAndMissingPadding) {
  EXPECT_EQ(DecodeBase64("+/+/"), DecodeBase64("-_-_"));
  EXPECT_EQ(DecodeBase64("Zm9v\r\nYmFy\n"), "foobar");
  EXPECT_EQ(DecodeBase64("Zm8"), "fo");
}

TEST(Base64, RefusesWhatIsNotBase64) {
  for (const char* text :
       {"Z", "Zm9vY", "Zm9v!", "Zg==Zg==", "Zg=", "Zg===", "=", "Zm 9v", "Zm9v="}) {
    EXPECT_EQ(DecodeBase64(text), std::nullopt) << text;
  }
}

TEST(Base64, ReadsBackEveryLength) {
  for (std::size_t size = 0; size < 100; ++size) {
    const std::string bytes = testing::Noise(size, size);
    EXPECT_EQ(DecodeBase64(testing::Base64(bytes)), bytes) << size;
  }
}

/// The rules, one byte after the other.
std::optional<std::string> DecodedByteByByte(std::string_view text) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<bool> bits;
  std::size_t digits = 0;
  std::size_t padding = 0;
  for (const char c : text) {
    const char digit = c == '-' ? '+' : c == '_' ? '/' : c;
    const std::size_t value = kAlphabet.find(digit);
    if (c == '=') {
      ++padding;
    } else if (value != std::string_view::npos) {
      if (padding > 0) return std::nullopt;
      ++digits;
      for (int bit = 5; bit >= 0; --bit) bits.push_back((value >> bit & 1) != 0);
    } else if (c != '\r' && c != '\n') {
      return std::nullopt;
    }
  }
  if (digits % 4 == 1 || padding > 2) return std::nullopt;
  if (padding > 0 && (digits + padding) % 4 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i + 8 <= bits.size(); i += 8) {
    unsigned byte = 0;
    for (std::size_t k = 0; k < 8; ++k) byte = byte << 1 | (bits[i + k] ? 1U : 0U);
    bytes.push_back(static_cast<char>(byte));
  }
  return bytes;
}

TEST(Base64, DecodesTheSameAsByteByByte) {
  std::mt19937_64 random(17);
  for (int round = 0; round < 50'000; ++round) {
    std::string text = testing::Base64(testing::Noise(random() % 60, random()));
    // Line breaks anywhere; in every fourth text other bytes too, which are mostly wrong.
    for (std::uint64_t changes = random() % 4; changes > 0; --changes) {
      constexpr std::string_view kBytes = "\r\n\n\n=A_-! \x80";
      const bool any = round % 4 == 0;
      text.insert(random() % (text.size() + 1), 1, kBytes[random() % (any ? kBytes.size() : 4)]);
    }
    ASSERT_EQ(DecodeBase64(text), DecodedByteByByte(text)) << text;
  }
}

}  // namespace
}  // namespace crawlsieve::consumer

#include "extract/text/collapsed_text.h"

#include "extract/text/ascii.h"

#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve::extract {
namespace {

/// The same, one byte after the other.
std::string CollapsedByteByByte(const std::vector<std::string>& pieces) {
  std::string out;
  bool space_pending = false;
  for (const std::string& piece : pieces) {
    for (const char c : piece) {
      if (IsAsciiSpace(c)) {
        space_pending = true;
        continue;
      }
      if (space_pending && !out.empty()) out.push_back(' ');
      space_pending = false;
      out.push_back(c);
    }
  }
  return out;
}

std::string Collapsed(const std::vector<std::string>& pieces) {
  CollapsedText text;
  for (const std::string& piece : pieces) {
    // Of its own size, so that AddressSanitizer sees a byte read behind it.
    const std::vector<char> bytes(piece.begin(), piece.end());
    text.Append({bytes.data(), bytes.size()});
  }
  return std::string(text.view());
}

TEST(CollapsedText, HasOneSpaceForEachRunOfWhiteSpaceAndNoneAtTheEnds) {
  EXPECT_EQ(Collapsed({" \n a \t\r\n\f b  "}), "a b");
  EXPECT_EQ(Collapsed({"foo", "bar", " ", "baz"}), "foobar baz");
  EXPECT_EQ(Collapsed({"a ", " ", " b"}), "a b");
  EXPECT_EQ(Collapsed({"", "  ", ""}), "");
  EXPECT_EQ(Collapsed({"a\vb\u00A0c"}), "a\vb\u00A0c");
}

TEST(CollapsedText, PutsASpaceWhereItIsToldTo) {
  CollapsedText text;
  text.AppendSpace();
  text.Append("a");
  text.AppendSpace();
  EXPECT_EQ(text.view(), "a");
  text.Append("b");
  EXPECT_EQ(text.view(), "a b");
  text.AppendSpace();
  text.Clear();
  text.Append("c");
  EXPECT_EQ(text.view(), "c");
}

TEST(CollapsedText, IsTheSameAsByteByByteForEveryPatternOfSpaces) {
  for (unsigned pattern = 0; pattern < 1U << 18; ++pattern) {
    std::string text;
    for (unsigned i = 0; i < 18; ++i) {
      const char space = i % 3 == 1 ? '\n' : ' ';
      text += (pattern >> i & 1) != 0 ? space : static_cast<char>('a' + i);
    }
    ASSERT_EQ(Collapsed({text}), CollapsedByteByByte({text})) << pattern;
  }
}

TEST(CollapsedText, IsTheSameAsByteByByteForRandomPieces) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 20'000; ++round) {
    std::vector<std::string> pieces(random() % 6);
    const std::uint64_t spaces = 1 + random() % 12;
    for (std::string& piece : pieces) {
      piece.resize(random() % 70);
      for (char& c : piece) {
        const std::uint64_t draw = random();
        constexpr std::string_view kSpaces = "  \n\t\r\f ";
        c = draw % spaces == 0 ? kSpaces[(draw >> 8) % kSpaces.size()]
                               : static_cast<char>(draw >> 16);
      }
    }
    ASSERT_EQ(Collapsed(pieces), CollapsedByteByByte(pieces)) << round;
  }
}

}  // namespace
}  // namespace crawlsieve::extract

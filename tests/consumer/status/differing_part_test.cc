#include "consumer/status/differing_part.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

std::string Joined(const SplitText& text) {
  return std::string(text.before) + "[" + std::string(text.differing) + "]" +
         std::string(text.after);
}

TEST(SplitWhereDifferent, FindsWhatIsDifferentInTheMiddle) {
  const SplitPair pair = SplitWhereDifferent("http://a.example/1/page", "http://a.example/22/page");
  EXPECT_EQ(Joined(pair.left), "http://a.example/[1]/page");
  EXPECT_EQ(Joined(pair.right), "http://a.example/[22]/page");
}

TEST(SplitWhereDifferent, FindsWhatOnlyOneHas) {
  const SplitPair pair = SplitWhereDifferent("aaa", "aaaa");
  EXPECT_EQ(Joined(pair.left), "aaa[]");
  EXPECT_EQ(Joined(pair.right), "aaa[a]");
}

TEST(SplitWhereDifferent, FindsNothingInEqualTexts) {
  EXPECT_EQ(Joined(SplitWhereDifferent("ab", "ab").left), "ab[]");
  EXPECT_EQ(Joined(SplitWhereDifferent("", "").left), "[]");
  EXPECT_EQ(Joined(SplitWhereDifferent("", "ab").right), "[ab]");
}

TEST(SplitWhereDifferent, CutsNoCharacter) {
  const SplitPair pair = SplitWhereDifferent("xäy", "xöy");  // C3 A4 and C3 B6
  EXPECT_EQ(Joined(pair.left), "x[ä]y");
  EXPECT_EQ(Joined(pair.right), "x[ö]y");
  const SplitPair end = SplitWhereDifferent("äy", "Ĥy");  // C3 A4 and C4 A4
  EXPECT_EQ(Joined(end.left), "[ä]y");
  EXPECT_EQ(Joined(end.right), "[Ĥ]y");
}

TEST(SplitWhereDifferent, KeepsAllBytesOfAnyTexts) {
  constexpr unsigned kSeed = 7;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  const auto text = [&] {
    std::string bytes(random() % 8, ' ');
    for (char& byte : bytes) byte = "ab\x80\xBF\xC3\xFF"[random() % 6];
    return bytes;
  };
  for (int i = 0; i < 20'000; ++i) {
    const std::string left = text();
    const std::string right = text();
    const SplitPair pair = SplitWhereDifferent(left, right);
    const auto whole = [](const SplitText& split) {
      return std::string(split.before) + std::string(split.differing) + std::string(split.after);
    };
    ASSERT_EQ(whole(pair.left), left);
    ASSERT_EQ(whole(pair.right), right);
    ASSERT_EQ(pair.left.before, pair.right.before);
    ASSERT_EQ(pair.left.after, pair.right.after);
  }
}

}  // namespace
}  // namespace crawlsieve::consumer

#include "extract/text/unicode_data.h"

#include "extract/url/url.h"

#include <string>

#include <gtest/gtest.h>
#include <unicode/uchar.h>

namespace crawlsieve::extract {
namespace {

TEST(UnicodeData, KnowsTheCharactersOfUnicode15) {
  int assigned = 0;
  for (UChar32 c = 0; c <= 0x10FFFF; ++c) {
    if (!IsAssigned(c)) continue;
    ++assigned;
    ASSERT_EQ(KnownCharacter(c), c);
  }
  // Characters of scripts, controls, private use, surrogates, noncharacters.
  EXPECT_EQ(assigned, 149'186 + 65 + 137'468 + 2'048 + 66);
}

TEST(UnicodeData, TakesLaterCharactersForReplacementCharacters) {
  for (const UChar32 c : {0x1C89, 0xA7CB, 0x2FFC, 0x1E5D0, 0x20C1}) {
    EXPECT_EQ(KnownCharacter(c), 0xFFFD) << c;
    EXPECT_FALSE(IsLetterOrDigit(c)) << c;
    EXPECT_FALSE(IsAlphabetic(c)) << c;
    EXPECT_EQ(FoldCase(c), c);
    EXPECT_EQ(WordBreakProperty(c), U_WB_OTHER) << c;
  }
}

TEST(UnicodeData, LeavesIgnorableOnesIgnorable) {
  for (const UChar32 c : {0x2065, 0xFFF0, 0xE0FFF}) EXPECT_EQ(KnownCharacter(c), c);
}

TEST(UnicodeData, ShowsWordBreaksCharactersOfTheClassThatTheyHad) {
  std::u16string buffer;
  EXPECT_EQ(ForWordBreaks(u"plain text", buffer), u"plain text");
  EXPECT_EQ(ForWordBreaks(u"a@b:c", buffer), u"aab|c");
  EXPECT_EQ(ForWordBreaks(u"\u06DD", buffer), u"\u00AD");
  const std::u16string kaithi = u"x\U000110BDy";
  EXPECT_EQ(ForWordBreaks(kaithi, buffer), u"x\U000E0001y");
  EXPECT_EQ(ForWordBreaks(kaithi, buffer).size(), kaithi.size());
}

TEST(UnicodeData, DomainNamesAreThoseOfUnicode15) {
  EXPECT_EQ(CanonicalizeUrl("http://FA\u1E9E.example/").host, "fass.example");
  EXPECT_EQ(CanonicalizeUrl("http://b\u10A0.example/").host, "");
  EXPECT_EQ(CanonicalizeUrl("http://b\u1C89.example/").host, "");
  EXPECT_EQ(CanonicalizeUrl("http://b\u00FC.example/").host, "xn--b-eha.example");
  // U+1C8A, a letter since Unicode 16.0, in punycode.
  EXPECT_EQ(CanonicalizeUrl("http://xn--b-hzl.example/").host, "");
}

}  // namespace
}  // namespace crawlsieve::extract

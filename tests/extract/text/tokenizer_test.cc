#include "extract/text/tokenizer.h"

#include "extract/text/utf8.h"

#include <array>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unicode/brkiter.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>

namespace crawlsieve::extract {
namespace {

constexpr Tokenizer::Options kOptions{.max_tokens = 1 << 20, .max_token_bytes = 256};

std::string Tokens(std::string_view text, const Tokenizer::Options& options = kOptions) {
  TokenList tokens;
  EXPECT_TRUE(Tokenizer(options).Append(text, tokens));
  return tokens.text;
}

/// What ICU makes of the whole text, without any short ways.
std::string Oracle(std::string_view text) {
  UErrorCode error = U_ZERO_ERROR;
  const icu::Normalizer2* normalizer = icu::Normalizer2::getNFKCCasefoldInstance(error);
  const icu::UnicodeString normalized = normalizer->normalize(
      icu::UnicodeString::fromUTF8({text.data(), static_cast<std::int32_t>(text.size())}), error);
  const std::unique_ptr<icu::BreakIterator> words(
      icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), error));
  words->setText(normalized);
  std::string tokens;
  for (std::int32_t begin = words->first(), end = words->next(); end != icu::BreakIterator::DONE;
       begin = end, end = words->next()) {
    const icu::UnicodeString word = normalized.tempSubStringBetween(begin, end);
    bool keep = false;
    for (std::int32_t i = 0; i < word.length(); i = word.moveIndex32(i, 1)) {
      keep = keep || u_isalnum(word.char32At(i)) != 0;
    }
    if (!keep) continue;
    if (!tokens.empty()) tokens += ' ';
    word.toUTF8String(tokens);
  }
  EXPECT_TRUE(U_SUCCESS(error)) << u_errorName(error);
  return tokens;
}

TEST(Tokenizer, FoldsCaseAndDropsPunctuation) {
  EXPECT_EQ(Tokens("Hello, World! (2026) -- \"it's\" 3.14"), "hello world 2026 it's 3.14");
  EXPECT_EQ(Tokens("ÄRGER Straße ΣΊΣΥΦΟΣ İ"), "ärger strasse σίσυφοσ i̇");
}

TEST(Tokenizer, NormalisesCompatibleForms) {
  EXPECT_EQ(Tokens("ｆｕｌｌ ｗｉｄｔｈ １２３ ﬁne ①"), "full width 123 fine 1");
  EXPECT_EQ(Tokens("A\u030Angstro\u0308m"), Tokens("Ångström"));
  EXPECT_EQ(Tokens("soft\u00ADhyphen zero\u200Bwidth"), "softhyphen zerowidth");
}

TEST(Tokenizer, KeepsTokensWithALetterOrDigit) {
  EXPECT_EQ(Tokens("_ __ _a_ @ . ... ' - — 😀 € x_1 ²"), "_a_ x_1 2");
}

TEST(Tokenizer, FindsWordsWhereNoSpacesAre) {
  EXPECT_EQ(Tokens("私は東京に住んでいます"), "私 は 東京 に 住 んで い ます");
  EXPECT_EQ(Tokens("ภาษาไทย"), "ภาษา ไทย");
}

TEST(Tokenizer, FindsNothingInNothing) {
  EXPECT_EQ(Tokens(""), "");
  EXPECT_EQ(Tokens(" \t\n ... \u00A0 "), "");
}

TEST(Tokenizer, CutsLongTokensAtACodePoint) {
  const Tokenizer::Options options{.max_tokens = 10, .max_token_bytes = 5};
  EXPECT_EQ(Tokens("abcdefgh ab", options), "abcde ab");
  EXPECT_EQ(Tokens("ääää", options), "ää");
  EXPECT_EQ(Tokens("a𝔸𐐨𐐨", {.max_tokens = 10, .max_token_bytes = 8}), "aa𐐨");
}

TEST(Tokenizer, StopsAtTheMostTokens) {
  Tokenizer tokenizer({.max_tokens = 3, .max_token_bytes = 256});
  TokenList tokens;
  EXPECT_TRUE(tokenizer.Append("a b c", tokens));
  EXPECT_FALSE(tokenizer.Append("d", tokens));
  EXPECT_FALSE(tokenizer.Append("ä", tokens));
  EXPECT_EQ(tokens.text, "a b c");
}

TEST(Tokenizer, AppendsToWhatIsThere) {
  Tokenizer tokenizer(kOptions);
  TokenList tokens;
  EXPECT_TRUE(tokenizer.Append("The title", tokens));
  EXPECT_TRUE(tokenizer.Append("größer ist", tokens));
  EXPECT_EQ(tokens.text, "the title grösser ist");
  ASSERT_EQ(tokens.size(), 4U);
  EXPECT_EQ(tokens.Span(0, 1), "the");
  EXPECT_EQ(tokens.Span(1, 2), "title grösser");
  EXPECT_EQ(tokens.Span(3, 1), "ist");
}

TEST(Tokenizer, TakesThirtyMarksInARow) {
  std::string marks;
  for (int i = 0; i < 40; ++i) marks += "\u0301";
  EXPECT_EQ(Tokens("x" + marks).size(), 1 + 30 * 2U);
}

TEST(Tokenizer, CutsTextWithoutWhiteSpaceIntoPieces) {
  std::string text;
  while (text.size() <= 3 * Tokenizer::kMaxPiece) text += "ä";
  const std::string tokens = Tokens(text, {.max_tokens = 100, .max_token_bytes = 4});
  EXPECT_EQ(tokens, "ää ää ää ä");
}

/// All strings of up to four characters out of an alphabet with each class of ASCII in it.
TEST(Tokenizer, TakesAsciiApartAsIcuDoes) {
  const std::string alphabet = "aB1_.',;:@-\" /\x01";
  for (unsigned length = 1; length <= 4; ++length) {
    std::vector<std::size_t> digits(length, 0);
    for (bool more = true; more;) {
      std::string text;
      for (const std::size_t digit : digits) text += alphabet[digit];
      ASSERT_EQ(Tokens(text), Oracle(text)) << ::testing::PrintToString(text);
      more = false;
      for (std::size_t& digit : digits) {
        if (++digit < alphabet.size()) {
          more = true;
          break;
        }
        digit = 0;
      }
    }
  }
}

TEST(Tokenizer, TakesAllAsciiCharactersAsIcuDoes) {
  for (char c = 0; static_cast<unsigned char>(c) < 128; ++c) {
    for (const char* around : {"a?b", "1?2", "a?1", "_?_", "a??b", "?a", "1?"}) {
      std::string text = around;
      for (char& place : text) place = place == '?' ? c : place;
      ASSERT_EQ(Tokens(text), Oracle(text)) << ::testing::PrintToString(text);
    }
  }
}

TEST(Tokenizer, TakesAllCommonCharactersAsIcuDoes) {
  for (UChar32 c = 0x80; c < 0x2C00; c = c == 0x58F ? 0x2000 : c + 1) {
    std::string character;
    icu::UnicodeString(c).toUTF8String(character);
    for (const char* around :
         {"a?b", "1?2", "a?1", "_?_", "a??b", "1?.2", "?a", "1?", "?'?", "?"}) {
      std::string text;
      for (const char* place = around; *place != 0; ++place) {
        *place == '?' ? text += character : text += *place;
      }
      ASSERT_EQ(Tokens(text), Oracle(text)) << std::hex << c << ::testing::PrintToString(text);
    }
  }
}

TEST(Tokenizer, TakesLongTextsApartAsIcuDoes) {
  constexpr unsigned kSeed = 17;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  const std::vector<std::string> words{"Crawl",  "naïve",   "“it’s”", "wörter",   "слова",
                                       "日本語", "e\u0301", "…",      "a\u00A0b", "№5"};
  for (const unsigned kinds : {3U, 10U}) {
    std::string text;
    while (text.size() < 3 * Tokenizer::kMaxPiece) {
      text += words[random() % kinds];
      text += " \n\t"[random() % 3];
      if (random() % 8 == 0) text += "  ";
    }
    EXPECT_EQ(Tokens(text), Oracle(text));
  }
}

std::string RandomText(std::mt19937& random, const std::vector<std::string>& alphabet,
                       std::size_t length) {
  std::string text;
  for (std::size_t i = 0; i < length; ++i) text += alphabet[random() % alphabet.size()];
  return text;
}

TEST(Tokenizer, AgreesWithIcuOnRandomAscii) {
  constexpr unsigned kSeed = 4711;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  for (int round = 0; round < 3000; ++round) {
    std::string text(random() % 60, '\0');
    for (char& c : text) c = static_cast<char>(random() % 128);
    ASSERT_EQ(Tokens(text), Oracle(text)) << ::testing::PrintToString(text);
  }
}

TEST(Tokenizer, AgreesWithIcuOnRandomMixedText) {
  constexpr unsigned kSeed = 815;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  const std::vector<std::string> alphabet = {" ",
                                             " ",
                                             " ",
                                             "\n",
                                             "\t",
                                             "a",
                                             "Z",
                                             "7",
                                             "_",
                                             ".",
                                             "'",
                                             ",",
                                             ":",
                                             "@",
                                             "-",
                                             "ä",
                                             "ß",
                                             "Σ",
                                             "ж",
                                             "א",
                                             "״",
                                             "ع",
                                             "中",
                                             "東京",
                                             "は",
                                             "カ",
                                             "ー",
                                             "한",
                                             "ก",
                                             "า",
                                             "ไ",
                                             "क",
                                             "्",
                                             "\u0301",
                                             "\u200D",
                                             "\u200C",
                                             "\u200B",
                                             "\u00AD",
                                             "\u00A0",
                                             "’",
                                             "·",
                                             "😀",
                                             "👩‍👩‍👧",
                                             "🇩",
                                             "🇪",
                                             "٣",
                                             "\uFDFA",
                                             "ﬁ",
                                             "Å",
                                             "\u2028",
                                             "\u0085",
                                             "𝔸",
                                             "㎏",
                                             "\uFFFD",
                                             "\u0345"};
  for (int round = 0; round < 5000; ++round) {
    const std::string text = RandomText(random, alphabet, random() % 40);
    ASSERT_EQ(Tokens(text), Oracle(text)) << ::testing::PrintToString(text);
  }
}

TEST(Tokenizer, AgreesWithIcuOnRandomCodePoints) {
  constexpr unsigned kSeed = 99;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  for (int round = 0; round < 3000; ++round) {
    icu::UnicodeString source;
    const auto length = random() % 30;
    for (std::size_t i = 0; i < length; ++i) {
      auto code_point =
          static_cast<UChar32>(random() % 3 == 0 ? random() % 0x80 : random() % 0x3000);
      if (random() % 8 == 0) code_point = static_cast<UChar32>(random() % 0x110000);
      if (!U_IS_SURROGATE(code_point)) source.append(code_point);
    }
    std::string text;
    source.toUTF8String(text);
    ASSERT_EQ(Tokens(text), Oracle(text)) << ::testing::PrintToString(text);
  }
}

TEST(Tokenizer, AgreesWithIcuOnChineseAndJapanese) {
  constexpr unsigned kSeed = 29;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  const std::vector<std::string> words = {"中华人民共和国",
                                          "網際網路",
                                          "资料",
                                          "数据",
                                          "的",
                                          "了",
                                          "是",
                                          "不",
                                          "我们",
                                          "重复",
                                          "東京都",
                                          "日本",
                                          "語",
                                          "検索",
                                          "する",
                                          "しました",
                                          "ページ",
                                          "を",
                                          "は",
                                          "に",
                                          "クローラー",
                                          "コンピュータ",
                                          "インターネット",
                                          "アア",
                                          "ー",
                                          "ンンンンンンンンンンンンンンンンンンンンン"};
  const std::vector<std::string> others = {
      "a", "7",      " ",      "、",         "。", "・",     "_",      "々", "\u3099", "ﾊ",
      "ﾟ", "\uFE00", "한",     "\U00020000", "，", "「",     "３",     "Ｂ", ".",      "'",
      ",", "é",      "\u0301", "ก",          "〇", "\u30FD", "\u200D", "©",  "→"};
  for (int i = 0; i < 40'000; ++i) {
    std::string text;
    for (auto n = random() % 12; n > 0; --n) {
      switch (random() % 5) {
        case 0:
          text += others[random() % others.size()];
          break;
        case 1: {
          constexpr std::array<std::array<char16_t, 2>, 3> kRanges = {
              {{0x3040, 0x30FF}, {0x4E00, 0x9FFF}, {0x3000, 0x9FFF}}};
          const auto& range = kRanges[random() % kRanges.size()];
          const auto c = static_cast<char16_t>(range[0] + random() % (range[1] - range[0] + 1U));
          AppendUtf8(std::u16string_view(&c, 1), text);
          break;
        }
        default:
          text += words[random() % words.size()];
      }
    }
    ASSERT_EQ(Tokens(text), Oracle(text)) << text;
  }
}

TEST(Tokenizer, TakesInvalidUtf8ForReplacementCharacters) {
  EXPECT_EQ(Tokens("abc\xFFxyz ok"), "abc xyz ok");
}

TEST(DescribeTokenizer, NamesIcu) {
  EXPECT_THAT(DescribeTokenizer("icu=1.2"), ::testing::HasSubstr(" icu=1.2 "));
}

}  // namespace
}  // namespace crawlsieve::extract

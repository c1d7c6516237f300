#include "extract/html/segment.h"

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unicode/utf8.h>

namespace crawlsieve::extract {
namespace {

TEST(HintsOfNames, ReadsPartsOfNames) {
  for (const char* names :
       {"nav", "site-nav", "NavBar menu", "main_navigation", "nav2", "mainNav"}) {
    EXPECT_EQ(HintsOfNames(names), kNavigationHint) << names;
  }
  for (const char* names : {"footer", "page--footer", "relatedPosts", "x cookie-banner y", "ad"}) {
    EXPECT_EQ(HintsOfNames(names), kBoilerplateHint) << names;
  }
  EXPECT_EQ(HintsOfNames("nav footer"), kNavigationHint | kBoilerplateHint);
}

TEST(HintsOfNames, TakesNoPartOfAWordForTheWord) {
  for (const char* names : {"", "header", "loading", "canvas", "commentary", "advertisements2x",
                            "MENUS", "a d", "shared-knowledge", "Nobanner", "\xC3\xA4"}) {
    EXPECT_EQ(HintsOfNames(names), kNoHints) << names;
  }
  EXPECT_EQ(HintsOfNames(std::string(100'000, 'a') + "nav"), kNoHints);
}

/// The same, one character after the other, part by part.
Hints HintsByCharacter(const std::string& names) {
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  Hints hints = kNoHints;
  std::string part;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const char c = names[i];
    if (is_upper(c) && i > 0 && is_lower(names[i - 1])) {
      hints |= HintsOfNames(part);
      part.clear();
    }
    if (is_lower(c) || is_upper(c)) {
      part.push_back(is_lower(c) ? c : static_cast<char>(c + 32));
    } else {
      hints |= HintsOfNames(part);
      part.clear();
    }
  }
  return hints | HintsOfNames(part);
}

TEST(HintsOfNames, FindsTheSamePartsOneCharacterAfterTheOther) {
  const std::vector<std::string> pieces = {
      "nav", "Nav", "NAV", "advertisement", "Footer", "menu", "ads",     "a",    "B",
      "-",   " ",   "_",   "\xC3\xA9",      "7",      "x",    "widgets", "main", "AdsBy"};
  std::mt19937 random(1);
  int hinted = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string names;
    for (std::size_t n = random() % 9; n > 0; --n) names += pieces[random() % pieces.size()];
    const Hints hints = HintsByCharacter(names);
    ASSERT_EQ(HintsOfNames(names), hints) << names;
    hinted += hints != kNoHints ? 1 : 0;
  }
  EXPECT_GT(hinted, 50'000);
}

TEST(HintsOfNames, KnowsEachNameAtEachPlaceOfABlock) {
  for (std::size_t before = 0; before < 40; ++before) {
    EXPECT_EQ(HintsOfNames(std::string(before, '-') + "advertisement"), kBoilerplateHint) << before;
    EXPECT_EQ(HintsOfNames(std::string(before, 'x') + "Pagination-"), kNavigationHint) << before;
  }
}

TEST(HintsOfAriaRole, KnowsLandmarks) {
  EXPECT_EQ(HintsOfAriaRole("navigation"), kNavigationHint);
  EXPECT_EQ(HintsOfAriaRole(" ContentInfo "), kBoilerplateHint);
  EXPECT_EQ(HintsOfAriaRole("main"), kMainHint);
  EXPECT_EQ(HintsOfAriaRole("article"), kNoHints);
  EXPECT_EQ(HintsOfAriaRole(std::string(1000, 'x')), kNoHints);
}

TEST(EstimateWords, CountsRunsBetweenSpaces) {
  EXPECT_EQ(EstimateWords(""), 0U);
  EXPECT_EQ(EstimateWords(" one  two\n-- three "), 4U);
  EXPECT_EQ(EstimateWords("größer Пример συν 한국어를 مرحبا"), 5U);
}

TEST(EstimateWords, CountsCodePointsWhereThereAreNoSpaces) {
  EXPECT_EQ(EstimateWords("我们在北京大学学习"), 5U);     // 9 code points
  EXPECT_EQ(EstimateWords("日本語の文章 カタカナ"), 5U);  // 10
  EXPECT_EQ(EstimateWords("ภาษาไทยไม่มีช่องว่าง"), 5U);       // 20
  EXPECT_EQ(EstimateWords("在 Debian 上"), 2U);
}

/// The same, one character after the other.
std::uint32_t WordsByCharacter(const std::vector<char32_t>& text) {
  const auto between = [](char32_t c, char32_t first, char32_t last) {
    return first <= c && c <= last;
  };
  std::uint32_t quarters = 0;
  bool in_word = false;
  for (const char32_t c : text) {
    if (c == ' ' || between(c, '\t', '\n') || between(c, '\f', '\r')) {
      in_word = false;
    } else if (between(c, 0x3040, 0x9FFF) || between(c, 0x20000, 0x3FFFF)) {
      quarters += 2;
      in_word = false;
    } else if (between(c, 0xE00, 0xFFF) || between(c, 0x1000, 0x107F) ||
               between(c, 0x1780, 0x17FF)) {
      quarters += 1;
      in_word = false;
    } else {
      quarters += in_word ? 0 : 4;
      in_word = true;
    }
  }
  return (quarters + 3) / 4;
}

TEST(EstimateWords, IsTheSameAsByCharacterForRandomText) {
  constexpr std::array<char32_t, 28> kCharacters = {
      ' ',    ' ',    '\n',   '\t',   '\f',   '\r',   '\v',    'a',    'b',   'Z',
      '.',    '0',    0xA0,   0xE4,   0x430,  0x3B1,  0x5D0,   0xE01,  0xE40, 0xFFF,
      0x1000, 0x1780, 0x3042, 0x4E00, 0x9FFF, 0xAC00, 0x1F600, 0x20000};
  std::mt19937_64 random(11);
  for (int round = 0; round < 30'000; ++round) {
    // Of a few characters only, so that there is text of every mixture.
    std::array<char32_t, 4> few{};
    for (char32_t& c : few) c = kCharacters[random() % kCharacters.size()];
    std::vector<char32_t> text(random() % 60);
    std::string utf8;
    for (char32_t& c : text) {
      c = random() % 8 == 0 ? kCharacters[random() % kCharacters.size()] : few[random() % 4];
      std::array<char, 4> bytes{};
      std::size_t size = 0;
      U8_APPEND_UNSAFE(bytes.data(), size, static_cast<UChar32>(c));
      utf8.append(bytes.data(), size);
    }
    // Of its own size, so that AddressSanitizer sees a byte read behind it.
    const std::vector<char> exact(utf8.begin(), utf8.end());
    ASSERT_EQ(EstimateWords({exact.data(), exact.size()}), WordsByCharacter(text)) << utf8;
  }
}

TEST(RoleName, DiffersForEachRole) {
  EXPECT_EQ(RoleName(Role::kTitle), "title");
  EXPECT_EQ(RoleName(Role::kAltText), "alt_text");
  EXPECT_EQ(static_cast<std::size_t>(kAllRoles.back()) + 1, kRoleCount);
}

}  // namespace
}  // namespace crawlsieve::extract

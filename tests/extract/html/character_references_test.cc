#include "extract/html/character_references.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <unicode/utf8.h>

namespace crawlsieve::extract {
namespace {

struct Name {
  std::string_view name;
  std::string_view text;
  bool legacy;
};

#define REFERENCE(name, text, legacy) {name, text, legacy},
constexpr Name kNames[] = {
#include "extract/html/named_references.inc"
};
#undef REFERENCE

std::string Text(std::string_view text) {
  std::string out;
  AppendDecoded(text, false, out);
  return out;
}

std::string Attribute(std::string_view value) {
  std::string out;
  AppendDecoded(value, true, out);
  return out;
}

std::string Utf8Of(std::uint32_t code_point) {
  std::string bytes(4, '\0');
  std::size_t size = 0;
  U8_APPEND_UNSAFE(bytes.data(), size, code_point);
  bytes.resize(size);
  return bytes;
}

/// The standard's own list: each name with its semicolon, some without.
const std::map<std::string, std::string>& StandardNames() {
  static const auto* const names = [] {
    auto* const all = new std::map<std::string, std::string>;
    for (const Name& name : kNames) {
      (*all)[std::string(name.name) + ';'] = name.text;
      if (name.legacy) (*all)[std::string(name.name)] = name.text;
    }
    return all;
  }();
  return *names;
}

bool IsAlphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Named references as the standard words it: the longest of all names that stands here.
std::string DecodedByTheList(std::string_view text, bool in_attribute) {
  std::string out;
  while (!text.empty()) {
    std::size_t taken = 0;
    if (text[0] == '&') {
      for (std::size_t size = std::min<std::size_t>(text.size() - 1, 32); size > 0; --size) {
        const auto found = StandardNames().find(std::string(text.substr(1, size)));
        if (found == StandardNames().end()) continue;
        const char last = text[size];
        const char next = size + 1 < text.size() ? text[size + 1] : ' ';
        if (in_attribute && last != ';' && (next == '=' || IsAlphanumeric(next))) break;
        out += found->second;
        taken = size + 1;
        break;
      }
    }
    if (taken == 0) {
      out.push_back(text[0]);
      taken = 1;
    }
    text.remove_prefix(taken);
  }
  return out;
}

TEST(CharacterReferences, TheTableHasAllNamesOfTheStandard) {
  EXPECT_EQ(std::size(kNames), 2125U);
  EXPECT_EQ(StandardNames().size(), 2231U);
}

TEST(CharacterReferences, EveryNameStandsForItsTextWithASemicolon) {
  for (const Name& name : kNames) {
    const std::string reference = '&' + std::string(name.name) + ';';
    EXPECT_EQ(Text(reference), name.text) << reference;
    EXPECT_EQ(Attribute(reference), name.text) << reference;
    EXPECT_EQ(Text("a" + reference + "b"), 'a' + std::string(name.text) + 'b') << reference;
    EXPECT_EQ(Attribute("a" + reference + "b=;"), 'a' + std::string(name.text) + "b=;");
    EXPECT_EQ(Text(reference + reference), std::string(name.text) + std::string(name.text));
  }
}

TEST(CharacterReferences, LegacyNamesCountWithoutASemicolon) {
  for (const Name& name : kNames) {
    if (!name.legacy) continue;
    const std::string reference = '&' + std::string(name.name);
    EXPECT_EQ(Text(reference), name.text) << reference;
    EXPECT_EQ(Text(reference + " x"), std::string(name.text) + " x") << reference;
    EXPECT_EQ(Attribute(reference), name.text) << reference;
    EXPECT_EQ(Attribute(reference + "-"), std::string(name.text) + "-") << reference;
    EXPECT_EQ(Attribute(reference + "="), reference + "=") << reference;
    EXPECT_EQ(Attribute(reference + "Q"), reference + "Q") << reference;
    EXPECT_EQ(Attribute(reference + "7"), reference + "7") << reference;
  }
}

TEST(CharacterReferences, EveryNameCutOffAnywhereIsTheLongestNameThatIsLeft) {
  for (const Name& name : kNames) {
    const std::string whole = '&' + std::string(name.name) + ';';
    for (std::size_t size = 1; size < whole.size(); ++size) {
      for (const char* const behind : {"", " ", "=", "z", "0", "&", "_"}) {
        const std::string text = whole.substr(0, size) + behind;
        EXPECT_EQ(Text(text), DecodedByTheList(text, false)) << text;
        EXPECT_EQ(Attribute(text), DecodedByTheList(text, true)) << text;
      }
    }
  }
}

TEST(CharacterReferences, RandomTextIsDecodedAsByTheList) {
  std::mt19937_64 random(19);
  const std::vector<std::string> pieces = {
      "&",   ";", "&&", "=", " ", "not",   "in",  "it",     "amp",     "AMP", "lt", "Lt", "copy",
      "sup", "1", "2",  "é", "x", "&amp;", "&lt", "&nbsp;", "Counter", "#",   "<",  "\r"};
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (std::size_t n = random() % 12; n > 0; --n) {
      if (random() % 3 == 0) {
        const std::string_view name = kNames[random() % std::size(kNames)].name;
        text += '&';
        text += name.substr(0, random() % (name.size() + 1));
      }
      text += pieces[random() % pieces.size()];
    }
    if (text.find("&#") != std::string::npos) continue;  // numbers have tests of their own
    ASSERT_EQ(Text(text), DecodedByTheList(text, false)) << text;
    ASSERT_EQ(Attribute(text), DecodedByTheList(text, true)) << text;
  }
}

TEST(CharacterReferences, ExamplesOfTheStandard) {
  EXPECT_EQ(Text("I'm &notit; I tell you"), "I'm \u00ACit; I tell you");
  EXPECT_EQ(Text("I'm &notin; I tell you"), "I'm \u2209 I tell you");
  EXPECT_EQ(Attribute("?a=b&copy=1&amp;lang=de&lt"), "?a=b&copy=1&lang=de<");
  EXPECT_EQ(Attribute("I'm &notit; I tell you"), "I'm &notit; I tell you");
}

TEST(CharacterReferences, NamesAreCaseSensitive) {
  EXPECT_EQ(Text("&AMP;&Amp;&aMP;"), "&&Amp;&aMP;");
  EXPECT_EQ(Text("&Aacute;&aacute;"), "\u00C1\u00E1");
}

TEST(CharacterReferences, WhatIsNoReferenceStays) {
  for (const std::string_view text :
       {"", "&", "&&", "& ", "&;", "&=", "a & b", "AT&T", "&unknown;", "&x", "&1;", "&am;", "&é;",
        "&CounterClockwiseContourIntegralsAndMore;", "&CounterClockwiseContourIntegral"}) {
    EXPECT_EQ(Text(text), text);
    EXPECT_EQ(Attribute(text), text);
  }
  EXPECT_EQ(Text("&CounterClockwiseContourIntegral;"), "\u2233");
}

TEST(CharacterReferences, NulAndCarriageReturnsAreLeftToTheCaller) {
  const std::string_view text("a\0b\r\nc&amp;\r\0", 13);
  EXPECT_EQ(Text(text), std::string("a\0b\r\nc&\r\0", 9));
}

TEST(CharacterReferences, AppendsBehindWhatIsThere) {
  std::string out = "before ";
  AppendDecoded("1 &lt; 2", false, out);
  EXPECT_EQ(out, "before 1 < 2");
}

TEST(CharacterReferences, NumbersAreCodePoints) {
  EXPECT_EQ(Text("&#65;&#x42;&#X43;&#x64;&#x6A;&#x6a;"), "ABCdjj");
  EXPECT_EQ(Text("&#228;&#xe4;&#8364;&#x20AC;&#128512;&#x1F600;"), "ää€€😀😀");
  EXPECT_EQ(Text("&#65"), "A");
  EXPECT_EQ(Text("&#65 &#x42g"), "A Bg");
  EXPECT_EQ(Text("&#65&#66;"), "AB");
  EXPECT_EQ(Text("&#0000000000000000000000000000000000000065;"), "A");
  EXPECT_EQ(Text("&#x0000000000000000000000000000000000000041;"), "A");
  EXPECT_EQ(Attribute("&#65=&#x42z&#67"), "A=BzC");
}

TEST(CharacterReferences, NumbersWithoutDigitsStay) {
  for (const std::string_view text :
       {"&#", "&#;", "&#x", "&#x;", "&#X;", "&#xg;", "&#a;", "&# 65;", "&#-1;", "&#x 41;", "&##"}) {
    EXPECT_EQ(Text(text), text);
    EXPECT_EQ(Attribute(text), text);
  }
  EXPECT_EQ(Text("&#&#65;"), "&#A");
  EXPECT_EQ(Text("&#x&#65;"), "&#xA");
}

TEST(CharacterReferences, EveryNumberIsItsCodePointOrWhatTheStandardHasInItsPlace) {
  const std::map<std::uint32_t, std::uint32_t> replaced = {
      {0x80, 0x20AC}, {0x82, 0x201A}, {0x83, 0x0192}, {0x84, 0x201E}, {0x85, 0x2026},
      {0x86, 0x2020}, {0x87, 0x2021}, {0x88, 0x02C6}, {0x89, 0x2030}, {0x8A, 0x0160},
      {0x8B, 0x2039}, {0x8C, 0x0152}, {0x8E, 0x017D}, {0x91, 0x2018}, {0x92, 0x2019},
      {0x93, 0x201C}, {0x94, 0x201D}, {0x95, 0x2022}, {0x96, 0x2013}, {0x97, 0x2014},
      {0x98, 0x02DC}, {0x99, 0x2122}, {0x9A, 0x0161}, {0x9B, 0x203A}, {0x9C, 0x0153},
      {0x9E, 0x017E}, {0x9F, 0x0178}};
  char reference[16];
  std::string out;
  for (std::uint32_t number = 0; number < 0x111000; ++number) {
    std::uint32_t expected = number;
    if (number == 0 || (number >= 0xD800 && number < 0xE000) || number > 0x10FFFF)
      expected = 0xFFFD;
    if (const auto found = replaced.find(number); found != replaced.end()) expected = found->second;
    for (const char* const format : {"&#%u;", "&#x%X;", "&#X%x"}) {
      std::snprintf(reference, sizeof(reference), format, number);
      out.clear();
      AppendDecoded(reference, false, out);
      ASSERT_EQ(out, Utf8Of(expected)) << reference;
    }
  }
}

TEST(CharacterReferences, NumbersThatOverflowAreTheReplacementCharacter) {
  for (const std::string_view text :
       {"&#1114112;", "&#x110000;", "&#4294967296;", "&#4294967361;", "&#x100000041;",
        "&#18446744073709551616;", "&#18446744073709551681;", "&#x10000000000000041;",
        "&#99999999999999999999999999999999999999;", "&#xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF;"}) {
    EXPECT_EQ(Text(text), "\uFFFD") << text;
    EXPECT_EQ(Attribute(text), "\uFFFD") << text;
  }
  EXPECT_EQ(Text("&#" + std::string(100'000, '9') + "x"), "\uFFFDx");
  EXPECT_EQ(Text("&#" + std::string(100'000, '0') + "65;x"), "Ax");
}

TEST(CharacterReferences, NoncharactersAndControlsStandForThemselves) {
  EXPECT_EQ(Text("&#xFFFE;&#xFFFF;&#xFDD0;&#x10FFFF;"), "\uFFFE\uFFFF\uFDD0\U0010FFFF");
  EXPECT_EQ(Text("&#1;&#13;&#x0B;&#x7F;"), "\x01\r\x0B\x7F");
  EXPECT_EQ(Text("&#x81;&#x8D;"), "\u0081\u008D");
}

TEST(CharacterReferences, EveryLengthOfTextEndsInsideIt) {
  const std::string_view whole = "&CounterClockwiseContourIntegral;&#x10FFFF;&notin;&amp";
  for (std::size_t begin = 0; begin < whole.size(); ++begin) {
    for (std::size_t size = 0; begin + size <= whole.size(); ++size) {
      // Of its own size, so that AddressSanitizer sees a byte read behind it.
      const std::vector<char> text(whole.begin() + begin, whole.begin() + begin + size);
      for (const bool in_attribute : {false, true}) {
        std::string out;
        AppendDecoded({text.data(), text.size()}, in_attribute, out);
        EXPECT_LE(out.size(), size);
      }
    }
  }
}

TEST(AppendReference, SaysHowManyBytesItTakes) {
  std::string out;
  EXPECT_EQ(AppendReference("&amp;x", false, out), 5U);
  EXPECT_EQ(AppendReference("&ampx", false, out), 4U);
  EXPECT_EQ(AppendReference("&ampx", true, out), 1U);
  EXPECT_EQ(AppendReference("&#65;x", false, out), 5U);
  EXPECT_EQ(AppendReference("&#65x", false, out), 4U);
  EXPECT_EQ(AppendReference("&", false, out), 1U);
  EXPECT_EQ(AppendReference("&#", false, out), 1U);
  EXPECT_EQ(out, "&&&AA&&");
}

}  // namespace
}  // namespace crawlsieve::extract

// The libraries are behind wrappers here (CMakeLists.txt), so that one can be made to answer
// otherwise than it does, as another version of it might.
#include "extract/library_probe.h"

#include "extract/extractor.h"
#include "extract/html/charset.h"
#include "extract/text/tokenizer.h"
#include "extract/url/url.h"
#include "plugin/fingerprint/scheme.h"

#include <array>
#include <cstring>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libstemmer.h>
#include <uchardet/uchardet.h>
#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/ucnv.h>
#include <unicode/uidna.h>
#include <unicode/unorm2.h>

namespace {

/// What the libraries answer otherwise. Empty: nothing.
struct Lies {
  std::function<std::int32_t(UChar32, UProperty, std::int32_t)> property;
  std::function<UBool(UChar32, UBool)> is_alnum;
  std::function<UBool(UChar32, UBool)> is_alphabetic;
  std::function<UChar32(UChar32, UChar32)> fold;
  std::function<std::uint8_t(UChar32, std::uint8_t)> combining;
  std::function<void(UChar32, std::uint8_t*)> age;
  std::function<void(UChar*, std::int32_t)> normalized;
  std::function<bool()> skips_break;
  std::function<void(UChar*, UChar*)> to_unicode;
  std::function<void(UChar*)> to_uchars;
  std::function<void(std::string_view, UIDNAInfo*)> name;
  std::function<bool()> keeps_word;  ///< is asked of words with shorter stems
  std::function<const char*(const char*)> charset;
};
Lies lies;

}  // namespace

// Names of ICU's functions are macros that name its version: hence two steps.
#define PASTE(a, b) a##b
#define WRAPPER(function) PASTE(__wrap_, function)
#define REAL(function) PASTE(__real_, function)

extern "C" {
std::int32_t REAL(u_getIntPropertyValue)(UChar32 c, UProperty which);
std::int32_t WRAPPER(u_getIntPropertyValue)(UChar32 c, UProperty which) {
  const std::int32_t value = REAL(u_getIntPropertyValue)(c, which);
  return lies.property ? lies.property(c, which, value) : value;
}
UBool REAL(u_isalnum)(UChar32 c);
UBool WRAPPER(u_isalnum)(UChar32 c) {
  const UBool is = REAL(u_isalnum)(c);
  return lies.is_alnum ? lies.is_alnum(c, is) : is;
}
UBool REAL(u_isUAlphabetic)(UChar32 c);
UBool WRAPPER(u_isUAlphabetic)(UChar32 c) {
  const UBool is = REAL(u_isUAlphabetic)(c);
  return lies.is_alphabetic ? lies.is_alphabetic(c, is) : is;
}
UChar32 REAL(u_foldCase)(UChar32 c, std::uint32_t options);
UChar32 WRAPPER(u_foldCase)(UChar32 c, std::uint32_t options) {
  const UChar32 folded = REAL(u_foldCase)(c, options);
  return lies.fold ? lies.fold(c, folded) : folded;
}
std::uint8_t REAL(u_getCombiningClass)(UChar32 c);
std::uint8_t WRAPPER(u_getCombiningClass)(UChar32 c) {
  const std::uint8_t combining = REAL(u_getCombiningClass)(c);
  return lies.combining ? lies.combining(c, combining) : combining;
}
void REAL(u_charAge)(UChar32 c, UVersionInfo age);
void WRAPPER(u_charAge)(UChar32 c, UVersionInfo age) {
  REAL(u_charAge)(c, age);
  if (lies.age) lies.age(c, age);
}
std::int32_t REAL(unorm2_normalize)(const UNormalizer2* normalizer, const UChar* text,
                                    std::int32_t size, UChar* out, std::int32_t capacity,
                                    UErrorCode* error);
std::int32_t WRAPPER(unorm2_normalize)(const UNormalizer2* normalizer, const UChar* text,
                                       std::int32_t size, UChar* out, std::int32_t capacity,
                                       UErrorCode* error) {
  const std::int32_t length = REAL(unorm2_normalize)(normalizer, text, size, out, capacity, error);
  if (lies.normalized && U_SUCCESS(*error)) lies.normalized(out, length);
  return length;
}
std::int32_t REAL(ubrk_next)(UBreakIterator* breaks);
std::int32_t WRAPPER(ubrk_next)(UBreakIterator* breaks) {
  const std::int32_t next = REAL(ubrk_next)(breaks);
  return lies.skips_break && next != UBRK_DONE && lies.skips_break() ? REAL(ubrk_next)(breaks)
                                                                     : next;
}
void REAL(ucnv_toUnicode)(UConverter* converter, UChar** target, const UChar* target_end,
                          const char** source, const char* source_end, std::int32_t* offsets,
                          UBool flush, UErrorCode* error);
void WRAPPER(ucnv_toUnicode)(UConverter* converter, UChar** target, const UChar* target_end,
                             const char** source, const char* source_end, std::int32_t* offsets,
                             UBool flush, UErrorCode* error) {
  UChar* const begin = *target;
  REAL(ucnv_toUnicode)
  (converter, target, target_end, source, source_end, offsets, flush, error);
  if (lies.to_unicode) lies.to_unicode(begin, *target);
}
std::int32_t REAL(ucnv_toUChars)(UConverter* converter, UChar* out, std::int32_t capacity,
                                 const char* bytes, std::int32_t size, UErrorCode* error);
std::int32_t WRAPPER(ucnv_toUChars)(UConverter* converter, UChar* out, std::int32_t capacity,
                                    const char* bytes, std::int32_t size, UErrorCode* error) {
  const std::int32_t length = REAL(ucnv_toUChars)(converter, out, capacity, bytes, size, error);
  if (lies.to_uchars) lies.to_uchars(out);
  return length;
}
std::int32_t REAL(uidna_nameToASCII_UTF8)(const UIDNA* idna, const char* name, std::int32_t size,
                                          char* out, std::int32_t capacity, UIDNAInfo* info,
                                          UErrorCode* error);
std::int32_t WRAPPER(uidna_nameToASCII_UTF8)(const UIDNA* idna, const char* name, std::int32_t size,
                                             char* out, std::int32_t capacity, UIDNAInfo* info,
                                             UErrorCode* error) {
  const std::int32_t length =
      REAL(uidna_nameToASCII_UTF8)(idna, name, size, out, capacity, info, error);
  if (lies.name) lies.name({name, static_cast<std::size_t>(size)}, info);
  return length;
}
const sb_symbol* REAL(sb_stemmer_stem)(sb_stemmer* stemmer, const sb_symbol* word, int size);
int REAL(sb_stemmer_length)(sb_stemmer* stemmer);
int kept_length = -1;
const sb_symbol* WRAPPER(sb_stemmer_stem)(sb_stemmer* stemmer, const sb_symbol* word, int size) {
  const sb_symbol* const stem = REAL(sb_stemmer_stem)(stemmer, word, size);
  const bool is_shorter = REAL(sb_stemmer_length)(stemmer) < size;
  const bool keeps = lies.keeps_word && is_shorter && lies.keeps_word();
  kept_length = keeps ? size : -1;
  return keeps ? word : stem;
}
int WRAPPER(sb_stemmer_length)(sb_stemmer* stemmer) {
  return kept_length >= 0 ? kept_length : REAL(sb_stemmer_length)(stemmer);
}
const char* REAL(uchardet_get_charset)(uchardet_t detector);
const char* WRAPPER(uchardet_get_charset)(uchardet_t detector) {
  const char* const found = REAL(uchardet_get_charset)(detector);
  return lies.charset ? lies.charset(found) : found;
}
}

namespace crawlsieve::extract {
namespace {

constexpr unsigned kSeed = 20261126;

class LibraryProbes : public ::testing::Test {
 protected:
  void TearDown() override { lies = {}; }

  static std::string IcuName() { return NamesOf(ProbeIcu(), {}, {}).icu; }
};

/// Characters that the pinned lists don't have, of scripts of all kinds.
std::vector<UChar32> SomeLetters(std::size_t count) {
  std::mt19937 random(kSeed);
  std::vector<UChar32> letters;
  while (letters.size() < count) {
    const auto c = static_cast<UChar32>(random() % 0x11000);
    if (c >= 0xD800 && c < 0xF900) continue;
    if (u_isalpha(c) && c > 0x7F) letters.push_back(c);
  }
  return letters;
}

TEST_F(LibraryProbes, KnowTheLibrariesOfDebian12) {
  std::vector<LibraryProbe> probes = ProbeIcu();
  probes.push_back(ProbeCharsetDetection());
  probes.push_back(ProbeStems());
  for (const LibraryProbe& probe : probes) {
    EXPECT_EQ(Hex(probe.result), Hex(probe.known)) << probe.name;
  }
  EXPECT_EQ(NamesOfLibraries().icu, "icu=72.1 unicode=15.0");
  EXPECT_EQ(NamesOfLibraries().uchardet, "uchardet-0.0.7");
  EXPECT_EQ(NamesOfLibraries().stems, "");
}

TEST_F(LibraryProbes, KeepTheIdsThatNamedVersions) {
  // Of the builds on Debian 12 that took the versions from the libraries: their logs and states
  // must go on.
  EXPECT_EQ(SchemeId({.key = ""}, DescribeExtraction({})), "cs2-ec8b940dd1df74fc");
}

TEST_F(LibraryProbes, OtherResultsHaveOtherNames) {
  const Checksum one{1, 1};
  const std::vector<LibraryProbe> known = {{"a", one, one}, {"b", one, one}};
  const LibraryProbe same{"c", one, one};
  std::set<std::string> names = {NamesOf(known, same, same).icu};
  for (std::size_t i = 0; i < known.size(); ++i) {
    for (std::uint64_t other = 2; other < 4; ++other) {
      std::vector<LibraryProbe> changed = known;
      changed[i].result = {1, other};
      EXPECT_TRUE(names.insert(NamesOf(changed, same, same).icu).second) << i << ' ' << other;
    }
  }
  const LibraryProbe other{"c", {2, 2}, one};
  EXPECT_NE(NamesOf(known, other, same).uchardet, NamesOf(known, same, same).uchardet);
  EXPECT_NE(NamesOf(known, same, other).stems, NamesOf(known, same, same).stems);
}

TEST_F(LibraryProbes, SeeAnotherPropertyOfOneCharacter) {
  const std::string name = IcuName();
  for (const UChar32 letter : SomeLetters(12)) {
    SCOPED_TRACE(testing::Message() << std::hex << letter << " seed " << std::dec << kSeed);
    lies.property = [letter](UChar32 c, UProperty which, std::int32_t value) {
      return c == letter && which == UCHAR_WORD_BREAK ? (value == 0 ? 1 : 0) : value;
    };
    EXPECT_NE(IcuName(), name);
    lies = {};
    lies.is_alnum = [letter](UChar32 c, UBool is) { return c == letter ? !is : is; };
    EXPECT_NE(IcuName(), name);
    lies = {};
    lies.combining = [letter](UChar32 c, std::uint8_t combining) {
      return c == letter ? std::uint8_t{230} : combining;
    };
    const bool is_of_many = letter >= 0x3400 && letter <= 0xD7A3;  // none of these is a mark
    EXPECT_TRUE(is_of_many || IcuName() != name);
    lies = {};
    lies.fold = [letter](UChar32 c, UChar32 folded) { return c == letter ? c + 1 : folded; };
    EXPECT_TRUE(is_of_many || IcuName() != name);
    lies = {};
  }
  EXPECT_EQ(IcuName(), name);
}

TEST_F(LibraryProbes, SeeACharacterComeOrGo) {
  const std::string name = IcuName();
  lies.age = [](UChar32 c, std::uint8_t* age) {
    if (c == 0x10D0) age[0] = 16;
  };
  EXPECT_NE(IcuName(), name);
  lies.age = [](UChar32 c, std::uint8_t* age) {
    if (c == 0x1C89) age[0] = 15;
  };
  EXPECT_NE(IcuName(), name);
}

TEST_F(LibraryProbes, SeeAnotherNormalization) {
  const std::string name = IcuName();
  for (const char16_t changed : {u'ß', u'\u00E9', u'\uAC00', u'\u0439', u'\u30D7', u'\u0344'}) {
    bool is_there = false;
    lies.normalized = [&](UChar* text, std::int32_t size) {
      for (std::int32_t i = 0; i < size; ++i) {
        if (text[i] != changed) continue;
        text[i] = u'x';
        is_there = true;
      }
    };
    // Of what no text is made any more there is nothing to see.
    const std::string other = IcuName();
    EXPECT_EQ(other != name, is_there) << static_cast<unsigned>(changed);
  }
}

TEST_F(LibraryProbes, SeeAnotherWordBreak) {
  const std::string name = IcuName();
  std::mt19937 random(kSeed);
  for (int i = 0; i < 10; ++i) {
    // There are more than 60,000 in the rules' probe.
    const auto skipped = static_cast<unsigned>(random() % 60'000);
    unsigned calls = 0;
    lies.skips_break = [&calls, skipped] { return calls++ == skipped; };
    EXPECT_NE(IcuName(), name) << skipped << " seed " << kSeed;
    EXPECT_GT(calls, 60'000U);
  }
}

TEST_F(LibraryProbes, SeeAnotherCharacterOfAnEncoding) {
  const std::string name = IcuName();
  for (const char16_t changed : {u'\u20AC', u'\u4E8C', u'\uFF5E', u'\uAC02', u'\u0451'}) {
    lies.to_unicode = [changed](UChar* begin, UChar* end) {
      for (UChar* at = begin; at != end; ++at) {
        if (*at == changed) *at = u'?';
      }
    };
    EXPECT_NE(IcuName(), name) << static_cast<unsigned>(changed);
  }
}

TEST_F(LibraryProbes, SeeAnotherRuleForNames) {
  const std::string name = IcuName();
  for (const std::string_view refused : {"faß.de", "xn--mnchen-3ya.de", "-ü"}) {
    lies.name = [refused](std::string_view asked, UIDNAInfo* info) {
      if (asked == refused) info->errors |= UIDNA_ERROR_DISALLOWED;
    };
    EXPECT_NE(IcuName(), name) << refused;
  }
}

TEST_F(LibraryProbes, SeeAnotherStem) {
  const Checksum before = ProbeStems().result;
  std::mt19937 random(kSeed);
  for (int i = 0; i < 10; ++i) {
    // There are more than 10,000.
    const auto kept = static_cast<unsigned>(random() % 10'000);
    unsigned calls = 0;
    lies.keeps_word = [&calls, kept] { return calls++ == kept; };
    EXPECT_NE(ProbeStems().result, before) << kept << " seed " << kSeed;
    EXPECT_GT(calls, 10'000U);
  }
}

TEST_F(LibraryProbes, SeeAnotherDetection) {
  std::set<std::string> all;
  lies.charset = [&all](const char* found) {
    all.insert(found);
    return found;
  };
  const Checksum before = ProbeCharsetDetection().result;
  int seen = 0;
  for (const std::string& changed : all) {
    const Encoding* const encoding = FindEncoding(changed);
    // Those are what stands in for others.
    if (encoding == nullptr || encoding == &Utf8() || encoding == &Windows1252()) continue;
    lies.charset = [&changed](const char* found) { return changed == found ? "" : found; };
    EXPECT_NE(ProbeCharsetDetection().result, before) << changed;
    ++seen;
  }
  EXPECT_GE(seen, 10);
}

std::string Words(std::string_view text) {
  TokenList tokens;
  EXPECT_TRUE(Tokenizer({.max_tokens = 1000, .max_token_bytes = 256}).Append(text, tokens));
  return tokens.text;
}

TEST_F(LibraryProbes, DoNotMindWhatIsPinned) {
  const std::string name = IcuName();
  const std::string text = "\u6F22@b x:y\u6F22 a\u06DDb \u19DA\u1980 \u1C89z";
  const std::string words = Words(text);
  // As ICU 78 has them, of Unicode 17.
  lies.property = [](UChar32 c, UProperty which, std::int32_t value) {
    if (which != UCHAR_WORD_BREAK) return value;
    if (c == '@') return std::int32_t{U_WB_OTHER};
    if (c == 0x1C89) return std::int32_t{U_WB_ALETTER};
    return c == 0x6DD || c == 0x19DA ? std::int32_t{U_WB_NUMERIC} : value;
  };
  lies.is_alphabetic = [](UChar32 c, UBool is) { return c == 0x363 ? UBool{1} : is; };
  lies.is_alnum = [](UChar32 c, UBool is) { return c == 0x1C89 ? UBool{1} : is; };
  lies.age = [](UChar32 c, std::uint8_t* age) {
    if (c == 0x1C89) age[0] = 16;
  };
  lies.fold = [](UChar32 c, UChar32 folded) { return c == 0x1FD3 ? 0x390 : folded; };
  EXPECT_EQ(IcuName(), name);
  EXPECT_EQ(Words(text), words);
}

TEST_F(LibraryProbes, DecodeGb18030AsIcu72WhereTheConverterDoesNot) {
  std::mt19937 random(kSeed);
  constexpr std::array<std::string_view, 12> kPieces = {
      "\x80", "\xA3\xA0", "\xA6\xD9", "\xFE\x59", "\xFE", "\x81",
      "\xA6", "0",        "9",        "a",        "\xFF", "\x84\x31\x82\x36"};
  for (int i = 0; i < 3'000; ++i) {
    std::string bytes;
    for (auto n = 1 + random() % 8; n > 0; --n) bytes += kPieces[random() % kPieces.size()];
    const std::string label = i % 2 == 0 ? "gb18030" : "gbk";
    lies = {};
    CharsetDecoder plain;
    const std::string expected(plain.Decode(bytes, {.charset = label}).text);
    // Now all characters of the list look as if the converter had others.
    lies.to_uchars = [](UChar* out) { out[0] = u'?'; };
    CharsetDecoder pinned;
    ASSERT_EQ(pinned.Decode(bytes, {.charset = label}).text, expected)
        << ::testing::PrintToString(bytes) << " seed " << kSeed;
  }
}

}  // namespace
}  // namespace crawlsieve::extract

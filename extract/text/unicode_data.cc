#include "extract/text/unicode_data.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include <unicode/uchar.h>
#include <unicode/utf16.h>

namespace crawlsieve::extract {
namespace {

struct Range {
  UChar32 first;
  UChar32 last;
};

template <std::size_t kCount>
bool IsIn(const std::array<Range, kCount>& ranges, UChar32 c) {
  const auto range = std::ranges::lower_bound(ranges, c, {}, &Range::last);
  return range != ranges.end() && range->first <= c;
}

/// Default_Ignorable_Code_Point and not assigned.
constexpr std::array kReservedIgnorable = {Range{0x2065, 0x2065},   Range{0xFFF0, 0xFFF8},
                                           Range{0xE0000, 0xE0000}, Range{0xE0002, 0xE001F},
                                           Range{0xE0080, 0xE00FF}, Range{0xE01F0, 0xE0FFF}};

/// Alphabetic since Unicode 16.0: combining letters of Latin script.
constexpr std::array kNewAlphabetic = {Range{0x363, 0x36F}, Range{0x1DD3, 0x1DE6}};

/// Allowed or mapped since Unicode 15.1 and 16.0, disallowed before.
constexpr std::array kNewInNames = {
    Range{0x4C0, 0x4C0},     Range{0x10A0, 0x10C5},   Range{0x115F, 0x1160},
    Range{0x17B4, 0x17B5},   Range{0x1806, 0x1806},   Range{0x180E, 0x180E},
    Range{0x2061, 0x2063},   Range{0x206A, 0x206F},   Range{0x2132, 0x2132},
    Range{0x2183, 0x2183},   Range{0x3164, 0x3164},   Range{0xFFA0, 0xFFA0},
    Range{0x1D173, 0x1D17A}, Range{0x2F868, 0x2F868}, Range{0x2F874, 0x2F874},
    Range{0x2F91F, 0x2F91F}, Range{0x2F95F, 0x2F95F}, Range{0x2F9BF, 0x2F9BF}};

/// Simple foldings since Unicode 15.1.
constexpr std::array<UChar32, 3> kNotFolded = {0x1FD3, 0x1FE3, 0xFB05};

// They stand for a class of word rules, and are what no version takes otherwise.
constexpr char16_t kLetter = u'a';
constexpr char16_t kNothing = u'|';
constexpr char16_t kFormat = 0xAD;
constexpr UChar32 kFormatOfTwo = 0xE0001;  // of two units

/// What stands in for a character with another part in words than in later versions: the root
/// locale of ICU 72 has '@' among the letters and ':' among nothing; signs of Arabic, Syriac and
/// Kaithi numbers were Format before Unicode 15.1.
UChar32 StandInFor(UChar32 c) {
  switch (c) {
    case '@':
      return kLetter;
    case ':':
    case 0xB8:
    case 0xFE55:
    case 0xFF1A:
      return kNothing;
    case 0x19DA:  // a digit of New Tai Lue, which was among its letters
      return 0x1980;
    case 0xFE10:
      return u',';
    case 0xFE14:
      return u';';
    case 0x6DD:
    case 0x70F:
    case 0x890:
    case 0x891:
    case 0x8E2:
      return kFormat;
    case 0x110BD:
    case 0x110CD:
      return kFormatOfTwo;
    default:
      return c >= 0x600 && c <= 0x605 ? UChar32{kFormat} : c;
  }
}

/// The ranges of nearly all characters of texts that have no stand-in, and are assigned.
bool IsPlain(UChar32 c) {
  return (c >= 0xC0 && c <= 0x377) || (c >= 0x400 && c <= 0x52F) || (c >= 0x3041 && c <= 0x3096) ||
         (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0xAC00 && c <= 0xD7A3);
}

}  // namespace

bool IsAssigned(UChar32 c) {
  if (c < 0x378 || IsPlain(c)) return true;
  UVersionInfo age;
  u_charAge(c, age);
  return age[0] != 0 &&
         (age[0] < kUnicodeMajor || (age[0] == kUnicodeMajor && age[1] <= kUnicodeMinor));
}

UChar32 KnownCharacter(UChar32 c) {
  constexpr UChar32 kReplacement = 0xFFFD;
  return IsAssigned(c) || IsIn(kReservedIgnorable, c) ? c : kReplacement;
}

int WordBreakProperty(UChar32 c) {
  return u_getIntPropertyValue(StandInFor(KnownCharacter(c)), UCHAR_WORD_BREAK);
}

bool IsLetterOrDigit(UChar32 c) { return u_isalnum(KnownCharacter(c)) != 0; }

bool IsLetterDigitOrMark(UChar32 c) {
  c = KnownCharacter(c);
  const auto kind = static_cast<std::int8_t>(u_charType(c));
  return u_isalnum(c) || kind == U_NON_SPACING_MARK || kind == U_COMBINING_SPACING_MARK;
}

bool IsAlphabetic(UChar32 c) {
  return u_isUAlphabetic(KnownCharacter(c)) != 0 && !IsIn(kNewAlphabetic, c);
}

bool IsCurrencySign(UChar32 c) { return u_charType(KnownCharacter(c)) == U_CURRENCY_SYMBOL; }

UChar32 FoldCase(UChar32 c) {
  if (!IsAssigned(c) || std::ranges::find(kNotFolded, c) != kNotFolded.end()) return c;
  return u_foldCase(c, U_FOLD_CASE_DEFAULT);
}

std::u16string_view ForWordBreaks(std::u16string_view text, std::u16string& buffer) {
  std::size_t copied = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    UChar32 c = 0;
    U16_NEXT(text.data(), at, text.size(), c);
    if (IsPlain(c)) continue;
    const UChar32 stand_in = StandInFor(c);
    if (stand_in == c) continue;
    if (copied == 0) buffer.clear();
    buffer.append(text.substr(copied, begin - copied));
    if (U_IS_BMP(stand_in)) {
      buffer += static_cast<char16_t>(stand_in);
    } else {
      buffer += U16_LEAD(stand_in);
      buffer += U16_TRAIL(stand_in);
    }
    copied = at;
  }
  if (copied == 0) return text;
  buffer.append(text.substr(copied));
  return buffer;
}

bool IsForbiddenInNames(UChar32 c) { return !IsAssigned(c) || IsIn(kNewInNames, c); }

}  // namespace crawlsieve::extract

#include "extract/html/segment.h"

#include "extract/text/ascii.h"
#include "extract/text/short_names.h"
#include "extract/text/sixteen_bytes.h"
#include "extract/text/utf8.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace crawlsieve::extract {
namespace {

struct NameHint {
  std::string_view name;
  Hints hint;
};

// Words of web design rather than of any site.
constexpr std::array kNameHints = {
    NameHint{"ad", kBoilerplateHint},
    NameHint{"ads", kBoilerplateHint},
    NameHint{"adsbygoogle", kBoilerplateHint},
    NameHint{"advert", kBoilerplateHint},
    NameHint{"advertisement", kBoilerplateHint},
    NameHint{"advertising", kBoilerplateHint},
    NameHint{"banner", kBoilerplateHint},
    NameHint{"breadcrumb", kNavigationHint},
    NameHint{"breadcrumbs", kNavigationHint},
    NameHint{"byline", kBoilerplateHint},
    NameHint{"comment", kBoilerplateHint},
    NameHint{"comments", kBoilerplateHint},
    NameHint{"consent", kBoilerplateHint},
    NameHint{"cookie", kBoilerplateHint},
    NameHint{"cookies", kBoilerplateHint},
    NameHint{"copyright", kBoilerplateHint},
    NameHint{"disqus", kBoilerplateHint},
    NameHint{"dropdown", kNavigationHint},
    NameHint{"footer", kBoilerplateHint},
    NameHint{"gdpr", kBoilerplateHint},
    NameHint{"login", kBoilerplateHint},
    NameHint{"masthead", kBoilerplateHint},
    NameHint{"menu", kNavigationHint},
    NameHint{"modal", kBoilerplateHint},
    NameHint{"nav", kNavigationHint},
    NameHint{"navbar", kNavigationHint},
    NameHint{"navigation", kNavigationHint},
    NameHint{"newsletter", kBoilerplateHint},
    NameHint{"pager", kNavigationHint},
    NameHint{"pagination", kNavigationHint},
    NameHint{"popup", kBoilerplateHint},
    NameHint{"promo", kBoilerplateHint},
    NameHint{"promotion", kBoilerplateHint},
    NameHint{"recommended", kBoilerplateHint},
    NameHint{"related", kBoilerplateHint},
    NameHint{"remark", kBoilerplateHint},
    NameHint{"replies", kBoilerplateHint},
    NameHint{"respond", kBoilerplateHint},
    NameHint{"share", kBoilerplateHint},
    NameHint{"sharing", kBoilerplateHint},
    NameHint{"sidebar", kBoilerplateHint},
    NameHint{"signup", kBoilerplateHint},
    NameHint{"social", kBoilerplateHint},
    NameHint{"sponsor", kBoilerplateHint},
    NameHint{"sponsored", kBoilerplateHint},
    NameHint{"subscribe", kBoilerplateHint},
    NameHint{"subscription", kBoilerplateHint},
    NameHint{"tags", kBoilerplateHint},
    NameHint{"toolbar", kBoilerplateHint},
    NameHint{"trending", kBoilerplateHint},
    NameHint{"widget", kBoilerplateHint},
};

constexpr std::array kAriaHints = {
    NameHint{"alertdialog", kBoilerplateHint},
    NameHint{"banner", kBoilerplateHint},
    NameHint{"complementary", kBoilerplateHint},
    NameHint{"contentinfo", kBoilerplateHint},
    NameHint{"dialog", kBoilerplateHint},
    NameHint{"form", kBoilerplateHint},
    NameHint{"main", kMainHint},
    NameHint{"menu", kNavigationHint},
    NameHint{"menubar", kNavigationHint},
    NameHint{"navigation", kNavigationHint},
    NameHint{"search", kBoilerplateHint},
    NameHint{"toolbar", kBoilerplateHint},
};

constexpr std::size_t kLongestName = 13;  // "advertisement", "complementary"
static_assert(kLongestName <= SixteenBytes::kSize);

template <std::size_t kNames>
constexpr std::array<std::string_view, kNames> NamesOf(const std::array<NameHint, kNames>& hints) {
  std::array<std::string_view, kNames> names{};
  for (std::size_t i = 0; i < kNames; ++i) names[i] = hints[i].name;
  return names;
}

constexpr NameSet<kNameHints.size(), 8> kNames(NamesOf(kNameHints), 0x1472A676E8AA79A7);
static_assert(kNames.IsPerfect());

/// Of a part of a name. `part` has letters only.
Hints HintsOfPart(std::string_view part) {
  if (part.size() < 2 || part.size() > kLongestName) return kNoHints;
  std::array<char, SixteenBytes::kSize> bytes{};
  SixteenBytes::LoadFirst(part.data(), part.size()).Store(bytes.data());
  NameWords words;
  std::memcpy(&words.low, bytes.data(), 8);
  std::memcpy(&words.high, bytes.data() + 8, 8);
  // Each letter has bit 6, and the zeros behind them don't.
  constexpr std::uint64_t kBit6 = 0x4040404040404040;
  words.low |= (words.low & kBit6) >> 1;
  words.high |= (words.high & kBit6) >> 1;
  const std::uint8_t found = kNames.Find(words);
  return found == kNames.kNone ? kNoHints : kNameHints[found].hint;
}

unsigned char Byte(char c) { return static_cast<unsigned char>(c); }

/// Of 16 bits. By arithmetic: without the popcnt instruction the compiler's own looks bytes up.
std::uint32_t CountOnes(std::uint32_t x) {
  x -= x >> 1 & 0x5555;
  x = (x & 0x3333) + (x >> 2 & 0x3333);
  x = (x + (x >> 4)) & 0x0f0f;
  return (x + (x >> 8)) & 0x1f;
}

}  // namespace

std::string_view RoleName(Role role) {
  switch (role) {
    case Role::kTitle:
      return "title";
    case Role::kHeading:
      return "heading";
    case Role::kMain:
      return "main";
    case Role::kNavigation:
      return "navigation";
    case Role::kBoilerplate:
      return "boilerplate";
    case Role::kLinkText:
      return "link_text";
    case Role::kAltText:
      return "alt_text";
  }
  return {};
}

Hints HintsOfNames(std::string_view names) {
  Hints hints = kNoHints;
  bool in_part = false;
  std::size_t part = 0;             // where it begins
  std::uint32_t letter_before = 0;  // of the byte before the block, as bit 0
  std::uint32_t lower_before = 0;
  for (std::size_t at = 0; at < names.size(); at += SixteenBytes::kSize) {
    const std::size_t size = std::min(names.size() - at, SixteenBytes::kSize);
    const SixteenBytes block = size == SixteenBytes::kSize
                                   ? SixteenBytes::Load(names.data() + at)
                                   : SixteenBytes::LoadFirst(names.data() + at, size);
    const std::uint32_t upper = block.Between('A', 'Z');
    const std::uint32_t lower = block.Between('a', 'z');
    const std::uint32_t letters = upper | lower;
    const std::uint32_t behind_letter = letters << 1 | letter_before;
    const std::uint32_t capitals = upper & (lower << 1 | lower_before);
    std::uint32_t begins = letters & (~behind_letter | capitals);
    std::uint32_t ends = behind_letter & (~letters | capitals) & 0xFFFF;
    for (; ends != 0; ends &= ends - 1) {
      if (!in_part) {
        part = at + static_cast<std::size_t>(std::countr_zero(begins));
        begins &= begins - 1;
      }
      const std::size_t end = at + static_cast<std::size_t>(std::countr_zero(ends));
      hints |= HintsOfPart(names.substr(part, end - part));
      in_part = false;
    }
    if (begins != 0) {
      part = at + static_cast<std::size_t>(std::countr_zero(begins));
      in_part = true;
    }
    letter_before = letters >> 15;
    lower_before = lower >> 15;
  }
  if (in_part) hints |= HintsOfPart(names.substr(part));
  return hints;
}

Hints HintsOfAriaRole(std::string_view role) {
  role = TrimAscii(role);
  for (const NameHint& known : kAriaHints) {
    if (EqualsNoCase(role, known.name)) return known.hint;
  }
  return kNoHints;
}

std::uint32_t EstimateWords(std::string_view text) {
  std::uint32_t quarters = 0;
  bool in_word = false;
  std::size_t i = 0;
  while (i < text.size()) {
    const std::size_t size = std::min(text.size() - i, SixteenBytes::kSize);
    const SixteenBytes block = size == SixteenBytes::kSize
                                   ? SixteenBytes::Load(text.data() + i)
                                   : SixteenBytes::LoadFirst(text.data() + i, size);
    const std::size_t end = i + size;
    // Of one and two bytes are only characters of scripts that have spaces between words.
    if (block.Between('\xE0', '\xFF') == 0) {
      const std::uint32_t letters = ~block.Spaces() & ((1U << size) - 1);
      quarters += 4 * CountOnes(letters & ~(letters << 1 | (in_word ? 1U : 0U)));
      in_word = (letters >> (size - 1)) != 0;
      i = end;
      continue;
    }
    // To the end of a character, which may be behind the block.
    for (; i < text.size() && (i < end || IsUtf8Continuation(text[i])); ++i) {
      const char c = text[i];
      if (IsAsciiSpace(c)) {
        in_word = false;
        continue;
      }
      if (IsUtf8Continuation(c)) continue;
      const unsigned char second = i + 1 < text.size() ? Byte(text[i + 1]) : 0;
      // By the first bytes of UTF-8: kana and ideographs (U+3040 to U+9FFF, and beyond the BMP),
      // then Thai and Lao (U+0E00 to U+0EFF), Myanmar (U+1000), Khmer (U+1780).
      const bool ideographic =
          (Byte(c) >= 0xE3 && Byte(c) <= 0xE9 && (Byte(c) > 0xE3 || second > 0x80)) ||
          (Byte(c) == 0xF0 && second >= 0xA0);
      const bool alphabetic = (Byte(c) == 0xE0 && second >= 0xB8) ||
                              (Byte(c) == 0xE1 && (second == 0x80 || second == 0x81 ||
                                                   second == 0x9E || second == 0x9F));
      if (ideographic || alphabetic) {
        quarters += ideographic ? 2 : 1;
        in_word = false;
      } else if (!in_word) {
        quarters += 4;
        in_word = true;
      }
    }
  }
  return (quarters + 3) / 4;
}

}  // namespace crawlsieve::extract

#include "extract/html/segment.h"

#include "extract/text/ascii.h"
#include "extract/text/sixteen_bytes.h"
#include "extract/text/utf8.h"

#include <algorithm>

namespace crawlsieve::extract {
namespace {

struct NameHint {
  std::string_view name;
  Hints hint;
};

// Words of web design rather than of any site. In order, for the search.
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

template <std::size_t N>
constexpr bool InOrder(const std::array<NameHint, N>& hints) {
  for (std::size_t i = 1; i < N; ++i) {
    if (hints[i - 1].name >= hints[i].name) return false;
  }
  return true;
}
static_assert(InOrder(kNameHints) && InOrder(kAriaHints));

constexpr std::size_t kLongestName = 13;  // "advertisement", "complementary"

template <std::size_t N>
Hints Find(const std::array<NameHint, N>& hints, std::string_view name) {
  const auto found =
      std::lower_bound(hints.begin(), hints.end(), name,
                       [](const NameHint& hint, std::string_view n) { return hint.name < n; });
  return found != hints.end() && found->name == name ? found->hint : kNoHints;
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
  std::array<char, kLongestName> part{};
  std::size_t length = 0;  // of the part, kLongestName + 1 when it is longer than any name
  const auto end_part = [&] {
    if (length >= 2 && length <= kLongestName) {
      hints |= Find(kNameHints, std::string_view(part.data(), length));
    }
    length = 0;
  };
  char before = ' ';
  for (const char c : names) {
    const bool letter = IsAsciiAlpha(c);
    if (!letter || (IsAsciiUpper(c) && IsAsciiLower(before))) end_part();
    if (letter && length < kLongestName) part[length] = AsciiLower(c);
    if (letter && length <= kLongestName) ++length;
    before = c;
  }
  end_part();
  return hints;
}

Hints HintsOfAriaRole(std::string_view role) {
  role = TrimAscii(role);
  return role.size() > kLongestName ? kNoHints : Find(kAriaHints, AsciiLower(role));
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

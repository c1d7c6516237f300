#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace crawlsieve::extract {

/// What a piece of a page's text is for.
enum class Role : std::uint8_t {
  kTitle,
  kHeading,      ///< of the main text, and the headline above it
  kMain,         ///< what the page was published for
  kNavigation,   ///< ways to other pages of the site
  kBoilerplate,  ///< headers, footers, banners, teasers, comments, forms
  kLinkText,     ///< blocks of the main text that are mostly links, such as lists of sources
  kAltText,      ///< what stands in for images
};

inline constexpr std::size_t kRoleCount = 7;

inline constexpr std::array<Role, kRoleCount> kAllRoles = {
    Role::kTitle,       Role::kHeading,  Role::kMain,   Role::kNavigation,
    Role::kBoilerplate, Role::kLinkText, Role::kAltText};

/// `title`, `heading`, `main`, `navigation`, `boilerplate`, `link_text`, `alt_text`.
[[nodiscard]] std::string_view RoleName(Role role);

/// Whether text of this role is part of what the page was published for.
[[nodiscard]] constexpr bool IsMainText(Role role) {
  return role == Role::kMain || role == Role::kHeading || role == Role::kLinkText;
}

/// What an element's tag and attributes say about the text in it. Bits.
using Hints = std::uint8_t;
inline constexpr Hints kNoHints = 0;
inline constexpr Hints kNavigationHint = 1;
inline constexpr Hints kBoilerplateHint = 2;
inline constexpr Hints kMainHint = 4;
inline constexpr Hints kHeadingHint = 8;
inline constexpr Hints kHeadlineHint = 16;  ///< <h1>
inline constexpr Hints kFormHint = 32;      ///< <form>

/// What the names in `class` and `id` attributes say: "site-nav", "relatedPosts", "cookie_banner".
/// Names are taken apart at signs and at capitals within; whole parts count, so that "header" is
/// no "ad". Linear in the length.
[[nodiscard]] Hints HintsOfNames(std::string_view names);

/// What an ARIA role says: "navigation", "contentinfo", "main".
[[nodiscard]] Hints HintsOfAriaRole(std::string_view role);

/// An element that text is in. Its parent has a smaller index; the root is its own parent.
struct Container {
  std::uint32_t parent = 0;
  Hints hints = kNoHints;
};

/// A block of text: what stands between two borders of block elements.
struct Segment {
  std::uint32_t begin = 0;  ///< bytes of the page's visible text
  std::uint32_t end = 0;
  std::uint32_t container = 0;
  std::uint32_t words = 0;
  std::uint32_t link_words = 0;  ///< of `words`, those within links
  Role role = Role::kBoilerplate;
  bool in_form = false;
};

/// How many words `text` counts for: runs between white space, and where a script has no spaces
/// between words (Chinese, Japanese, Thai, Khmer, ...) two code points a word, or four of the
/// alphabetic ones. An estimate; in one pass. `text` is valid UTF-8.
[[nodiscard]] std::uint32_t EstimateWords(std::string_view text);

}  // namespace crawlsieve::extract

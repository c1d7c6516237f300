#pragma once

#include <cstdint>
#include <string_view>

namespace crawlsieve::extract {

/// What an inline style, the value of a `style` attribute, says of whether its element is shown.
struct InlineStyle {
  enum class Display : std::uint8_t {
    kUnsaid,  ///< the element's own, as without a style
    kNone,
    kShown,
  };
  enum class Visibility : std::uint8_t {
    kUnsaid,  ///< that of the element around it
    kHidden,  ///< `hidden` and `collapse`
    kVisible,
  };

  Display display = Display::kUnsaid;
  Visibility visibility = Visibility::kUnsaid;

  friend bool operator==(const InlineStyle&, const InlineStyle&) = default;
};

/// Reads a style as browsers do: the last valid declaration of a property counts, one that is
/// `!important` before others; comments, escapes, strings and brackets are those of CSS. A value
/// with `var()` counts as one whose variable isn't set. Linear in the length.
[[nodiscard]] InlineStyle ReadInlineStyle(std::string_view style);

/// The rule that logs were begun with that have Gumbo for their parser: whether any declaration is
/// `display: none` or `visibility: hidden`.
[[nodiscard]] bool StyleHides(std::string_view style);

}  // namespace crawlsieve::extract

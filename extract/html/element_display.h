#pragma once

#include "extract/html/inline_style.h"
#include "extract/text/ascii.h"

#include <string_view>

namespace crawlsieve::extract {

/// The attributes that decide, besides an element's name, whether a browser shows it: one rule for
/// all parsers.
struct DisplayAttributes {
  bool hidden = false;
  bool hidden_until_found = false;  ///< `hidden=until-found`, which no style takes back
  bool popover = false;
  bool open = false;
  bool has_data = false;  ///< `data`, and it isn't empty
  InlineStyle style = {};

  void SetHidden(std::string_view value) {
    hidden = true;
    hidden_until_found = EqualsNoCase(value, "until-found");
  }
};

/// Whether the element has a box on the page: the standard's style sheet for browsers, and the
/// inline style, which is stronger. `html`: it is no element of SVG or MathML.
[[nodiscard]] constexpr bool IsDisplayed(const DisplayAttributes& attributes, bool html,
                                         bool is_dialog) {
  using Display = InlineStyle::Display;
  if (attributes.hidden_until_found) return false;
  if (attributes.style.display != Display::kUnsaid) {
    return attributes.style.display == Display::kShown;
  }
  if (attributes.hidden) return false;
  if (!html) return true;
  return is_dialog ? attributes.open : !attributes.popover;
}

/// Whether the text in an element is visible, where that of the element around it is or isn't.
[[nodiscard]] constexpr bool IsVisibleIn(InlineStyle::Visibility own, bool around) {
  if (own == InlineStyle::Visibility::kUnsaid) return around;
  return own == InlineStyle::Visibility::kVisible;
}

}  // namespace crawlsieve::extract

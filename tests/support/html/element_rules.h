#pragma once

#include "extract/html/segment.h"

#include <cstdint>
#include <string_view>

namespace crawlsieve::html_check {

// The rules of html_text.h once more, for trees that tests read. Written apart from the parser's
// tables, so that a mistake there shows.

enum class Shown : std::uint8_t { kInline, kAsLink, kAsBlock, kAsLine, kInstead, kNot };

[[nodiscard]] Shown ShownOfHtml(std::string_view name);
[[nodiscard]] Shown ShownOfForeign(std::string_view name);
[[nodiscard]] bool StyleHidesElement(std::string_view style);
/// The hints of an HTML element's name.
[[nodiscard]] extract::Hints HintsOfElement(std::string_view name);

}  // namespace crawlsieve::html_check

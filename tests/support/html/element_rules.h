#pragma once

#include "extract/html/segment.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace crawlsieve::html_check {

// The rules of html_text.h once more, for trees that tests read. Written apart from the parser's
// tables, so that a mistake there shows.

enum class Shown : std::uint8_t { kInline, kAsLink, kAsBlock, kAsLine, kInstead, kNot };

[[nodiscard]] Shown ShownOfHtml(std::string_view name);
[[nodiscard]] Shown ShownOfForeign(std::string_view name);
/// The value of the property `wanted` that counts in an inline style, of those in `values`; empty:
/// none of them.
[[nodiscard]] std::string DeclaredValue(std::string_view style, std::string_view wanted,
                                        const std::set<std::string>& values);
/// The hints of an HTML element's name.
[[nodiscard]] extract::Hints HintsOfElement(std::string_view name);

}  // namespace crawlsieve::html_check

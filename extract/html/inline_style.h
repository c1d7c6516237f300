#pragma once

#include <string_view>

namespace crawlsieve::extract {

/// Whether an inline style, the value of a `style` attribute, says `display: none` or
/// `visibility: hidden`.
[[nodiscard]] bool StyleHides(std::string_view style);

}  // namespace crawlsieve::extract

#pragma once

#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// Text that may come from anywhere, as it stands in HTML: only text, at most 500 bytes of it, and
/// characters that reorder or hide text are shown as escapes.
[[nodiscard]] std::string PageText(std::string_view text);

}  // namespace crawlsieve::consumer

#pragma once

#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// Text as it stands in HTML, between tags or in a quoted attribute, so that it is only text.
[[nodiscard]] std::string EscapeHtml(std::string_view text);

}  // namespace crawlsieve::consumer

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// `text` in at most `most` bytes (3 or more): a longer one is cut in front of a character of UTF-8
/// and ends with "…".
[[nodiscard]] std::string BoundedText(std::string_view text, std::size_t most);

}  // namespace crawlsieve::consumer

#pragma once

#include <string>
#include <string_view>

namespace crawlsieve::consumer {

/// Whether a URL is nothing but white space and control characters: then it names no page.
[[nodiscard]] bool IsBlank(std::string_view url);

/// `url` as UTF-8, which all that is written about a page must be: where it isn't, every byte past
/// ASCII is percent-escaped. That changes the spelling, not the URL.
[[nodiscard]] std::string ToUtf8Url(std::string url);

}  // namespace crawlsieve::consumer

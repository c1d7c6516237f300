#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace crawlsieve::schedule {

/// The pattern of a URL's path and query, for URLs of one host that a site makes in the same way.
///
/// Each run of digits is `N`; the first two segments stay, what follows is `*`; of the query only
/// the names of parameters stay, sorted, each once. "https://e/2024/05/a/b?page=2&id=7" gives
/// "/N/N/*?id&page". What is longer than kMaxPatternBytes is cut. `url` is a canonical URL; of
/// other text the pattern is some text, too.
[[nodiscard]] std::string PathPattern(std::string_view url);

inline constexpr std::size_t kMaxPatternBytes = 120;

}  // namespace crawlsieve::schedule

#pragma once

#include <string>
#include <string_view>

namespace crawlsieve::extract {

/// Whether `block`, all that a block of text says, is a relative time without a number, in one of
/// 20 languages: "yesterday", "an hour ago", "gerade eben". Signs around it don't matter. Those
/// with a number are VolatileText's, wherever they stand; these are words of any text, and volatile
/// only where nothing stands beside them. Thread-safe.
[[nodiscard]] bool IsRelativeTime(std::string_view block);

/// All of these phrases, for the scheme.
[[nodiscard]] std::string DescribeRelativeTimes();

}  // namespace crawlsieve::extract

#pragma once

#include <span>
#include <string_view>

namespace crawlsieve::extract {

/// Names of months, and of days of the week, in 16 languages, UTF-8, in byte order. They are those
/// of CLDR 42, whatever ICU is there: newer ones spell some otherwise, and then dates that went out
/// of a page's text would stay.
[[nodiscard]] std::span<const std::string_view> MonthNames();
[[nodiscard]] std::span<const std::string_view> DayNames();

/// Relative times without a number in 20 languages, as CLDR 42 has them: "yesterday", "now".
[[nodiscard]] std::span<const std::string_view> RelativeTimeNames();

}  // namespace crawlsieve::extract

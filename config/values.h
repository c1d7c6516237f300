#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace crawlsieve::config {

/// A value, or what is wrong with the text it was read from. The sentence goes on from the text
/// ("is not ...") and never repeats it: the text may be a secret.
template <typename T>
using Parsed = tl::expected<T, std::string>;

/// Decimal digits only: no sign, no separators, no spaces.
[[nodiscard]] Parsed<std::uint64_t> ParseInteger(std::string_view text);

/// A number from 0 to 1 with at most four digits behind the point, in ten-thousandths.
[[nodiscard]] Parsed<std::uint32_t> ParseFraction(std::string_view text);

/// A whole number and one of B, KiB, MiB, GiB. The unit is required.
[[nodiscard]] Parsed<std::uint64_t> ParseSize(std::string_view text);

/// A whole number and one of ms, s, m, h, d. The unit is required.
[[nodiscard]] Parsed<std::chrono::milliseconds> ParseDuration(std::string_view text);

/// "true" or "false".
[[nodiscard]] Parsed<bool> ParseBoolean(std::string_view text);

/// What the parsers above read, in the largest unit that needs no fraction.
[[nodiscard]] std::string FormatFraction(std::uint32_t ten_thousandths);
[[nodiscard]] std::string FormatSize(std::uint64_t bytes);
[[nodiscard]] std::string FormatDuration(std::chrono::milliseconds duration);

}  // namespace crawlsieve::config

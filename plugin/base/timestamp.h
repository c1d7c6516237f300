#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace crawlsieve {

/// A moment in UTC, to the millisecond, as Kafka counts time.
using Timestamp = std::chrono::sys_time<std::chrono::milliseconds>;

/// "2026-03-01T12:30:05.250Z"; the fraction is left out when it is zero.
[[nodiscard]] std::string FormatRfc3339(Timestamp time);

/// Reads RFC 3339 with `Z` or a numeric offset; digits past the millisecond are dropped.
/// nullopt for anything else, dates that do not exist included.
[[nodiscard]] std::optional<Timestamp> ParseRfc3339(std::string_view text);

}  // namespace crawlsieve

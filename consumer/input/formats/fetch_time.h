#pragma once

#include "plugin/base/timestamp.h"

#include <optional>
#include <string_view>

namespace crawlsieve::consumer {

/// The time of a fetch as crawlers write it:
///
///   2026-03-01T12:30:05.25Z       RFC 3339
///   2026-03-01T12:30:05.250001    without a zone: UTC (Python's utcnow().isoformat())
///   2026-03-01T12:30:05.250+0000  an offset without a colon (Jackson)
///   1772368205, 1772368205250     seconds or, from 10^11 on, milliseconds since 1970
///   Sun Mar 01 12:30:05 UTC 2026  Java's Date.toString() in UTC or GMT; other zones have names
///                                 that are not unique, and are not read
///
/// nullopt: anything else.
[[nodiscard]] std::optional<Timestamp> ParseFetchTime(std::string_view text);

/// 14 digits in UTC, as CDX files have them: 20260301123005. nullopt: anything else.
[[nodiscard]] std::optional<Timestamp> ParseCompactTime(std::string_view text);

}  // namespace crawlsieve::consumer

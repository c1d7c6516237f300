#pragma once

#include "plugin/base/timestamp.h"

#include <optional>
#include <string_view>

namespace crawlsieve {

/// Reads a date of an HTTP header (RFC 9110, section 5.6.7), in any of its three forms:
/// "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT" and
/// "Sun Nov  6 08:49:37 1994". A year of two digits is one of 1970 to 2069: the result depends on
/// no clock. The day of the week is not compared with the date. nullopt for anything else, dates
/// that do not exist included.
[[nodiscard]] std::optional<Timestamp> ParseHttpDate(std::string_view text);

}  // namespace crawlsieve

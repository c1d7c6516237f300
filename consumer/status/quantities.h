#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace crawlsieve::consumer {

// Figures as a person reads them in passing: three digits, and the unit that fits.

/// "0", "999", "12.3 k", "4.56 M", "1.2 G".
[[nodiscard]] std::string ShortCount(std::uint64_t count);

/// All digits, in groups: "1,234,567".
[[nodiscard]] std::string LongCount(std::uint64_t count);

/// Events in a second: "0", "0.25", "12.3", "999", "1,234".
[[nodiscard]] std::string RateText(double a_second);

/// "0 B", "999 B", "12.3 KiB", "4.56 GiB".
[[nodiscard]] std::string BytesText(double bytes);

/// "0 s", "0.25 ms", "12 ms", "1.4 s", "3 min 20 s", "2 h 5 min", "3 d 4 h". Negative counts as 0.
[[nodiscard]] std::string DurationText(double seconds);

/// "12 %", "0.4 %"; "-" of nothing.
[[nodiscard]] std::string ShareText(double part, double whole);

/// How long `left` parts take at the pace of the `done` that took `seconds`; nullopt while too
/// little is done to tell: under 2 seconds, or nothing.
[[nodiscard]] std::optional<double> SecondsLeft(double done, double left, double seconds);

}  // namespace crawlsieve::consumer

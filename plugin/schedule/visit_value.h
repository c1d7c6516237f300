#pragma once

#include "plugin/schedule/change_rate.h"
#include "plugin/verdict/score.h"

#include <cstdint>

namespace crawlsieve::schedule {

/// What a fetch is worth: log2 of seconds of freshness that it wins. kNoValue: nothing.
using LogValue = Log2;
inline constexpr LogValue kNoValue = -64 * kLogOne;

/// Bounds of the time between two fetches of a URL, in seconds.
struct IntervalBounds {
  std::uint64_t min_seconds = 3'600;
  std::uint64_t max_seconds = std::uint64_t{365} * 86'400;

  friend bool operator==(const IntervalBounds&, const IntervalBounds&) = default;
};

/// What a fetch of a URL is worth `elapsed_seconds` after the one before, if its content changes at
/// `rate`: U(t) = 1/rate - (t + 1/rate) e^(-rate t), in Olston and Pandey, "Recrawl Scheduling
/// Based on Information Longevity", WWW 2008. A URL that changes all the time is worth little,
/// because the fetched copy is soon stale; a URL that never changes is, too.
[[nodiscard]] LogValue ValueOfFetch(LogRate rate, std::uint64_t elapsed_seconds);

/// When to fetch again: the shortest time within `bounds` after which a fetch is worth `threshold`,
/// in seconds. With one threshold for all URLs, no other choice of as many fetches keeps a larger
/// share of them fresh (Cho and Garcia-Molina 2003). A URL that never gets there waits for
/// `bounds.max_seconds`.
[[nodiscard]] std::uint64_t FetchInterval(LogRate rate, LogValue threshold,
                                          const IntervalBounds& bounds);

/// How much a URL is due, 0..1: V / (V + threshold), where V is the value of a fetch. At least 0.5
/// from FetchInterval on, and below it before.
[[nodiscard]] Score ScoreOfFetch(LogRate rate, LogValue threshold, const IntervalBounds& bounds,
                                 std::uint64_t elapsed_seconds);

/// Share of the time for which a copy is the current one, if it is fetched every
/// `interval_seconds` and changes at `rate`: (1 - e^-x) / x with x = rate * interval.
[[nodiscard]] Q32 ShareFresh(LogRate rate, std::uint64_t interval_seconds);

}  // namespace crawlsieve::schedule

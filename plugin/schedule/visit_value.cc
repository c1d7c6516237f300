#include "plugin/schedule/visit_value.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace crawlsieve::schedule {
namespace {

constexpr Log2 kHugeProduct = 5 * kLogOne;    // x = 32: e^-x is below one step
constexpr Log2 kTinyProduct = -20 * kLogOne;  // x = 2^-20: the first term of each series is exact

/// 2 (1 - (1 + x) e^-x) / x^2 is the sum of these times (-x)^n: 2 (n + 1) / (n + 2)!.
constexpr std::array<Q32, 13> MakeSeries() {
  std::array<Q32, 13> series{};
  Q32 factorial = 2;  // of n + 2
  for (std::size_t n = 0; n < series.size(); ++n) {
    series[n] = (2 * kQ32One * (n + 1) + factorial / 2) / factorial;
    factorial *= n + 3;
  }
  return series;
}

constexpr std::array<Q32, 13> kSeries = MakeSeries();

/// log2(1 - (1 + x) e^-x), from log2(x).
Log2 LogGain(Log2 log_x) {
  if (log_x >= kHugeProduct) return 0;
  // For small x it is x^2/2 times a series that starts with 1.
  const Log2 square = 2 * log_x - kLogOne;
  if (log_x < kTinyProduct) return square;
  const Q32 x = Exp2Q32(log_x);
  if (x >= kQ32One) {
    const Q32 lost = MultiplyQ32(kQ32One + x, ExpMinus(x));
    return Log2Of(kQ32One - lost) - 32 * kLogOne;
  }
  Q32 series = kSeries.back();
  for (std::size_t n = kSeries.size() - 1; n-- > 0;) series = kSeries[n] - MultiplyQ32(series, x);
  return square + Log2Of(series) - 32 * kLogOne;
}

}  // namespace

LogValue ValueOfFetch(LogRate rate, std::uint64_t elapsed_seconds) {
  if (elapsed_seconds == 0) return kNoValue;
  return LogGain(rate + Log2Of(elapsed_seconds)) - rate;
}

std::uint64_t FetchInterval(LogRate rate, LogValue threshold, const IntervalBounds& bounds) {
  const auto is_due = [&](std::uint64_t seconds) {
    return ValueOfFetch(rate, seconds) >= threshold;
  };
  std::uint64_t early = bounds.min_seconds;
  std::uint64_t late = std::max(bounds.max_seconds, early);
  if (is_due(early)) return early;
  if (!is_due(late)) return late;
  while (late - early > 1) {
    const std::uint64_t middle = early + (late - early) / 2;
    (is_due(middle) ? late : early) = middle;
  }
  return late;
}

Score ScoreOfFetch(LogRate rate, LogValue threshold, const IntervalBounds& bounds,
                   std::uint64_t elapsed_seconds) {
  // V / (V + T) = 1 / (1 + T / V).
  const Log2 log_ratio =
      std::clamp(threshold - ValueOfFetch(rate, elapsed_seconds), -29 * kLogOne, 29 * kLogOne);
  const Q32 ratio = Exp2Q32(log_ratio);
  const auto score = static_cast<std::uint32_t>((Score::kOne * kQ32One) / (kQ32One + ratio));
  constexpr std::uint32_t kDue = Score::kOne / 2;
  const bool is_due = elapsed_seconds >= bounds.max_seconds ||
                      (elapsed_seconds >= bounds.min_seconds && log_ratio <= 0);
  return Score{is_due ? std::max(score, kDue) : std::min(score, kDue - 1)};
}

Q32 ShareFresh(LogRate rate, std::uint64_t interval_seconds) {
  if (interval_seconds == 0) return kQ32One;
  const Log2 log_x = rate + Log2Of(interval_seconds);
  if (log_x < kTinyProduct) return kQ32One;
  const Q32 x = Exp2Q32(log_x);
  if (x >= kQ32One / 8) return ((kQ32One - ExpMinus(x)) << 24) / (x >> 8);
  // 1 - x/2 + x^2/6 - x^3/24 + ...: the difference would have few digits left.
  const Q32 square = MultiplyQ32(x, x);
  return kQ32One - x / 2 + square / 6 - MultiplyQ32(square, x) / 24;
}

}  // namespace crawlsieve::schedule

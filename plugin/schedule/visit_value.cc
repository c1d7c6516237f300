#include "plugin/schedule/visit_value.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

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

/// Borders of cells between kTinyProduct and kHugeProduct, in which LogGain is nearly a line.
constexpr Log2 kCell = kLogOne / 64;
constexpr std::size_t kBorders = (kHugeProduct - kTinyProduct) / kCell + 1;

Log2 BorderOf(std::size_t border) { return kTinyProduct + static_cast<Log2>(border) * kCell; }

std::array<Log2, kBorders> GainsAtBorders() {
  std::array<Log2, kBorders> gains;
  for (std::size_t i = 0; i < kBorders; ++i) gains[i] = LogGain(BorderOf(i));
  return gains;
}

/// Whether `seconds` is no shorter than 2^log seconds, to the nearest step.
bool Reaches(std::uint64_t seconds, Log2 log) { return seconds > 0 && Log2Of(seconds) >= log; }

constexpr Log2 kNever = std::numeric_limits<Log2>::max();

/// The least log2(x) with LogGain of at least `gain`, which never falls as x grows; kNever for a
/// gain above LogGain's largest.
Log2 LogOfGain(Log2 gain) {
  static const std::array<Log2, kBorders> gains = GainsAtBorders();
  if (gain > gains.back()) return kNever;
  const auto border =
      static_cast<std::size_t>(std::ranges::lower_bound(gains, gain) - gains.begin());
  if (border == 0) return (gain + kLogOne + 1) >> 1;  // LogGain is 2 log_x - 1
  Log2 low = BorderOf(border - 1);                    // LogGain is below `gain` here,
  Log2 high = BorderOf(border);                       // and not here
  const Log2 guess = low + static_cast<Log2>(std::int64_t{kCell} * (gain - gains[border - 1]) /
                                             (gains[border] - gains[border - 1]));
  constexpr Log2 kErrorOfGuess = 2;
  const auto halve_at = [&](Log2 log_x) { (LogGain(log_x) >= gain ? high : low) = log_x; };
  if (guess - kErrorOfGuess > low) halve_at(guess - kErrorOfGuess);
  if (guess + kErrorOfGuess < high) halve_at(guess + kErrorOfGuess);
  while (high - low > 1) halve_at(low + (high - low) / 2);
  return high;
}

/// The least number of seconds that Reaches `log`; `log` is below 62 kLogOne.
std::uint64_t FirstToReach(Log2 log) {
  std::uint64_t early = Exp2(log - 1);
  std::uint64_t late = Exp2(log) + 1;
  while (late - early > 1) {
    const std::uint64_t middle = early + (late - early) / 2;
    (Reaches(middle, log) ? late : early) = middle;
  }
  return late;
}

}  // namespace

LogValue ValueOfFetch(LogRate rate, std::uint64_t elapsed_seconds) {
  if (elapsed_seconds == 0) return kNoValue;
  return LogGain(rate + Log2Of(elapsed_seconds)) - rate;
}

std::uint64_t FetchInterval(LogRate rate, LogValue threshold, const IntervalBounds& bounds) {
  // Both logarithms grow with the time, so the fetch is due from one length of time on.
  const Log2 due = LogOfGain(threshold + rate);
  const std::uint64_t longest = std::max(bounds.max_seconds, bounds.min_seconds);
  if (due == kNever || !Reaches(longest, due - rate)) return longest;
  if (Reaches(bounds.min_seconds, due - rate)) return bounds.min_seconds;
  return FirstToReach(due - rate);
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

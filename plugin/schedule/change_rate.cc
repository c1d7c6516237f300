#include "plugin/schedule/change_rate.h"

#include <algorithm>

namespace crawlsieve::schedule {
namespace {

// 1 - 1/e and 1/e, in steps of 2^-16: how likely a change is within one mean time, and how
// unlikely.
constexpr std::uint64_t kChanged = 41'427;
constexpr std::uint64_t kUnchanged = 24'109;

constexpr std::uint64_t kStepsOfHalfLife = 64;

/// value * share / 2^32, to the nearest.
std::uint64_t Share(std::uint64_t value, Q32 share) {
  return (MultiplyQ32(value, share << 1) + 1) / 2;
}

std::uint64_t Minus(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : 0; }

LogRate Bounded(std::int64_t rate) {
  return static_cast<LogRate>(
      std::clamp<std::int64_t>(rate, -Log2Of(kMaxMeanSeconds), -Log2Of(kMinMeanSeconds)));
}

}  // namespace

LogRate RateOfMean(std::uint64_t mean_seconds) { return Bounded(-Log2Of(mean_seconds)); }

std::uint64_t MeanOfRate(LogRate rate) { return Exp2(-rate); }

void ChangeEvidence::Add(std::uint64_t interval_seconds, bool changed) {
  if (changed) changes += kVisit;
  (changed ? changed_seconds : unchanged_seconds) += std::min(interval_seconds, kLimit);
  while (std::max({changes, changed_seconds, unchanged_seconds}) >= kLimit) {
    changes /= 2;
    changed_seconds /= 2;
    unchanged_seconds /= 2;
  }
}

void ChangeEvidence::Fade(std::uint64_t since, std::uint64_t until,
                          std::uint64_t half_life_seconds) {
  const std::uint64_t step = std::max<std::uint64_t>(half_life_seconds / kStepsOfHalfLife, 1);
  if (until / step <= since / step) return;
  // After 60 half-lives nothing is left of the largest sum.
  const std::uint64_t steps = std::min(until / step - since / step, 60 * kStepsOfHalfLife);
  const Q32 left = Exp2Q32(-static_cast<Log2>(steps * (kLogOne / kStepsOfHalfLife)));
  changes = Share(changes, left);
  changed_seconds = Share(changed_seconds, left);
  unchanged_seconds = Share(unchanged_seconds, left);
}

ChangeEvidence ChangeEvidence::Without(const ChangeEvidence& part) const {
  return {Minus(changes, part.changes), Minus(changed_seconds, part.changed_seconds),
          Minus(unchanged_seconds, part.unchanged_seconds)};
}

LogRate EstimateRate(const ChangeEvidence& evidence, LogRate prior, std::uint64_t weight) {
  const std::uint64_t mean = MeanOfRate(Bounded(prior));
  // At most 2^30 seconds by 2^16 by a weight that is below 2^16.
  const std::uint64_t changes = evidence.changes + ((weight * kChanged + (1 << 15)) >> 16);
  const std::uint64_t changed =
      evidence.changed_seconds + (mean * kChanged / ChangeEvidence::kVisit * weight >> 16);
  const std::uint64_t unchanged =
      evidence.unchanged_seconds + (mean * kUnchanged / ChangeEvidence::kVisit * weight >> 16);
  if (changes == 0) return Bounded(-(std::int64_t{64} << kLogBits));
  const std::uint64_t safe_changed = std::max<std::uint64_t>(changed, 1);
  const std::uint64_t safe_unchanged = std::max<std::uint64_t>(unchanged, 1);
  return Bounded(std::int64_t{Log2Of(changes)} - Log2Of(ChangeEvidence::kVisit) -
                 Log2Of(safe_changed) + Log2OfLn1p(safe_changed, safe_unchanged));
}

}  // namespace crawlsieve::schedule

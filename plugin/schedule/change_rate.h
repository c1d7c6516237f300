#pragma once

#include "plugin/schedule/fixed_point.h"

#include <cstdint>

namespace crawlsieve::schedule {

/// How often something changes: log2 of changes a second. Between one change in 20 years and one in
/// a minute.
using LogRate = Log2;

inline constexpr std::uint64_t kMinMeanSeconds = 60;
inline constexpr std::uint64_t kMaxMeanSeconds = std::uint64_t{20} * 365 * 86'400;

/// The rate of one change in `mean_seconds`, within the bounds.
[[nodiscard]] LogRate RateOfMean(std::uint64_t mean_seconds);

/// The mean time between two changes, in seconds.
[[nodiscard]] std::uint64_t MeanOfRate(LogRate rate);

/// What visits found: of one URL, or of all URLs of a path pattern, a host or the crawl. Value
/// type.
///
/// A visit is a fetch that had content, after an earlier one. It tells whether the content changed
/// in the interval between the two, never how often or when. Counts and times fade together, so
/// that a URL's youth is forgotten at the pace of its half-life.
struct ChangeEvidence {
  /// A visit counts as this much.
  static constexpr std::uint64_t kVisit = 256;
  /// Where a sum gets this large, all three are halved.
  static constexpr std::uint64_t kLimit = std::uint64_t{1} << 60;

  std::uint64_t changes = 0;            ///< visits that found a change, in steps of 1 / kVisit
  std::uint64_t changed_seconds = 0;    ///< sum of the intervals in which it changed
  std::uint64_t unchanged_seconds = 0;  ///< sum of those in which it did not

  /// Takes a visit `interval_seconds` after the one before it.
  void Add(std::uint64_t interval_seconds, bool changed);

  /// Lets what is known fade from one moment to a later one, both in seconds of a clock that
  /// doesn't go back: half of it is left after `half_life_seconds`. Fades in 64 steps a half-life
  /// at fixed moments, so that many short times fade as much as the long one that they add up to.
  /// Does nothing where `until` isn't later.
  void Fade(std::uint64_t since, std::uint64_t until, std::uint64_t half_life_seconds);

  /// What is left without `part`, evidence that was added here too. Never below zero.
  [[nodiscard]] ChangeEvidence Without(const ChangeEvidence& part) const;

  friend bool operator==(const ChangeEvidence&, const ChangeEvidence&) = default;
};

/// The change rate that the evidence speaks for, if `prior` is what is to be expected without it.
///
/// With X visits that found a change in intervals that sum to Tc, and Tu the sum of the others, the
/// rate is (X / Tc) ln(1 + Tc / Tu): the maximum likelihood estimate of a Poisson process where all
/// intervals are equal, and close to it where they aren't. The prior counts as `weight` / kVisit
/// intervals of the length 1 / rate, in which 1 - 1/e of them find a change.
[[nodiscard]] LogRate EstimateRate(const ChangeEvidence& evidence, LogRate prior,
                                   std::uint64_t weight);

}  // namespace crawlsieve::schedule

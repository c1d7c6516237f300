#pragma once

#include "plugin/base/result.h"
#include "plugin/schedule/change_rate.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace crawlsieve::schedule {

/// Seconds since 1970, as of a fetch's clamped time (ClampedFetchTime).
using Seconds = std::uint64_t;
/// Whatever a log says, intervals stay within what can be written.
inline constexpr Seconds kLongestInterval = Seconds{100} * 365 * 86'400;

enum class UrlState : std::uint8_t {
  kLive = 0,     ///< has content, or nothing is known yet
  kMissing = 1,  ///< answered 404 once
  kGone = 2,     ///< answered 410, or 404 twice
  kMoved = 3,    ///< redirects for good; its history has moved to the target
};

/// "live", "missing", "gone", "moved".
[[nodiscard]] std::string_view NameOf(UrlState state);

/// What is kept of a URL for its schedule. Value type; 30 bytes when encoded.
struct UrlSchedule {
  static constexpr std::size_t kEncodedBytes = 30;
  static constexpr std::uint8_t kMaxFailures = 15;
  static constexpr std::uint8_t kNoBucket = 255;

  Seconds last_visit = 0;  ///< the latest fetch that had content; 0: none
  Seconds not_before = 0;  ///< no fetch is due before; 0: no such bound
  UrlState state = UrlState::kLive;
  std::uint8_t failures = 0;        ///< in a row, at most kMaxFailures
  std::uint8_t bucket = kNoBucket;  ///< where RateHistogram counts the URL
  ChangeEvidence years;             ///< fades slowly
  ChangeEvidence weeks;             ///< fades fast: what the URL does at the moment

  /// Whether the next fetch depends on how often the content changes.
  [[nodiscard]] bool has_rate() const { return state == UrlState::kLive && last_visit != 0; }

  /// Makes the evidence fit its bytes: what is too large is halved, counts and times together.
  /// The fold does this after each change, so that Encode loses nothing.
  void Fit();

  /// Needs Fit.
  [[nodiscard]] std::string Encode() const;
  /// Errors: kCorruption for another length or values that Encode never writes.
  [[nodiscard]] static Result<UrlSchedule> Decode(std::string_view bytes);

  friend bool operator==(const UrlSchedule&, const UrlSchedule&) = default;
};

}  // namespace crawlsieve::schedule

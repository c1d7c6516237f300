#pragma once

#include "plugin/base/result.h"
#include "plugin/schedule/fading_evidence.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::schedule {

/// What is known of the URLs of a host that share a path pattern.
struct PatternSchedule {
  std::string pattern;
  FadingEvidence changes;
  std::uint64_t visits = 0;     ///< fetches with content, after the first of each URL
  std::uint64_t inherited = 0;  ///< visits of the pattern whose place it took; for its rank alone

  friend bool operator==(const PatternSchedule&, const PatternSchedule&) = default;
};

/// Some of a host's path patterns: those whose hash falls into one of kSets sets. A page needs the
/// one set of its own pattern, so its cost doesn't depend on how many patterns the host has.
///
/// Bounded: kMaxPatterns patterns, so at most 256 of a host, however many URLs it has. When there
/// is no more room, the one with the fewest visits makes room, of equals the first; its successor
/// takes over its place and rank (space-saving: Metwally, Agrawal and El Abbadi, ICDT 2005), but
/// none of its evidence. So the same visits in the same order leave the same bytes.
/// Thread-compatible.
class PatternSet {
 public:
  static constexpr std::size_t kSets = 64;
  static constexpr std::size_t kMaxPatterns = 4;
  /// Of Encode, for any history. All sets of a host, their keys and its other row stay below 64
  /// KiB.
  static constexpr std::size_t kMaxEncodedBytes = 720;

  /// The set of a pattern, 0 to kSets - 1.
  [[nodiscard]] static std::uint8_t SetOf(std::string_view pattern);

  /// Takes a visit of a URL of that pattern: FetchEffect::kUnchanged or kChanged.
  void AddVisit(std::string_view pattern, Seconds time, Seconds interval, bool changed,
                Seconds half_life);

  /// nullptr where nothing is known of it. Valid until the next AddVisit.
  [[nodiscard]] const PatternSchedule* Find(std::string_view pattern) const;
  [[nodiscard]] std::size_t size() const { return patterns_.size(); }

  [[nodiscard]] std::string Encode() const;
  /// Errors: kCorruption for bytes that Encode never writes.
  [[nodiscard]] static Result<PatternSet> Decode(std::string_view bytes);

  friend bool operator==(const PatternSet&, const PatternSet&) = default;

 private:
  std::vector<PatternSchedule> patterns_;
};

}  // namespace crawlsieve::schedule

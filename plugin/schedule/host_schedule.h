#pragma once

#include "plugin/base/result.h"
#include "plugin/schedule/fading_evidence.h"
#include "plugin/schedule/fetch.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::schedule {

/// A target of redirects, while it is found out whether it is a sink: where a site sends whatever
/// it doesn't have.
struct RedirectTarget {
  std::vector<std::uint32_t> sources;   ///< hashes, ascending, at most kSinkSources
  std::vector<std::uint32_t> patterns;  ///< of the sources, ascending, at most kSinkPatterns
  std::uint64_t redirects = 0;          ///< redirects to it; for its rank alone

  friend bool operator==(const RedirectTarget&, const RedirectTarget&) = default;
};

/// What is kept of a host as a whole for the schedules of its URLs; of its path patterns:
/// PatternSet.
///
/// Bounded: at most kMaxTargets redirect targets, however many URLs the host has; see
/// kMaxEncodedBytes. When there is no more room, the one with the fewest redirects makes room, of
/// equals the one with the lowest hash; its successor takes over its rank, but not its sources. So
/// the same fetches in the same order leave the same bytes. Thread-compatible.
class HostSchedule {
 public:
  static constexpr std::size_t kMaxTargets = 16;
  static constexpr std::size_t kSinkSources = 10;
  static constexpr std::size_t kSinkPatterns = 2;
  /// Of Encode, for any history.
  static constexpr std::size_t kMaxEncodedBytes = 1'280;

  /// Takes a visit of one of the host's URLs: FetchEffect::kUnchanged or kChanged.
  void AddVisit(Seconds time, Seconds interval, bool changed, Seconds half_life);

  /// Takes whether a fetch failed for now (FetchEffect::kRetry, kError) or was answered. If more
  /// than half of the last 20 failed, the host pauses: twice as long for each pause after another,
  /// by the back-off of `retry`.
  void AddAnswer(Seconds time, bool failed, const RetryOptions& retry);

  /// No fetch of the host is due before; 0: no such bound.
  [[nodiscard]] Seconds paused_until() const { return paused_until_; }

  /// Takes a redirect between two URLs of this host. A redirect from another host must not be given
  /// here: else that host could make a sink of any page.
  void AddRedirect(std::string_view source, std::string_view pattern, std::string_view target);

  /// Whether kSinkSources sources of kSinkPatterns patterns or more have redirected to `target`: a
  /// soft 404, which is no target to take a history to.
  [[nodiscard]] bool IsSink(std::string_view target) const;
  [[nodiscard]] std::size_t sinks() const;

  [[nodiscard]] const FadingEvidence& changes() const { return changes_; }
  /// Whether there was any visit: else the host has no pattern that anything is known of.
  [[nodiscard]] bool has_visits() const { return changes_.as_of != 0; }

  [[nodiscard]] std::string Encode() const;
  /// Errors: kCorruption for bytes that Encode never writes.
  [[nodiscard]] static Result<HostSchedule> Decode(std::string_view bytes);

  friend bool operator==(const HostSchedule&, const HostSchedule&) = default;

 private:
  FadingEvidence changes_;
  std::map<std::uint64_t, RedirectTarget> targets_;  // by hash
  std::uint32_t answers_ = 0;       // of the last 20 fetches, the latest lowest: 1 for a failure
  std::uint32_t answer_count_ = 0;  // at most 20
  std::uint32_t pauses_ = 0;        // one after another
  Seconds paused_until_ = 0;
};

}  // namespace crawlsieve::schedule

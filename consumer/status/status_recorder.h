#pragma once

#include "consumer/observability/metrics.h"
#include "consumer/status/batch_findings.h"
#include "consumer/status/heavy_hitters.h"
#include "consumer/status/history.h"
#include "plugin/base/mutex.h"
#include "plugin/base/timestamp.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

/// A reason of verdicts.
struct VerdictReason {
  std::string name;
  bool is_kept = false;

  friend bool operator==(const VerdictReason&, const VerdictReason&) = default;
};

/// What StatusRecorder remembers, at one moment.
struct Recorded {
  std::vector<VerdictReason> reasons;  ///< by their number in Activity
  History::Stretch recent;             ///< the last half minute
  Activity hour;
  std::vector<History::Point> points;     ///< of 24 hours
  std::vector<HeavyHitters::Item> hosts;  ///< with most duplicates, highest first
  std::uint64_t host_duplicates = 0;      ///< of all hosts in the same time
  std::optional<Timestamp> hosts_since;
  std::vector<NearPair> pairs;  ///< newest first
};

/// The recent past of this process, in bounded memory: rates and the verdict mix of the last 24
/// hours, hosts with most duplicates, near-duplicate pairs. It is lost when the process ends.
///
/// The counters of Metrics are read from time to time, so that stages count nothing twice. Hosts
/// and pairs come once a batch.
///
/// Memory: 1.3 MiB. Thread-safe.
class StatusRecorder {
 public:
  static constexpr std::size_t kHosts = 512;  ///< counted at a time
  static constexpr std::size_t kHostsShown = 20;
  static constexpr std::size_t kPairs = 20;  ///< remembered
  static constexpr std::size_t kMinutesAPoint = 5;
  /// Hosts are counted for so long, and then for as long beside those of the time before.
  static constexpr std::chrono::hours kHostsTime{12};

  StatusRecorder();

  /// Takes up what happened since the last call; the first call counts from zero. For one caller.
  void Sample(const MetricsReading& reading, Timestamp now, std::chrono::duration<double> passed)
      EXCLUDES(mutex_);

  /// A batch was published.
  void AddBatch(const BatchFindings& findings, Timestamp now) EXCLUDES(mutex_);

  [[nodiscard]] Recorded Read() const EXCLUDES(mutex_);

 private:
  [[nodiscard]] std::size_t NumberOf(const VerdictReason& reason) REQUIRES(mutex_);
  void RotateHosts(Timestamp now) REQUIRES(mutex_);

  mutable Mutex mutex_;
  History history_ GUARDED_BY(mutex_);
  std::vector<VerdictReason> reasons_ GUARDED_BY(mutex_);
  CounterValues last_total_ GUARDED_BY(mutex_);
  std::array<LatencyCounts, kLatencies> last_latencies_ GUARDED_BY(mutex_){};
  HeavyHitters hosts_ GUARDED_BY(mutex_);
  HeavyHitters earlier_hosts_ GUARDED_BY(mutex_);
  std::optional<Timestamp> hosts_begin_ GUARDED_BY(mutex_);  ///< of hosts_
  std::optional<Timestamp> earlier_hosts_begin_ GUARDED_BY(mutex_);
  std::deque<NearPair> pairs_ GUARDED_BY(mutex_);  ///< newest last
};

}  // namespace crawlsieve::consumer

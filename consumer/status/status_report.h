#pragma once

#include "consumer/observability/metrics.h"
#include "consumer/status/resources.h"
#include "consumer/status/status_recorder.h"
#include "plugin/base/result.h"
#include "plugin/base/timestamp.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::consumer {

/// Quantiles of durations, seconds; nullopt where nothing was measured.
struct LatencyFigures {
  std::optional<double> p50;
  std::optional<double> p95;
  std::optional<double> p99;
};

/// What an operator wants to know of one process at one moment: the status page, /status.json and
/// `crawlsieve top` show it. Texts may come from pages or brokers: whoever shows them escapes them.
/// Value type.
struct StatusReport {
  enum class Health { kReady, kNotReady, kNotLive };

  struct Restore {
    std::uint64_t entries = 0;
    std::uint64_t left = 0;
    std::optional<double> seconds_left;
  };

  struct Index {
    std::uint64_t entries = 0;
    std::uint64_t fingerprints = 0;
    std::uint64_t bytes = 0;
    std::uint64_t expected_entries = 0;  ///< it is laid out for so many; 0: not known
    std::uint64_t planned_bytes = 0;     ///< what it may take then; 0: not known
    std::optional<Timestamp> last_snapshot;
  };

  /// A reason of verdicts.
  struct Mix {
    std::string reason;
    bool is_kept = false;
    std::uint64_t hour = 0;   ///< in the last hour
    std::uint64_t total = 0;  ///< since the process started
  };

  struct Stage {
    std::string name;  ///< extract, judge, end_to_end
    LatencyFigures recent;
    LatencyFigures hour;
  };

  struct Host {
    std::string name;
    std::uint64_t duplicates = 0;  ///< at most
    std::uint64_t error = 0;       ///< too high by at most this
  };

  struct Problem {
    bool is_error = false;  ///< else a warning
    std::string event;
    std::string text;
    std::uint64_t count = 0;
    Timestamp last{};
  };

  std::string instance;
  std::string version;
  std::string commit;
  std::string scheme;
  std::vector<std::string> roles;
  std::vector<std::string> inputs;
  std::string brokers;
  std::string log_topic;
  std::string verdict_topic;
  Timestamp time{};  ///< of this report
  Timestamp started_at{};

  Health health = Health::kNotReady;
  std::string reason;  ///< why not ready, or in which way; may be empty
  bool restoring = false;
  bool standby = false;
  bool connected = false;
  std::optional<Restore> restore;

  double recent_seconds = 0;  ///< what the next five are about
  double consumed_a_second = 0;
  double bytes_a_second = 0;
  double kept_a_second = 0;
  double dropped_a_second = 0;
  double errors_a_second = 0;

  std::vector<PartitionReport> partitions;  ///< those furthest behind first
  std::optional<Timestamp> log_clock;       ///< time of the log entry that was folded last
  std::uint64_t open_gap_offsets = 0;
  std::uint64_t dead_letters = 0;  ///< since the process started
  std::uint64_t dead_letters_hour = 0;

  std::vector<Mix> mix;
  DistanceCounts distances{};  ///< of near duplicates since the process started
  std::vector<Stage> stages;

  std::optional<Index> index;     ///< of a judge, or of slots that this process holds
  std::vector<SlotReport> slots;  ///< these
  std::optional<MemoryReport> memory;
  std::optional<StorageReport> storage;

  std::map<std::string, KafkaClientReport> kafka_clients;  ///< by name

  std::vector<Problem> problems;  ///< newest first
  std::vector<Host> hosts;        ///< with most duplicates, highest first
  std::uint64_t host_duplicates = 0;
  std::optional<Timestamp> hosts_since;
  std::vector<NearPair> pairs;  ///< newest first
  std::vector<History::Point> points;
  std::uint32_t minutes_a_point = static_cast<std::uint32_t>(StatusRecorder::kMinutesAPoint);

  [[nodiscard]] bool HasRole(std::string_view role) const;
  [[nodiscard]] double verdicts_a_second() const { return kept_a_second + dropped_a_second; }
  /// Records behind, of all partitions together; nullopt where no end is known.
  [[nodiscard]] std::optional<std::uint64_t> lag_records() const;
  /// Of the partition that is furthest behind; nullopt where none is known.
  [[nodiscard]] std::optional<double> lag_seconds() const;
  /// The recent figures of a stage; the last hour's where nothing happened recently.
  [[nodiscard]] LatencyFigures LatencyOf(std::string_view stage) const;
  /// "ready", "standby", "restoring", "not ready", "not live".
  [[nodiscard]] std::string_view StateName() const;
};

/// Fills in what comes from the metrics and from what was recorded.
void TakeUp(const MetricsReading& reading, const Recorded& recorded, StatusReport& report);

/// One JSON object, in valid UTF-8 whatever the texts hold.
[[nodiscard]] std::string ToJson(const StatusReport& report);

/// Errors: kInvalidInput for what ToJson doesn't write.
[[nodiscard]] Result<StatusReport> StatusFromJson(std::string_view text);

/// What a record of the metrics topic tells (docs/schemas/metrics.schema.json): less than ToJson.
/// Errors: kInvalidInput.
[[nodiscard]] Result<StatusReport> StatusFromMetricsRecord(std::string_view text);

}  // namespace crawlsieve::consumer

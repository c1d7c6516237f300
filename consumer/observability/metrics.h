#pragma once

#include "consumer/observability/latency.h"
#include "consumer/process_options.h"
#include "plugin/base/mutex.h"
#include "plugin/base/timestamp.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prometheus {
class Counter;
}  // namespace prometheus

namespace crawlsieve::consumer {

/// Events that are counted, one number each.
enum class Count {
  kRecordsConsumed,
  kBytesConsumed,       ///< of keys, values and headers
  kRedelivered,         ///< log entries at or below their partition's mark: seen before
  kRanAhead,            ///< log entries of a late writer, ignored
  kStaleGeneration,     ///< log entries of an earlier generation of their input topic, ignored
  kOtherTopic,          ///< alarm: log entries of a recreated input topic, ignored
  kLostRecords,         ///< alarm: input offsets that the log turned out to have no entry for
  kRecoveredRecords,    ///< entries for such offsets that came later, and were judged
  kUnreadRecords,       ///< alarm: input offsets that were deleted before they were read
  kSkippedEntries,      ///< alarm: log entries passed over as kafka.log.skip says
  kFieldsOmitted,       ///< fields of pages too long to be repeated in their verdicts
  kPagesParsed,         ///< those with text that the cache of repeats had not
  kPagesRepeated,       ///< those that it had
  kBodiesFetched,       ///< that lay elsewhere
  kBodiesNotHad,        ///< references that led to no body: missing, damaged, refused
  kBodyWaits,           ///< times that a partition was set back, to wait for a body
  kBytesSaved,          ///< bodies of dropped pages
  kLogEntriesAppended,  ///< by the extract stage
  kLogEntriesFolded,    ///< by the judge
  kScores,
  kRenderedScores,  ///< records of these in formats of frontiers
  kQuestions,       ///< log entries that asked for a URL's score
  kPurges,          ///< log entries that have pages forgotten
  kPurgedUrls,      ///< histories that purges took out of the state
  kPurgedPages,     ///< kept versions
  kExpiredUrls,
  kExpiredPages,
  kEvictedPages,  ///< kept versions that were more than the bound allows
  kSiteRecords,
  kKeptRecords,  ///< records of kept pages that were published
  kKeptMissing,  ///< of these, markers of pages that could not be had
  kTransactionsCommitted,
  kTransactionsAborted,
  kSlotAnswers,         ///< entries that slots of this process answered
  kSlotAsks,            ///< times that the judge asked all slots once more
  kSlotDepthAsks,       ///< or for more candidates than they had named
  kSlotRecordsRefused,  ///< alarm: records of candidates that the judge can't use
  kIndexProbes,         ///< buckets looked into
  kIndexCandidates,     ///< fingerprints compared
  kCandidatesCompared,  ///< near duplicates to be confirmed, whose sketches were compared
  kCandidatesCut,       ///< pages kept with more candidates than are compared
  kSnapshotsWritten,    ///< of the index
  kSnapshotsGivenUp,    ///< failed, or overtaken by an aborted transaction
  kSnapshotsRefused,    ///< passed over at a start: damaged, or not of this state
  kCheckpointsMade,     ///< of the state
  kCheckpointsFailed,
  kRebalances,  ///< partitions were assigned, by either group
};
inline constexpr std::size_t kCounts = static_cast<std::size_t>(Count::kRebalances) + 1;

/// Where time goes.
enum class Latency {
  kExtract,   ///< one page, record to log entry
  kJudge,     ///< one log entry, lookup to verdict
  kEndToEnd,  ///< time of the input record to its verdict committed
};
inline constexpr std::size_t kLatencies = static_cast<std::size_t>(Latency::kEndToEnd) + 1;

/// Upper ends of the buckets of the latency histogram, seconds: from a tenth of a millisecond, a
/// lookup, to a minute, more than anything should take.
inline constexpr std::array<double, 18> kLatencyBounds{
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
    0.1,    0.25,    0.5,    1,     2.5,    5,     10,   30,    60};

/// Durations in each bucket; the last one has those above all bounds.
using LatencyCounts = std::array<std::uint64_t, kLatencyBounds.size() + 1>;

/// Pages that matched a kept version, by Hamming distance of the simhashes: exact duplicates and
/// pages without a distance are in none of them.
using DistanceCounts = std::array<std::uint64_t, 8>;

/// Who reports.
struct MetricsIdentity {
  std::string instance;
  std::string version;
  std::vector<Role> roles;
  Timestamp started_at;
};

struct IndexReport {
  std::uint64_t entries = 0;
  std::uint64_t fingerprints = 0;  ///< distinct ones
  std::uint64_t bytes = 0;
  std::uint32_t shards = 0;
  std::optional<Timestamp> last_snapshot;
};

/// How far behind the end of an assigned partition we are.
struct PartitionReport {
  std::string topic;
  std::int32_t partition = 0;
  std::optional<std::int64_t> offset;  ///< next to be read
  std::optional<std::int64_t> lag;     ///< records
  std::optional<double> lag_seconds;   ///< age of the record that is next
};

/// A slot of the index that this process holds.
struct SlotReport {
  std::uint32_t slot = 0;
  std::int64_t log_offset = -1;  ///< of the last entry whose changes it has
  std::int64_t lag = 0;          ///< log entries that it has neither answered nor needs to
  std::uint64_t documents = 0;
  std::uint64_t bytes = 0;
};

/// Entries of the log that a judge folds again before it judges. Offsets.
struct RestoreReport {
  std::int64_t from = 0;  ///< the first
  std::int64_t next = 0;
  std::int64_t to = 0;  ///< behind the last
  std::chrono::steady_clock::time_point began;
};

/// The state directory and its disk. Bytes.
struct StorageReport {
  std::uint64_t used = 0;
  std::uint64_t free = 0;  ///< what this process may still write
};

/// A Kafka client of the process.
struct KafkaClientReport {
  std::uint64_t queued_records = 0;      ///< to be acknowledged, or to be polled
  std::uint64_t queued_bytes = 0;        ///< of them
  std::optional<double> broker_latency;  ///< s; 99 of 100 requests, by the slowest broker
};

/// How many input offsets of a partition the admission log has no entry for.
struct GapReport {
  std::string topic;
  std::int32_t partition = 0;
  std::uint64_t offsets = 0;
};

/// All counters at one moment, or what they grew by.
struct CounterValues {
  std::array<std::uint64_t, kCounts> counts{};
  std::map<std::string, std::uint64_t> kept;          ///< by reason
  std::map<std::string, std::uint64_t> dropped;       ///< by reason
  std::map<std::string, std::uint64_t> dead_letters;  ///< by code
  std::map<std::string, std::uint64_t> errors;        ///< by stage

  [[nodiscard]] std::uint64_t operator[](Count what) const {
    return counts[static_cast<std::size_t>(what)];
  }
};

/// What happened between two moments, and how things stood at the second.
struct MetricsWindow {
  Timestamp start;
  Timestamp end;
  CounterValues total;   ///< since the process started
  CounterValues window;  ///< since `start`
  std::array<LatencySummary, kLatencies> latencies{};
  IndexReport index;
  std::vector<PartitionReport> assignment;
  bool restoring = false;
  bool standby = false;
  bool connected = false;
};

/// Everything that is counted and how things stand, at one moment.
struct MetricsReading {
  CounterValues total;  ///< since the process started
  std::array<LatencyCounts, kLatencies> latencies{};
  DistanceCounts distances{};
  IndexReport index;
  std::vector<PartitionReport> assignment;
  std::optional<RestoreReport> restore;
  std::optional<Timestamp> log_clock;
  std::optional<StorageReport> storage;
  std::map<std::string, KafkaClientReport> kafka_clients;  ///< by name
  std::vector<SlotReport> slots;
  std::uint64_t open_gap_offsets = 0;
  bool restoring = false;
  bool standby = false;
  bool connected = false;
};

/// Counts one kind of event. A handle: belongs to its Metrics. Thread-safe, without locks.
///
/// Exact up to 2^53, as Prometheus counts in doubles.
class Counter {
 public:
  explicit Counter(prometheus::Counter& counter) : counter_(&counter) {}

  void Add(std::uint64_t count = 1);
  [[nodiscard]] std::uint64_t value() const;

 private:
  prometheus::Counter* counter_;
};

/// Everything this process reports about itself: to Prometheus as text, to the metrics topic as
/// JSON records (docs/schemas/metrics.schema.json).
///
/// Thread-safe. Add, Observe and the counters that the functions below hand out may be used for
/// every record: they look nothing up. Labels are reasons, codes, stages, topics and partitions,
/// never what a page brings, so that no crawl makes their number grow.
class Metrics {
 public:
  explicit Metrics(MetricsIdentity identity);
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  void Add(Count what, std::uint64_t count = 1);

  /// The counter for one label, made at the first call; to be looked up once and kept. It shows
  /// with 0 from then on. Valid as long as the Metrics.
  [[nodiscard]] Counter& Kept(std::string_view reason);
  [[nodiscard]] Counter& Dropped(std::string_view reason);
  [[nodiscard]] Counter& DeadLetters(std::string_view code);
  [[nodiscard]] Counter& Errors(std::string_view stage);

  void Observe(Latency what, std::chrono::nanoseconds duration);

  /// Near duplicates that were found, by distance.
  void AddDistances(const DistanceCounts& counts);

  /// How things stand; each call replaces what the last one said.
  void SetIndex(const IndexReport& index);

  /// The newest checkpoint of the state: when it was made, and the log offset that it is at.
  void SetLastCheckpoint(Timestamp made, std::int64_t log_offset);
  /// When the checkpoint was begun that is being made; nullopt: none is.
  void SetCheckpointBegun(std::optional<Timestamp> begun);
  void SetOpenGaps(const std::vector<GapReport>& gaps);
  void SetAssignment(std::vector<PartitionReport> assignment);
  void SetRestore(const std::optional<RestoreReport>& restore);  ///< nullopt: none is going on
  void SetLogClock(Timestamp time);  ///< of the log entry that was folded last
  void SetStorage(const StorageReport& storage);
  /// `client` is a name of ours, "judge_producer"; nullopt: it is gone.
  void SetKafkaClient(const std::string& client, const std::optional<KafkaClientReport>& report);
  /// The slots that this process holds, and why some of them can't answer; empty: all can.
  void SetSlots(std::vector<SlotReport> slots, std::string waiting);
  /// The slots that the judge has been waiting for; empty: for none.
  void SetSilentSlots(std::vector<std::uint32_t> slots);
  void SetRestoring(bool restoring);  ///< at first: false
  void SetStandby(bool standby);      ///< at first: false
  void SetConnected(bool connected);  ///< at first: false
  /// Input partitions that wait for a body: because its store is down, because its file still
  /// grows.
  void SetPartitionsWaiting(std::uint64_t without_store, std::uint64_t for_growing_files);

  /// Input offsets that the log has no entry for, as the judge last said: their number.
  [[nodiscard]] std::uint64_t open_gap_offsets() const;
  /// As SetPartitionsWaiting last said.
  [[nodiscard]] std::uint64_t partitions_without_store() const;
  /// As SetSlots last said.
  [[nodiscard]] std::string slots_waiting() const;
  /// As SetSilentSlots last said.
  [[nodiscard]] std::vector<std::uint32_t> silent_slots() const;
  [[nodiscard]] bool restoring() const;
  [[nodiscard]] bool standby() const;
  [[nodiscard]] bool connected() const;

  /// All of it as it is now. Ends no window.
  [[nodiscard]] MetricsReading Read() const;

  /// Everything, in Prometheus' text format 0.0.4.
  [[nodiscard]] std::string PrometheusText() const;

  /// Ends the window that began at the last call (the first one: when the process started) and
  /// begins the next. For one caller, the reporter: windows would be shared among several.
  [[nodiscard]] MetricsWindow CloseWindow(Timestamp now);

  /// The record for the metrics topic: one JSON object, without line ends.
  [[nodiscard]] std::string TopicRecord(const MetricsWindow& window) const;

  [[nodiscard]] const MetricsIdentity& identity() const { return identity_; }

 private:
  struct Registered;
  using Labelled = std::map<std::string, Counter, std::less<>>;

  [[nodiscard]] CounterValues Values() const REQUIRES(mutex_);

  const MetricsIdentity identity_;
  const std::unique_ptr<Registered> registered_;  ///< what Prometheus knows
  std::vector<Counter> counts_;                   ///< by Count; fixed once constructed
  std::array<LatencyWindow, kLatencies> latencies_;

  mutable Mutex mutex_;
  Labelled kept_ GUARDED_BY(mutex_);
  Labelled dropped_ GUARDED_BY(mutex_);
  Labelled dead_letters_ GUARDED_BY(mutex_);
  Labelled errors_ GUARDED_BY(mutex_);
  IndexReport index_ GUARDED_BY(mutex_);
  DistanceCounts distances_ GUARDED_BY(mutex_){};
  std::optional<RestoreReport> restore_ GUARDED_BY(mutex_);
  std::optional<Timestamp> log_clock_ GUARDED_BY(mutex_);
  std::optional<StorageReport> storage_ GUARDED_BY(mutex_);
  std::map<std::string, KafkaClientReport> kafka_clients_ GUARDED_BY(mutex_);
  std::uint64_t open_gap_offsets_ GUARDED_BY(mutex_) = 0;
  std::vector<SlotReport> slots_ GUARDED_BY(mutex_);
  std::string slots_waiting_ GUARDED_BY(mutex_);
  std::vector<std::uint32_t> silent_slots_ GUARDED_BY(mutex_);
  std::vector<PartitionReport> assignment_ GUARDED_BY(mutex_);
  Timestamp window_start_ GUARDED_BY(mutex_);
  CounterValues at_window_start_ GUARDED_BY(mutex_);
};

}  // namespace crawlsieve::consumer

#pragma once

#include "consumer/kafka/record.h"
#include "consumer/observability/metrics.h"
#include "consumer/service/brokers/status_board.h"
#include "consumer/service/judge/batch_counts.h"
#include "consumer/service/judge/input_alarms.h"
#include "consumer/service/judge/removal_news.h"
#include "consumer/status/status_recorder.h"
#include "plugin/judge/detector.h"
#include "plugin/judge/judge_ends.h"
#include "plugin/slots/slot_replies.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

/// Reports what becomes of the restart snapshots. Thread-compatible.
class SnapshotReporter {
 public:
  /// `report` and `metrics` are borrowed.
  SnapshotReporter(const RestartReport& report, Metrics& metrics);

  /// Reports what is new since the last call.
  void Report();

  /// When the newest one that this process has written was done.
  [[nodiscard]] std::optional<Timestamp> last() const { return last_; }

 private:
  const RestartReport& report_;
  Metrics& metrics_;
  std::uint64_t written_ = 0;
  std::uint64_t given_up_ = 0;
  std::optional<Timestamp> last_;
};

/// Writes what a judge does into the process's log, the metrics, the status board and what the
/// status page remembers. What belongs to a batch is reported once the batch is published.
/// Thread-compatible.
class JudgeReporter final : public JudgeObserver {
 public:
  struct Options {
    TopicPartition log;
    JudgeParameters parameters;
    std::string scheme;
    std::uint32_t index_shards = 0;
    /// Up to where a restore folds; nullopt while that isn't known. May be empty.
    std::function<std::optional<std::int64_t>()> committed{};
    /// Of slots of the index; null where there are none. Borrowed.
    const SlotReplies* replies = nullptr;
  };

  /// All references are borrowed.
  JudgeReporter(Options options, const Detector& detector, StatusBoard& board, Metrics& metrics,
                StatusRecorder& recorder, SnapshotReporter& snapshots);
  /// What has ended neither restores nor stands by.
  ~JudgeReporter() override;
  JudgeReporter(const JudgeReporter&) = delete;
  JudgeReporter& operator=(const JudgeReporter&) = delete;

  /// Errors: kIo, kCorruption of the state.
  Status OnMove(JudgeState from, JudgeState to, std::int64_t published) override;
  void OnRestoring(std::int64_t from, std::int64_t to) override;
  void OnSkipped(std::int64_t offset, const log::Entry* entry, bool is_live) override;
  void OnJudged(const log::Entry& entry, const Folded& folded,
                std::chrono::steady_clock::duration took) override;
  /// Errors: as OnMove.
  Status OnPublished(const LogProgress& progress) override;
  void OnDiscarded() override;
  void OnReplayed(const LogProgress& progress) override;
  void OnAsked(bool lacks_depth, bool is_again) override;
  void OnParametersAppended() override;

 private:
  /// What the open batch holds.
  struct Batch {
    BatchCounts counts;
    InputAlarms alarms;
    RemovalNews removals;
    BatchFindings findings;
    std::vector<Timestamp> sources;  ///< times of the judged input records
  };

  [[nodiscard]] Status ReportLive(std::int64_t published);
  [[nodiscard]] Status ReportOpenGaps(bool is_alarm);
  void ReportIndex();
  void ReportLag(const LogProgress& progress);
  void BeginRestore();
  void ReportRestore(std::int64_t next, std::int64_t to);
  void EndRestore();

  const Options options_;
  const Detector& detector_;
  StatusBoard& board_;
  Metrics& metrics_;
  StatusRecorder& recorder_;
  SnapshotReporter& snapshots_;
  Batch batch_;
  std::optional<RestoreReport> restore_;  ///< the one that is going on
  std::chrono::steady_clock::time_point restore_logged_;
  bool has_silent_slots_ = false;  ///< they were asked in vain, and nothing was published since
  LookupWork reported_work_;
  ConfirmWork reported_confirm_work_;
  std::set<TopicPartition> stale_generation_reported_;
  std::set<TopicPartition> other_topic_reported_;
};

}  // namespace crawlsieve::consumer

#pragma once

#include "consumer/observability/metrics.h"
#include "consumer/service/brokers/status_board.h"
#include "consumer/service/judge/checkpointer.h"
#include "consumer/service/options.h"
#include "consumer/status/status_recorder.h"
#include "plugin/base/result.h"
#include "plugin/judge/detector.h"
#include "plugin/slots/slot_replies.h"
#include "plugin/verdict/parameters.h"

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>

namespace crawlsieve::consumer {

/// The half of the service that decides: entries of the admission log → verdicts. One set of Kafka
/// clients after the other, each with a JudgeMachine between them, whose header has the table of
/// its states.
///
/// Operation: a judge first folds the log without publishing, by a reader of its own, up to the
/// committed offset of group `<group>.judge`, and then joins the group. One member is assigned the
/// log's only partition; the others are hot standbys, which go on folding what that one commits.
/// The one that is assigned fences whoever judged before, folds what was committed in between, and
/// then folds batches: verdicts → offset → commit, and after that the state (Detector::Commit).
/// With exactly_once the first three are one Kafka transaction; with at_least_once they are waited
/// for one after the other. Whatever fails on the way, the batch is discarded and the stage begins
/// again at the committed offset with clients of its own. At the end a restart snapshot is written.
///
/// Thread-compatible: Run on one thread, which owns all Kafka clients of the stage.
class JudgeStage {
 public:
  struct Options {
    KafkaOptions kafka;
    JudgeParameters parameters;
    std::string scheme;
    std::uint32_t index_shards = 0;  ///< for the metrics
    std::string instance;
    std::uint64_t kept_bytes = 0;  ///< of a record in the topic of kept pages
    std::chrono::milliseconds shutdown_timeout{30'000};
  };

  /// All references are borrowed. `replies` is null where the index is in the detector,
  /// `checkpoints` where none are made.
  JudgeStage(Options options, Detector& detector, SlotReplies* replies, Checkpointer* checkpoints,
             StatusBoard& board, Metrics& metrics, StatusRecorder& recorder);

  /// As ExtractStage::Run. Errors besides: a log or committed offset that doesn't go with the
  /// state.
  [[nodiscard]] Status Run(const std::stop_token& stop);

 private:
  const Options options_;
  Detector& detector_;
  SlotReplies* const replies_;
  Checkpointer* const checkpoints_;
  StatusBoard& board_;
  Metrics& metrics_;
  StatusRecorder& recorder_;
};

}  // namespace crawlsieve::consumer

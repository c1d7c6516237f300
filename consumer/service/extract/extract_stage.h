#pragma once

#include "consumer/claims/body_fetcher.h"
#include "consumer/crash_probe/page_notes.h"
#include "consumer/observability/metrics.h"
#include "consumer/pipeline/page_processor.h"
#include "consumer/service/brokers/status_board.h"
#include "consumer/service/options.h"
#include "plugin/base/result.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

/// The stateless half of the service: input records → entries of the admission log.
///
/// Operation: a member of group `<group>.extract` takes records, worker threads decode, extract and
/// fingerprint them, and an idempotent producer appends one entry for each, in the order of its
/// partition, dead letters apart and besides. A source offset is committed when everything that
/// became of the records below it is acknowledged, so a crash repeats entries, which the fold
/// recognises, and loses none.
///
/// A partition whose next body can't be had now (StoreOutage) is set back to that record and waits,
/// while the others go on. It is asked again with that one record, after a quarter of a second at
/// first and half a minute at most.
///
/// Limitations: entries wait for slower pages before them, at most for the limits of one page, and
/// for the attempts at one body where bodies lie elsewhere.
///
/// Thread-compatible: Run on one thread, which owns all Kafka clients of the stage.
class ExtractStage {
 public:
  struct Options {
    KafkaOptions kafka;
    ExtractStageOptions stage;
    ProcessorOptions processor;
    /// Fetches bodies that lie elsewhere; borrowed. nullptr: there is no store.
    BodyFetcher* bodies = nullptr;
    /// The largest dead letter for each input topic: what its dead-letter topic takes.
    std::map<std::string, std::uint64_t> dead_letter_bytes;
    /// Runs AnswerProbe in a process of its own (see Probe); empty: suspects are not treated
    /// differently.
    std::vector<std::string> probe_command;
    std::string instance;
    /// A name that this process keeps over restarts, which then cost no rebalance; empty: none.
    std::string static_member;
    std::chrono::milliseconds shutdown_timeout{30'000};
  };

  /// All but `options` are borrowed. `notes` has a slot for each thread; its suspects are parsed in
  /// a child first.
  ExtractStage(Options options, PageNotes& notes, StatusBoard& board, Metrics& metrics);

  /// Works until `stop` is requested; then finishes what is in flight, commits and leaves the
  /// group, within the shutdown timeout. Failures that may pass are waited out with back-off.
  /// Errors: what a person must mend (missing topic, permission, wrong property), or a failure that
  /// came back again and again.
  [[nodiscard]] Status Run(const std::stop_token& stop);

 private:
  const Options options_;
  PageNotes& notes_;
  StatusBoard& board_;
  Metrics& metrics_;
};

}  // namespace crawlsieve::consumer

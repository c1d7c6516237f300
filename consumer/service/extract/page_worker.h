#pragma once

#include "consumer/claims/body_fetcher.h"
#include "consumer/crash_probe/page_notes.h"
#include "consumer/crash_probe/probe.h"
#include "consumer/kafka/consumed_record.h"
#include "consumer/kafka/record.h"
#include "consumer/observability/metrics.h"
#include "consumer/pipeline/page_processor.h"
#include "consumer/pipeline/repeat_cache.h"
#include "consumer/service/options.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

namespace crawlsieve::consumer {

/// One assignment of a partition to this member: what a late result is told apart by.
using Epoch = std::uint64_t;

/// One reading of a partition within an assignment, which a rewind begins anew: what results of
/// records that are to be read again are told apart by.
using Pass = std::uint64_t;

/// A record that was taken, on its way to a worker thread.
struct PageTask {
  ConsumedRecord record;
  TopicPartition partition;
  Epoch epoch = 0;
  Pass pass = 0;
  std::int64_t taken_before = -1;  ///< what OffsetTracker::Take returned
  std::int64_t previous_offset = -1;
  bool begins_unclaimed = false;
  std::size_t bytes = 0;
};

/// What a worker made of it.
struct ProcessedPage {
  ConsumedRecord record;
  TopicPartition partition;
  Epoch epoch = 0;
  Pass pass = 0;
  std::int64_t taken_before = -1;
  std::size_t bytes = 0;
  ProcessedRecord processed;
  std::optional<StoreOutage> outage;  ///< set: the body couldn't be had, the entry isn't filled in
};

/// Turns records into log entries on one thread, bodies that lie elsewhere fetched on the way. A
/// page that was being parsed when a process died is parsed in a child process first.
///
/// Thread-compatible. What it borrows serves all workers and is thread-safe.
class PageWorker {
 public:
  /// All are borrowed but `slot`: this worker's own among those of `notes`. Without a `probe` no
  /// page is treated differently; without `bodies` none is fetched. `stop` ends fetches early.
  PageWorker(const KafkaOptions& kafka, const ProcessorOptions& options, const Probe* probe,
             BodyFetcher* bodies, std::stop_token stop, std::size_t slot, PageNotes& notes,
             RepeatCache& repeats, Metrics& metrics);

  [[nodiscard]] ProcessedPage Process(PageTask&& task);

 private:
  /// Fills in `processed`, or says why that can't be done now.
  std::optional<StoreOutage> ProcessNoted(SourceRecord&& source, ProcessedRecord& processed);
  tl::expected<StoredBody, StoreOutage> Fetch(const ClaimedPage& claim, const log::Source& from);

  const KafkaOptions& kafka_;
  const ProcessorOptions& options_;
  const Probe* const probe_;
  BodyFetcher* const bodies_;
  const std::stop_token stop_;
  const std::size_t slot_;
  PageNotes& notes_;
  Metrics& metrics_;
  const std::string scheme_;
  PageProcessor processor_;
};

}  // namespace crawlsieve::consumer

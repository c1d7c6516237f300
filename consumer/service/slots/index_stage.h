#pragma once

#include "consumer/observability/metrics.h"
#include "consumer/service/brokers/status_board.h"
#include "consumer/service/options.h"
#include "consumer/service/slots/held_slot.h"
#include "plugin/base/result.h"
#include "plugin/judge/detector.h"
#include "plugin/slots/layout.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>

namespace crawlsieve::consumer {

/// The index in slots: what the judge tells of changes, and entries of the log → candidates.
///
/// Operation: a group of consumers shares the slots out. A slot that was given to this process is
/// loaded from its file, or is empty; the changes behind it are taken up; then entries of the log
/// are answered, ahead of the judge. What a slot holds stays when the brokers fail. Files are
/// written at intervals and at the end. Nothing is committed anywhere: whatever is read twice,
/// missed or answered by two processes makes no difference to the verdicts (SlotReplies).
///
/// Thread-compatible: Run on one thread, which owns all Kafka clients of the stage.
class IndexStage {
 public:
  struct Options {
    KafkaOptions kafka;
    std::string scheme;
    std::string member;  ///< its name in the group, kept over restarts; may be empty
    IndexFactory make_index;
    std::filesystem::path directory;  ///< of all slots' files
    std::uint64_t file_entries = 0;   ///< log entries from a slot's file to the next; 0: none
    bool reports_index = true;        ///< else a judge of this process reports its own
    std::uint32_t index_shards = 0;   ///< for the metrics
    std::chrono::milliseconds shutdown_timeout{30'000};
  };

  /// All references are borrowed.
  IndexStage(Options options, StatusBoard& board, Metrics& metrics);

  /// As ExtractStage::Run. Errors besides: kBusy (another process has the directory), files or
  /// changes that don't go with the layout, the scheme or the log.
  [[nodiscard]] Status Run(const std::stop_token& stop);

  /// The folder of slots' files below a state directory.
  [[nodiscard]] static std::filesystem::path DirectoryIn(const std::filesystem::path& state);

  /// The layout of a configuration.
  [[nodiscard]] static SlotLayout LayoutOf(const SlotOptions& slots, const std::string& scheme);

 private:
  [[nodiscard]] Status WriteFiles();

  const Options options_;
  StatusBoard& board_;
  Metrics& metrics_;
  HeldSlots slots_;
};

}  // namespace crawlsieve::consumer

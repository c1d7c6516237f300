#pragma once

#include "consumer/pipeline/page_processor.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

/// Processes suspected records in a child process, so that a crash ends the child only.
///
/// Thread-safe.
class Probe {
 public:
  /// `command` runs AnswerProbe with the same options as this process. A child that takes longer
  /// than `patience` is killed.
  Probe(std::vector<std::string> command, std::chrono::milliseconds patience)
      : command_(std::move(command)), patience_(patience) {}

  /// The result of PageProcessor for the record, if a child survives it. Otherwise `not_evaluated`,
  /// code `crashed`; or, if decoding alone kills the child, a dead letter with that code. nullopt:
  /// no child could be started, or its options make another scheme than this process's.
  [[nodiscard]] std::optional<ProcessedRecord> Process(const SourceRecord& source,
                                                       const ProcessorOptions& options) const;

 private:
  enum class Fate { kAnswered, kDied, kNotStarted };
  [[nodiscard]] Fate Ask(const SourceRecord& source, const FingerprintOptions& fingerprint,
                         Depth depth, ProcessedRecord& answer) const;

  std::vector<std::string> command_;
  std::chrono::milliseconds patience_;
};

/// The child: reads a request from standard input to its end, answers on standard output. Key and
/// version of the scheme come with the request, all else is in `options`. Returns whether it
/// succeeded.
[[nodiscard]] bool AnswerProbe(ProcessorOptions options);

}  // namespace crawlsieve::consumer

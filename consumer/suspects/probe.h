#pragma once

#include "consumer/pipeline/page_processor.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

/// Works on records that may kill the process in a child, so that they don't.
///
/// Thread-safe.
class Probe {
 public:
  /// `command` runs AnswerProbe with the same options as this process. A child that takes longer
  /// than `patience` is killed.
  Probe(std::vector<std::string> command, std::chrono::milliseconds patience)
      : command_(std::move(command)), patience_(patience) {}

  /// What PageProcessor makes of the record if a child survives that; else `not_evaluated`, code
  /// `crashed`, or, when decoding alone kills the child, a dead letter with that code. nullopt: no
  /// child could be started, or it has other options than this process, whose scheme is `scheme`.
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
/// version of the scheme come with the request, all else is in `options`. Returns whether that went
/// well.
[[nodiscard]] bool AnswerProbe(ProcessorOptions options);

}  // namespace crawlsieve::consumer

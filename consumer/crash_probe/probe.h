#pragma once

#include "consumer/pipeline/page_processor.h"

#include <chrono>
#include <functional>
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

  /// Fetches a body that lies elsewhere; nullopt: not now.
  using FetchBody = std::function<std::optional<StoredBody>(const ClaimedPage&)>;

  /// The result of PageProcessor for the record, if a child survives it. A body that the record
  /// claims is fetched with `fetch` in this process, and parsed in the child. Otherwise
  /// `not_evaluated`, code `crashed`; or, if decoding alone kills the child, a dead letter with
  /// that code. nullopt: no child could be started, its options make another scheme than this
  /// process's, or there is no body now.
  [[nodiscard]] std::optional<ProcessedRecord> Process(const SourceRecord& source,
                                                       const ProcessorOptions& options,
                                                       const FetchBody& fetch = {}) const;

 private:
  enum class Fate { kAnswered, kDied, kNotStarted };
  [[nodiscard]] Fate Ask(const SourceRecord& source, const ProcessorOptions& options, Depth depth,
                         const StoredBody* body, ProcessedRecord& answer) const;

  std::vector<std::string> command_;
  std::chrono::milliseconds patience_;
};

/// The child: reads a request from standard input to its end, answers on standard output. Key,
/// version of the scheme and parser come with the request, all else is in `options`. Returns
/// whether it succeeded.
[[nodiscard]] bool AnswerProbe(ProcessorOptions options);

}  // namespace crawlsieve::consumer

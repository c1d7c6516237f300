#pragma once

#include "consumer/output/scan_summary.h"
#include "consumer/pipeline/entry_fold.h"
#include "consumer/pipeline/extract_records.h"
#include "plugin/base/result.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "cli/common.h"
#include "cli/progress.h"

namespace crawlsieve::consumer {

/// Writes verdicts as JSON lines and counts them.
class VerdictWriter {
 public:
  /// `to_terminal`: the verdicts may be shown on one. `examples`: see ScanSummary.
  VerdictWriter(OutputFile out, bool to_terminal, std::size_t examples)
      : out_(std::move(out)), to_terminal_(to_terminal), summary_(examples) {}

  [[nodiscard]] Status Write(const log::Page& page, const Verdict& verdict);
  [[nodiscard]] Status Flush() { return out_.Flush(); }
  /// Writes to `out` from here on. Flush comes first.
  void GoOnIn(OutputFile out) { out_ = std::move(out); }

  [[nodiscard]] const ScanSummary& summary() const { return summary_; }
  void AddDeadLetter() { summary_.AddDeadLetter(); }

 private:
  OutputFile out_;
  const bool to_terminal_;
  ScanSummary summary_;
};

/// Tells of records without a URL and of formats that were met, on standard error; writes the
/// former as JSON lines if asked.
class RecordReporter {
 public:
  /// `progress` is cleared before a line is written, and outlives this.
  RecordReporter(std::optional<OutputFile> dead_letters, Progress& progress)
      : dead_letters_(std::move(dead_letters)), progress_(progress) {}

  /// A file for dead letters, unless `path` is empty. Errors: as OutputFile::Open.
  [[nodiscard]] static Result<std::optional<OutputFile>> OpenFile(
      const std::filesystem::path& path);

  [[nodiscard]] Status OnDeadLetter(const std::string& origin, const DecodeFailure& failure);
  void OnFormat(FormatKind format, const std::string& origin);
  [[nodiscard]] Status Flush();

 private:
  std::optional<OutputFile> dead_letters_;
  Progress& progress_;
};

}  // namespace crawlsieve::consumer

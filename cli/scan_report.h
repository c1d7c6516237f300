#pragma once

#include "consumer/input/file_reader.h"
#include "consumer/pipeline/page_processor.h"
#include "plugin/base/result.h"
#include "plugin/state/store.h"
#include "plugin/verdict/parameters.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "cli/report_folder.h"
#include "evaluation/crawl/crawl_findings.h"

namespace crawlsieve::consumer {

/// Makes the report of a scan. Thread-compatible.
class ScanReport {
 public:
  /// What was scanned, and how.
  struct Scanned {
    std::vector<std::filesystem::path> paths;
    FileReader::Options reading;
    ProcessorOptions processing;
    FileReaderCounts files;
    std::chrono::duration<double> elapsed;
  };

  /// Errors: as ReportFolder::Open.
  [[nodiscard]] static Result<ScanReport> Open(const std::filesystem::path& folder,
                                               const JudgeParameters& parameters);

  /// Is to be told of every verdict and dead letter.
  [[nodiscard]] CrawlFindings& findings() { return *findings_; }

  /// Reads the pages that are shown once more, for their words, and writes the report. `store` has
  /// the state behind the scan. Says on standard error what it does. Errors: kIo, kCorruption.
  [[nodiscard]] Status Write(const Scanned& scanned, const Store& store);

 private:
  ScanReport(ReportFolder folder, const JudgeParameters& parameters)
      : folder_(std::move(folder)),
        parameters_(parameters),
        findings_(std::make_unique<CrawlFindings>(parameters)) {}

  ReportFolder folder_;
  JudgeParameters parameters_;
  std::unique_ptr<CrawlFindings> findings_;
};

}  // namespace crawlsieve::consumer

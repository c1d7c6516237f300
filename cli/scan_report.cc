#include "cli/scan_report.h"

#include "consumer/observability/printable.h"
#include "plugin/base/result.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "cli/progress.h"
#include "evaluation/crawl/crawl_report.h"
#include "evaluation/crawl/neighbours.h"
#include "evaluation/crawl/sampled_texts.h"
#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

using Texts = std::map<std::uint64_t, SampledText>;

/// The words of the records that are shown; none where the input can't be read twice.
Result<Texts> ReadShown(const ScanReport::Scanned& scanned,
                        const std::set<std::uint64_t>& records) {
  const bool is_standard_input = std::ranges::find(scanned.paths, "-") != scanned.paths.end();
  if (records.empty() || is_standard_input) return Texts();
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto reader, FileReader::Open(scanned.paths, scanned.reading));
  Progress progress("report");
  auto texts = ReadTexts(*reader, scanned.processing, records, [&] {
    if (!progress.IsDue()) return;
    progress.Show(reader->bytes_read(), reader->bytes_total(), "reading pages to show again");
  });
  progress.Clear();
  return texts;
}

}  // namespace

Result<ScanReport> ScanReport::Open(const std::filesystem::path& folder,
                                    const JudgeParameters& parameters) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto opened, ReportFolder::Open(folder));
  return ScanReport(std::move(opened), parameters);
}

Status ScanReport::Write(const Scanned& scanned, const Store& store) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto neighbours,
                              FindNeighbours(store, findings_->kept().values(), parameters_));
  const auto pairs = PairsToShow(*findings_, neighbours);
  auto texts = ReadShown(scanned, RecordsOf(pairs, *findings_));
  if (!texts) {
    // The verdicts are there: a report without words is more than none.
    fmt::print(stderr, "warning: the report is without the pages' words: {}\n",
               Printable(texts.error().message));
    texts = Texts();
  }
  CRAWLSIEVE_RETURN_IF_ERROR(folder_.Write(CrawlReport({.findings = *findings_,
                                                        .neighbours = neighbours,
                                                        .pairs = pairs,
                                                        .texts = *texts,
                                                        .files = scanned.files,
                                                        .parameters = parameters_,
                                                        .elapsed = scanned.elapsed})));
  fmt::print(stderr, "report: {}\n", folder_.page().string());
  return {};
}

}  // namespace crawlsieve::consumer

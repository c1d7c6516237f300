#include "config/load.h"
#include "consumer/input/file_reader.h"
#include "consumer/observability/printable.h"
#include "consumer/output/scan_summary.h"
#include "consumer/pipeline/scan.h"
#include "plugin/base/result.h"
#include "plugin/index/sharded_index.h"

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/progress.h"
#include "cli/scan_report.h"
#include "cli/score_file.h"
#include "cli/verdict_writer.h"
#include <fmt/format.h>
#include <unistd.h>

namespace crawlsieve::consumer {
namespace {

using Clock = std::chrono::steady_clock;

/// Writes the verdicts, counts them, and shows how far the scan is.
class ScanOutput final : public ScanListener {
 public:
  /// `report`: nullptr where none is asked for.
  ScanOutput(VerdictWriter verdicts, std::optional<OutputFile> dead_letters,
             std::optional<ScoreFile> scores, FileReader& reader, ScanReport* report)
      : verdicts_(std::move(verdicts)),
        records_(std::move(dead_letters), progress_),
        scores_(std::move(scores)),
        reader_(reader),
        report_(report) {}

  Status OnVerdict(const log::Page& page, const Verdict& verdict) override {
    if (progress_.IsDue()) ShowProgress();
    if (report_ != nullptr) report_->findings().Add(page, verdict);
    return verdicts_.Write(page, verdict);
  }

  [[nodiscard]] bool takes_scores() const override { return scores_.has_value(); }
  Status OnScores(std::span<const UrlScore> scores) override {
    scores_->Add(scores);
    return {};
  }

  Status OnDeadLetter(const std::string& origin, const DecodeFailure& failure) override {
    verdicts_.AddDeadLetter();
    if (report_ != nullptr) report_->findings().AddDeadLetter();
    return records_.OnDeadLetter(origin, failure);
  }

  void OnFormat(FormatKind format, const std::string& origin) override {
    records_.OnFormat(format, origin);
  }

  Status OnCommit() override {
    PrintWarnings();
    CRAWLSIEVE_RETURN_IF_ERROR(records_.Flush());
    return verdicts_.Flush();
  }

  void PrintWarnings() {
    const std::vector<std::string> warnings = reader_.TakeWarnings();
    if (warnings.empty()) return;
    progress_.Clear();
    crawlsieve::consumer::PrintWarnings(warnings);
  }

  /// The file of scores, if one is asked for.
  Status WriteScores() {
    if (!scores_.has_value()) return {};
    CRAWLSIEVE_RETURN_IF_ERROR(scores_->Write());
    fmt::print(stderr, "scores of {} URLs", scores_->urls() - scores_->left_out());
    if (scores_->left_out() > 0) {
      fmt::print(stderr, "; {} have none that the format can say, such as suppressed ones",
                 scores_->left_out());
    }
    fmt::print(stderr, "\n");
    return {};
  }

  void EndProgress() { progress_.Clear(); }

  [[nodiscard]] const ScanSummary& summary() const { return verdicts_.summary(); }

 private:
  void ShowProgress() {
    progress_.Show(reader_.bytes_read(), reader_.bytes_total(),
                   fmt::format("{} pages, {} dropped", summary().pages(), summary().dropped()));
  }

  Progress progress_{"scan"};
  VerdictWriter verdicts_;
  RecordReporter records_;
  std::optional<ScoreFile> scores_;
  FileReader& reader_;
  ScanReport* report_;
};

}  // namespace

int ScanCommand(const ScanArguments& arguments) {
  const auto config = LoadOrReport(arguments.config);
  if (!config.has_value()) return kExitWrongInput;
  auto reader = FileReader::Open(arguments.paths, FileOptionsOf(*config, arguments.format));
  if (!reader) return PrintError(reader.error());
  auto verdicts = OutputFile::Open(arguments.out);
  if (!verdicts) return PrintError(verdicts.error());
  auto dead_letters = RecordReporter::OpenFile(arguments.dead_letters);
  if (!dead_letters) return PrintError(dead_letters.error());

  std::optional<ScoreFile> scores;
  if (!arguments.scores.empty()) {
    auto opened = ScoreFile::Open(arguments.scores, arguments.score_format);
    if (!opened) return PrintError(opened.error());
    scores = std::move(*opened);
  }

  std::optional<ScanReport> report;
  if (!arguments.report.empty()) {
    auto opened = ScanReport::Open(arguments.report, config->judge);
    if (!opened) return PrintError(opened.error());
    report = std::move(*opened);
  }

  const ScopedDirectory temporary(arguments.state.empty());
  StoreOptions store_options;
  store_options.directory = arguments.state.empty() ? temporary.path() : arguments.state;
  auto store = Store::Open(store_options);
  if (!store) return PrintError(store.error());
  const auto bodies = BodyFetcherOf(*config);
  if (!bodies) return PrintError(bodies.error());
  ScanOptions options{RecordOptionsOf(*config, arguments.random_key), config->judge};
  options.bodies = bodies->get();
  const auto state_scheme = Detector::SchemeOf(**store);
  if (!state_scheme) return PrintError(state_scheme.error());
  if (state_scheme->has_value()) {
    options.processor = ToMatch(**state_scheme, std::move(options.processor));
    if (options.processor.fingerprint.version == SchemeVersion::k1) {
      fmt::print(stderr,
                 "warning: {} has fingerprints of version 1, for which pages that collide can be "
                 "built; a new state directory has version 2\n",
                 arguments.state.string());
    }
  }
  auto detector = Detector::Open(**store, IndexFactoryOf(*config), SchemeOf(options.processor));
  if (!detector) return PrintError(detector.error());

  ScanOutput output(VerdictWriter(std::move(*verdicts), arguments.out.empty(), arguments.examples),
                    std::move(*dead_letters), std::move(scores), **reader,
                    report.has_value() ? &*report : nullptr);
  const auto begin = Clock::now();
  const auto scanned = Scan(**reader, **detector, options, output);
  const std::chrono::duration<double> elapsed = Clock::now() - begin;
  output.EndProgress();
  output.PrintWarnings();
  const Status kept = arguments.state.empty() ? Status() : (*store)->Flush();
  if (!scanned) return PrintError(scanned.error(), kExitFailed);
  if (!kept) return PrintError(kept.error(), kExitFailed);
  const Status written = output.WriteScores();
  if (!written) return PrintError(written.error(), kExitFailed);
  if (report.has_value()) {
    const Status reported =
        report->Write({arguments.paths, FileOptionsOf(*config, arguments.format), options.processor,
                       (*reader)->counts(), elapsed},
                      **store);
    if (!reported) return PrintError(reported.error(), kExitFailed);
  }

  // Verdicts on standard output leave standard error for the summary.
  std::FILE* stream = arguments.out.empty() ? stderr : stdout;
  const ScanSummary& summary = output.summary();
  const std::string text = arguments.json
                               ? PrintableJson(summary.Json((*reader)->counts(), elapsed)) + "\n"
                               : summary.Text((*reader)->counts(), elapsed);
  std::fputs(text.c_str(), stream);
  const FileReaderCounts& counts = (*reader)->counts();
  if (summary.pages() == 0) {
    const std::string why =
        summary.dead_letters() == 0
            ? "no record of a page in these files"
            : fmt::format("none of the {} records is a page: see the dead letters above",
                          summary.dead_letters());
    return PrintError(Error{ErrorCode::kInvalidInput, why});
  }
  if (counts.damaged_files > 0) {
    fmt::print(stderr, "crawlsieve: {} of {} files damaged: see the warnings above\n",
               counts.damaged_files, counts.files);
    return kExitIncomplete;
  }
  return kExitDone;
}

}  // namespace crawlsieve::consumer

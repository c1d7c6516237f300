#include "consumer/input/file_reader.h"
#include "consumer/observability/printable.h"
#include "plugin/base/result.h"

#include <cstdio>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/progress.h"
#include "cli/report_folder.h"
#include "evaluation/evaluation.h"
#include "evaluation/labelled_pairs.h"
#include "evaluation/page_set.h"
#include "evaluation/report.h"
#include "evaluation/schemes/contest.h"
#include "evaluation/summary.h"
#include "evaluation/what_if.h"
#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

Result<PageSet> LoadPages(const EvalArguments& arguments, const config::Config& config,
                          bool with_text) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(
      auto reader, FileReader::Open(arguments.pages, FileOptionsOf(config, arguments.format)));
  Progress progress("eval");
  const auto show = [&progress, &reader](std::size_t count) {
    if (!progress.IsDue()) return;
    progress.Show(reader->bytes_read(), reader->bytes_total(),
                  fmt::format("{} pages extracted", count));
  };
  auto pages = PageSet::Load(*reader, OfflineProcessorOptions(config, arguments.random_key),
                             ThreadsOf(config.extract_stage), with_text, show);
  progress.Clear();
  if (!pages) return pages;
  PrintWarnings(pages->warnings());
  return pages;
}

Result<std::vector<LabelledPair>> ReadAllPairs(const std::vector<std::filesystem::path>& paths) {
  std::vector<LabelledPair> all;
  for (const auto& path : paths) {
    auto pairs = ReadPairs(path);
    if (!pairs) return pairs;
    all.insert(all.end(), std::make_move_iterator(pairs->begin()),
               std::make_move_iterator(pairs->end()));
  }
  return all;
}

/// The result of one way to evaluate.
struct Findings {
  std::string text;  ///< table or JSON, as asked for
  std::string report;
};

Result<Findings> EvaluatePairs(const EvalArguments& arguments, const config::Config& config,
                               const PageSet& pages) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto pairs, ReadAllPairs(arguments.pairs));
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto evaluation, Evaluate(pages, pairs, config.judge));
  if (!arguments.scheme.empty()) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto rows, RunContest(evaluation, pages, arguments.scheme));
    return Findings{arguments.json ? ContestJson(rows) + "\n" : ContestText(rows),
                    EvaluationReport(evaluation, pages)};
  }
  return Findings{
      arguments.json ? EvaluationJson(evaluation, pages) + "\n" : EvaluationText(evaluation, pages),
      EvaluationReport(evaluation, pages)};
}

Result<Findings> EvaluateSettings(const EvalArguments& arguments, const config::Config& config,
                                  const PageSet& pages) {
  const ScopedDirectory temporary(true);
  CRAWLSIEVE_ASSIGN_OR_RETURN(
      const auto what_if,
      AskWhatIf(pages, config.judge, IndexFactoryOf(config),
                {.samples_per_distance = arguments.samples, .directory = temporary.path()}));
  return Findings{arguments.json ? WhatIfJson(what_if, pages) + "\n" : WhatIfText(what_if, pages),
                  WhatIfReport(what_if, pages)};
}

}  // namespace

int EvalCommand(const EvalArguments& arguments) {
  const auto config = LoadOrReport(arguments.config);
  if (!config.has_value()) return kExitWrongInput;
  const bool is_labelled = !arguments.pairs.empty();
  const bool with_text = is_labelled || !arguments.report.empty();
  std::optional<ReportFolder> report;
  if (!arguments.report.empty()) {
    auto opened = ReportFolder::Open(arguments.report);
    if (!opened) return PrintError(opened.error());
    report = std::move(*opened);
  }
  const auto pages = LoadPages(arguments, *config, with_text);
  if (!pages) return PrintError(pages.error());
  const auto findings = is_labelled ? EvaluatePairs(arguments, *config, *pages)
                                    : EvaluateSettings(arguments, *config, *pages);
  if (!findings) return PrintError(findings.error());
  if (report.has_value()) {
    if (const Status written = report->Write(findings->report); !written) {
      return PrintError(written.error(), kExitFailed);
    }
  }
  std::fputs(arguments.json ? PrintableJson(findings->text).c_str() : findings->text.c_str(),
             stdout);
  return kExitDone;
}

}  // namespace crawlsieve::consumer

#include "consumer/cli/commands.h"
#include "consumer/cli/common.h"
#include "consumer/evaluation/evaluation.h"
#include "consumer/evaluation/labelled_pairs.h"
#include "consumer/evaluation/page_set.h"
#include "consumer/evaluation/summary.h"
#include "consumer/input/file_reader.h"

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

Result<PageSet> LoadPages(const std::vector<std::filesystem::path>& paths,
                          const config::Config& config, bool with_text) {
  auto reader = FileReader::Open(paths, FileReader::Options());
  if (!reader) return tl::unexpected(reader.error());
  Progress progress;
  auto pages = PageSet::Load(**reader, ProcessorOptionsOf(config), ThreadsOf(config.extract_stage),
                             with_text, [&progress](std::size_t count) {
                               if (progress.IsDue())
                                 progress.Show(fmt::format("{} pages extracted", count));
                             });
  progress.Clear();
  if (!pages) return pages;
  for (const std::string& warning : pages->warnings()) {
    fmt::print(stderr, "warning: {}\n", warning);
  }
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

}  // namespace

int EvalCommand(const EvalArguments& arguments) {
  const auto config = LoadOrTell(arguments.config);
  if (!config.has_value()) return kExitWrongInput;
  const auto pairs = ReadAllPairs(arguments.pairs);
  if (!pairs) return Tell(pairs.error());
  const auto pages = LoadPages(arguments.pages, *config, true);
  if (!pages) return Tell(pages.error());
  const auto evaluation = Evaluate(*pages, *pairs, config->judge);
  if (!evaluation) return Tell(evaluation.error());
  const std::string text = arguments.json ? EvaluationJson(*evaluation, *pages) + "\n"
                                          : EvaluationText(*evaluation, *pages);
  std::fputs(text.c_str(), stdout);
  return kExitDone;
}

}  // namespace crawlsieve::consumer

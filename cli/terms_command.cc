#include "consumer/input/file_reader.h"
#include "consumer/input/formats/input_format.h"
#include "extract/extractor.h"
#include "extract/features/term_weights.h"
#include "extract/features/terms.h"
#include "plugin/base/result.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/progress.h"
#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

/// The terms of the words, one space between them, of a text in this language.
std::vector<std::string> TermsOf(std::string_view words, std::string_view language,
                                 extract::TermFinder& finder) {
  std::vector<std::string> terms;
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    std::string term = finder.TermOf(language, words.substr(0, end));
    if (!term.empty()) terms.push_back(std::move(term));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return terms;
}

Result<extract::TermCounter> CountTerms(FileReader& reader, const config::Config& config) {
  const ProcessorOptions options = ProcessorOptionsOf(config);
  const FeatureHasher hasher(options.fingerprint);
  extract::Extractor extractor(options.extract, hasher);
  extract::TermFinder finder(options.extract.features.terms, hasher);
  extract::TermCounter counter;
  Progress progress("terms");
  for (FileRecord record;;) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto has_record, reader.Next(record));
    if (!has_record) break;
    const Decoded decoded = Decode(std::move(record.record), record.format, options.decode);
    const auto* const page = std::get_if<extract::Page>(&decoded);
    if (page == nullptr) continue;
    const extract::Document document = extractor.Extract(*page);
    if (document.outcome != extract::Outcome::kText) continue;
    counter.Add(TermsOf(document.normalized_text, document.detected_language, finder));
    if (progress.IsDue()) {
      progress.Show(reader.bytes_read(), reader.bytes_total(),
                    fmt::format("{} pages read", counter.documents()));
    }
  }
  progress.Clear();
  PrintWarnings(reader.TakeWarnings());
  return counter;
}

}  // namespace

int TermsCommand(const TermsArguments& arguments) {
  const auto config = LoadOrReport(arguments.config);
  if (!config.has_value()) return kExitWrongInput;
  auto reader = FileReader::Open(arguments.paths, FileReader::Options());
  if (!reader) return PrintError(reader.error());
  const auto counter = CountTerms(**reader, *config);
  if (!counter) return PrintError(counter.error(), kExitFailed);
  if (counter->documents() == 0) {
    return PrintError(Error{ErrorCode::kInvalidInput, "there is no page with text in these files"});
  }
  auto file = OutputFile::Open(arguments.out);
  if (!file) return PrintError(file.error());
  std::string table = counter->Table(arguments.min_documents);
  table.pop_back();  // WriteLine's
  if (auto written = file->WriteLine(table); !written)
    return PrintError(written.error(), kExitFailed);
  if (auto flushed = file->Flush(); !flushed) return PrintError(flushed.error(), kExitFailed);
  fmt::print("{} pages\n", counter->documents());
  return kExitDone;
}

}  // namespace crawlsieve::consumer

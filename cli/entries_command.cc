#include "consumer/input/file_reader.h"
#include "consumer/pipeline/entry_file.h"
#include "consumer/pipeline/entry_fold.h"
#include "consumer/pipeline/extract_records.h"
#include "plugin/base/result.h"
#include "plugin/state/store.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/progress.h"
#include "cli/verdict_writer.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using Json = nlohmann::ordered_json;

/// Counts what an extraction tells, and passes it on.
class ExtractionReport final : public RecordListener {
 public:
  ExtractionReport(std::optional<OutputFile> dead_letters, Progress& progress)
      : records_(std::move(dead_letters), progress) {}

  Status OnDeadLetter(const std::string& origin, const DecodeFailure& failure) override {
    ++dead_letters_;
    return records_.OnDeadLetter(origin, failure);
  }
  void OnFormat(FormatKind format, const std::string& origin) override {
    records_.OnFormat(format, origin);
  }

  [[nodiscard]] Status Flush() { return records_.Flush(); }
  [[nodiscard]] std::uint64_t dead_letters() const { return dead_letters_; }

 private:
  RecordReporter records_;
  std::uint64_t dead_letters_ = 0;
};

/// What became of files of pages, for the program that asked.
Json ExtractionJson(const std::string& scheme, const FileReaderCounts& counts,
                    std::uint64_t dead_letters) {
  return {{"scheme", scheme},
          {"records", counts.records},
          {"dead_letters", dead_letters},
          {"revisits", counts.revisits},
          {"set_aside", counts.set_aside},
          {"damaged_files", counts.damaged_files},
          {"lost_stretches", counts.lost_stretches}};
}

/// Writes the verdicts of each file of entries to a file of its own.
class FoldOutput final : public VerdictListener {
 public:
  FoldOutput(VerdictWriter verdicts, Progress& progress)
      : verdicts_(std::move(verdicts)), progress_(progress) {}

  Status OnVerdict(const log::Page& page, const Verdict& verdict) override {
    if (progress_.IsDue()) {
      progress_.Show(bytes_before_ + reader_->bytes_read(), bytes_total_,
                     fmt::format("{} pages, {} dropped", verdicts_.summary().pages(),
                                 verdicts_.summary().dropped()));
    }
    return verdicts_.Write(page, verdict);
  }
  Status OnCommit() override { return verdicts_.Flush(); }

  void Expect(std::uint64_t bytes) { bytes_total_ += bytes; }
  /// The entries that come are those of `reader`, which stays until EndFile.
  void BeginFile(const EntryFileReader& reader) { reader_ = &reader; }
  void EndFile() {
    bytes_before_ += reader_->bytes_read();
    reader_ = nullptr;
  }
  [[nodiscard]] VerdictWriter& verdicts() { return verdicts_; }

 private:
  VerdictWriter verdicts_;
  Progress& progress_;
  const EntryFileReader* reader_ = nullptr;
  std::uint64_t bytes_before_ = 0;
  std::uint64_t bytes_total_ = 0;
};

/// The verdicts of `entries` in `folder`.
std::filesystem::path VerdictsOf(const std::filesystem::path& entries,
                                 const std::filesystem::path& folder) {
  return folder / entries.filename().replace_extension(".jsonl");
}

/// Folds one file of entries.
Status FoldFile(const std::filesystem::path& path, EntryFold& fold, FoldOutput& output) {
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto reader, EntryFileReader::Open(path));
  output.BeginFile(reader);
  log::Entry entry;
  for (;;) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto more, reader.Next(entry));
    if (!more) break;
    if (entry.page().outcome() == log::OUTCOME_DEAD_LETTER) output.verdicts().AddDeadLetter();
    CRAWLSIEVE_RETURN_IF_ERROR(fold.Append(entry));
  }
  output.EndFile();
  return output.verdicts().Flush();
}

int Report(const Error& error) {
  return PrintError(error, error.code == ErrorCode::kIo ? kExitFailed : kExitWrongInput);
}

}  // namespace

int EntriesExtractCommand(const EntriesArguments& arguments) {
  const auto config = LoadOrReport(arguments.config);
  if (!config.has_value()) return kExitWrongInput;
  FileReader::Options file_options = FileOptionsOf(*config, arguments.format);
  if (!arguments.modified.empty()) {
    const auto modified = TimeNamed(arguments.modified);
    if (!modified) return PrintError(modified.error());
    file_options.modified = *modified;
  }
  auto reader = FileReader::Open(arguments.paths, file_options);
  if (!reader) return PrintError(reader.error());
  auto dead_letters = RecordReporter::OpenFile(arguments.dead_letters);
  if (!dead_letters) return PrintError(dead_letters.error());
  const auto bodies = BodyFetcherOf(*config);
  if (!bodies) return PrintError(bodies.error());
  RecordOptions options = RecordOptionsOf(*config, false);
  options.bodies = bodies->get();
  if (arguments.threads > 0) options.threads = static_cast<std::size_t>(arguments.threads);
  auto writer = EntryFileWriter::Open(arguments.out);
  if (!writer) return PrintError(writer.error(), kExitFailed);

  Progress progress("extract");
  ExtractionReport report(std::move(*dead_letters), progress);
  Status done = ExtractRecords(**reader, options, report, [&](log::Entry& entry) {
    if (progress.IsDue()) {
      progress.Show((*reader)->bytes_read(), (*reader)->bytes_total(),
                    fmt::format("{} records", writer->entries()));
    }
    return writer->Write(entry);
  });
  progress.Clear();
  PrintWarnings((*reader)->TakeWarnings());
  if (done) done = writer->Finish();
  if (done) done = report.Flush();
  if (!done) return PrintError(done.error(), kExitFailed);
  const FileReaderCounts& counts = (*reader)->counts();
  if (arguments.json) {
    const Json json = ExtractionJson(SchemeOf(options.processor), counts, report.dead_letters());
    fmt::print("{}\n", json.dump(-1, ' ', false, Json::error_handler_t::replace));
  } else {
    fmt::print("{} records, {} of them dead letters\n", counts.records, report.dead_letters());
  }
  return counts.damaged_files > 0 ? kExitIncomplete : kExitDone;
}

int EntriesFoldCommand(const EntriesArguments& arguments) {
  const auto config = LoadOrReport(arguments.config);
  if (!config.has_value()) return kExitWrongInput;
  std::error_code error;
  std::filesystem::create_directories(arguments.out, error);
  if (error) {
    return PrintError({ErrorCode::kIo, arguments.out.string() + ": " + error.message()},
                      kExitFailed);
  }
  const ScopedDirectory temporary(arguments.state.empty());
  StoreOptions store_options;
  store_options.directory = arguments.state.empty() ? temporary.path() : arguments.state;
  auto store = Store::Open(store_options);
  if (!store) return PrintError(store.error());
  const std::string scheme = SchemeOf(OfflineProcessorOptions(*config, false));
  auto detector = Detector::Open(**store, IndexFactoryOf(*config), scheme);
  if (!detector) return PrintError(detector.error());

  const auto begin = std::chrono::steady_clock::now();
  Progress progress("fold");
  auto first = OutputFile::Open(VerdictsOf(arguments.paths.front(), arguments.out));
  if (!first) return PrintError(first.error(), kExitFailed);
  FoldOutput output(VerdictWriter(std::move(*first), false, 0), progress);
  for (const std::filesystem::path& path : arguments.paths) {
    const std::uintmax_t bytes = std::filesystem::file_size(path, error);
    if (!error) output.Expect(bytes);
  }
  EntryFold fold(**detector, output);
  Status folded = fold.SetParameters(config->judge, scheme);
  for (std::size_t i = 0; i < arguments.paths.size() && folded; ++i) {
    if (i > 0) {
      auto out = OutputFile::Open(VerdictsOf(arguments.paths[i], arguments.out));
      if (!out) return PrintError(out.error(), kExitFailed);
      output.verdicts().GoOnIn(std::move(*out));
    }
    folded = FoldFile(arguments.paths[i], fold, output);
  }
  if (folded) folded = fold.Commit();
  if (folded && !arguments.state.empty()) folded = (*store)->Flush();
  progress.Clear();
  if (!folded) return Report(folded.error());
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  const ScanSummary& summary = output.verdicts().summary();
  const std::string text =
      arguments.json ? summary.Json({}, elapsed) + "\n" : summary.Text({}, elapsed);
  std::fputs(text.c_str(), stdout);
  return kExitDone;
}

}  // namespace crawlsieve::consumer

// How fast pages become documents, and verdicts, beside the HTML parser alone.
//
// All are measured in one process on the same pages and as many threads, in turns, so that
// whatever else the machine does falls on each. For the first two each thread takes every N-th page
// from memory; the scan is the whole way of `crawlsieve scan`: it reads and unpacks the files, and
// judges and writes verdicts on a thread besides.

#include "bench/extract/steps.h"
#include "bench/pages.h"
#include "consumer/input/file_reader.h"
#include "consumer/output/verdict_record.h"
#include "consumer/pipeline/scan.h"
#include "extract/extractor.h"
#include "plugin/base/result.h"
#include "plugin/index/sharded_index.h"
#include "plugin/judge/detector.h"
#include "plugin/state/store.h"
#include "tests/support/temporary_directory.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <gumbo.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::extract {
namespace {

using Clock = std::chrono::steady_clock;

/// The bare parser, as a program would use it that knows about max_errors.
void ParseWithGumbo(const Page& page) {
  GumboOptions options = kGumboDefaultOptions;
  options.max_errors = 0;
  GumboOutput* output = gumbo_parse_with_options(&options, page.body.data(), page.body.size());
  gumbo_destroy_output(&options, output);
}

/// Runs `make_worker()`'s function over all pages on `threads` threads; the wall time.
template <typename MakeWorker>
Seconds OverAllPages(const std::vector<Page>& pages, unsigned threads, MakeWorker make_worker) {
  const auto start = Clock::now();
  {
    std::vector<std::jthread> workers;
    for (unsigned t = 0; t < threads; ++t) {
      workers.emplace_back([&, t] {
        auto work = make_worker(t);
        for (std::size_t i = t; i < pages.size(); i += threads) work(pages[i]);
      });
    }
  }
  return Clock::now() - start;
}

/// Renders verdicts as the scan command does, and throws them away.
class VerdictCounter final : public consumer::ScanListener {
 public:
  Status OnVerdict(const log::Page& page, const Verdict& verdict) override {
    bytes_ += consumer::VerdictRecord(page, verdict, {"bench", Timestamp()}).size();
    return {};
  }
  Status OnDeadLetter(const std::string& /*origin*/,
                      const consumer::DecodeFailure& /*failure*/) override {
    return {};
  }
  Status OnCommit() override { return {}; }

 private:
  std::size_t bytes_ = 0;
};

/// Scans the files with an empty state; the wall time.
Result<Seconds> ScanFiles(const std::vector<std::string>& files, unsigned threads) {
  const testing::TemporaryDirectory directory;
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto store, Store::Open({.directory = directory.path()}));
  consumer::ScanOptions options;
  options.threads = threads;
  auto detector = Detector::Open(
      *store,
      [](int max_distance) -> Result<std::unique_ptr<HammingIndex>> {
        return ShardedIndex::Create({.max_distance = max_distance});
      },
      consumer::SchemeOf(options.processor));
  if (!detector) return tl::unexpected(detector.error());
  const auto start = Clock::now();
  CRAWLSIEVE_ASSIGN_OR_RETURN(auto reader,
                              consumer::FileReader::Open({files.begin(), files.end()}, {}));
  VerdictCounter counter;
  CRAWLSIEVE_RETURN_IF_ERROR(consumer::Scan(*reader, **detector, options, counter));
  return Seconds(Clock::now() - start);
}

struct Report {
  std::size_t pages = 0;
  double megabytes = 0;
  unsigned threads = 0;
  unsigned rounds = 0;
  double gumbo_mb_s = 0;
  double extract_mb_s = 0;
  double ratio = 0;
  double scan_mb_s = 0;
  double scan_ratio = 0;
  std::size_t without_text = 0;
  std::size_t text_bytes = 0;
  std::array<double, Steps::kNames.size()> step_ms{};
  std::array<double, NaiveSteps::kNames.size()> naive_ms{};

  [[nodiscard]] double TextPerSecond() const {
    return MbPerSecond(Sum(step_ms) - step_ms[Steps::kParse]);
  }
  [[nodiscard]] double NaiveTextPerSecond() const { return MbPerSecond(Sum(naive_ms)); }

 private:
  template <typename Times>
  static double Sum(const Times& times) {
    return std::accumulate(times.begin(), times.end(), 0.0);
  }
  [[nodiscard]] double MbPerSecond(double ms) const {
    return static_cast<double>(text_bytes) / 1e3 / ms;
  }
};

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// For each step the median of the rounds, in milliseconds.
template <std::size_t kSteps>
std::array<double, kSteps> Medians(const std::vector<std::array<Seconds, kSteps>>& rounds) {
  std::array<double, kSteps> medians{};
  for (std::size_t step = 0; step < kSteps; ++step) {
    std::vector<double> ms;
    for (const auto& round : rounds) ms.push_back(round[step].count() * 1e3);
    medians[step] = Median(std::move(ms));
  }
  return medians;
}

/// Processor time of the steps of extraction and of the libraries by themselves, in turns.
void MeasureSteps(const std::vector<Page>& pages, const ExtractOptions& options,
                  const FeatureHasher& hasher, unsigned rounds, Report& report) {
  std::vector<std::array<Seconds, Steps::kNames.size()>> steps_spent(rounds);
  std::vector<std::array<Seconds, NaiveSteps::kNames.size()>> naive_spent(rounds);
  NaiveSteps naive(options);
  naive.Run(pages.front());  // ICU reads its data
  (void)naive.TakeTimes();
  for (unsigned round = 0; round < rounds; ++round) {
    // Workers live long: each half of the pages is measured on one that has seen the other half.
    report.text_bytes = 0;
    for (const std::size_t half : {0, 1}) {
      Steps steps(options, hasher);
      for (std::size_t i = 1 - half; i < pages.size(); i += 2) steps.Run(pages[i]);
      (void)steps.TakeTimes();
      const std::size_t other_text = steps.text_bytes();
      for (std::size_t i = half; i < pages.size(); i += 2) steps.Run(pages[i]);
      report.text_bytes += steps.text_bytes() - other_text;
      const auto spent = steps.TakeTimes();
      for (std::size_t i = 0; i < spent.size(); ++i) steps_spent[round][i] += spent[i];
    }
    for (const Page& page : pages) naive.Run(page);
    naive_spent[round] = naive.TakeTimes();
  }
  report.step_ms = Medians(steps_spent);
  report.naive_ms = Medians(naive_spent);
}

Result<Report> Measure(const std::vector<Page>& pages, const std::vector<std::string>& files,
                       unsigned threads, unsigned rounds) {
  const ExtractOptions options;
  const FeatureHasher hasher("bench");
  std::vector<std::unique_ptr<Extractor>> extractors;
  for (unsigned t = 0; t < threads; ++t) {
    extractors.push_back(std::make_unique<Extractor>(options, hasher));
  }
  Report report{.pages = pages.size(), .threads = threads, .rounds = rounds};
  for (const Page& page : pages) report.megabytes += static_cast<double>(page.body.size()) / 1e6;
  for (const Page& page : pages) {
    report.without_text += extractors[0]->Extract(page).outcome != Outcome::kText ? 1 : 0;
  }

  std::vector<double> gumbo;
  std::vector<double> extract;
  std::vector<double> ratios;
  std::vector<double> scan;
  std::vector<double> scan_ratios;
  for (unsigned round = 0; round < rounds; ++round) {
    const Seconds bare = OverAllPages(pages, threads, [](unsigned) { return ParseWithGumbo; });
    const Seconds full = OverAllPages(pages, threads, [&](unsigned t) {
      return [&extractor = *extractors[t]](const Page& page) { (void)extractor.Extract(page); };
    });
    gumbo.push_back(report.megabytes / bare.count());
    extract.push_back(report.megabytes / full.count());
    ratios.push_back(bare / full);
    CRAWLSIEVE_ASSIGN_OR_RETURN(const Seconds scanned, ScanFiles(files, threads));
    scan.push_back(report.megabytes / scanned.count());
    scan_ratios.push_back(bare / scanned);
  }
  report.gumbo_mb_s = Median(gumbo);
  report.extract_mb_s = Median(extract);
  report.ratio = Median(ratios);
  report.scan_mb_s = Median(scan);
  report.scan_ratio = Median(scan_ratios);
  MeasureSteps(pages, options, hasher, rounds, report);
  return report;
}

template <std::size_t kSteps>
void PrintSteps(const std::array<const char*, kSteps>& names, const std::array<double, kSteps>& ms,
                double megabytes) {
  for (std::size_t i = 0; i < kSteps; ++i) {
    fmt::print("  {:24} {:9.1f} ms {:8.2f} ns/byte of page\n", names[i], ms[i], ms[i] / megabytes);
  }
}

void PrintTable(const Report& report) {
  fmt::print("{} pages, {:.1f} MB, {} threads, median of {} rounds\n", report.pages,
             report.megabytes, report.threads, report.rounds);
  fmt::print("  gumbo alone  {:8.1f} MB/s\n", report.gumbo_mb_s);
  fmt::print("  extractor    {:8.1f} MB/s   {:.1f} % of gumbo alone\n", report.extract_mb_s,
             report.ratio * 100);
  fmt::print("  whole scan   {:8.1f} MB/s   {:.1f} % of gumbo alone\n", report.scan_mb_s,
             report.scan_ratio * 100);
  fmt::print("  pages without text: {}; visible text: {:.1f} MB\n", report.without_text,
             static_cast<double>(report.text_bytes) / 1e6);
  fmt::print("steps: processor time of one thread that has seen other pages before\n");
  PrintSteps(Steps::kNames, report.step_ms, report.megabytes);
  fmt::print(
      "  all but the parse: {:.1f} MB of visible text a second, {:.2f} times the naive way\n",
      report.TextPerSecond(), report.TextPerSecond() / report.NaiveTextPerSecond());
  fmt::print("the naive way: visible text to the libraries, the same parse before it\n");
  PrintSteps(NaiveSteps::kNames, report.naive_ms, report.megabytes);
  fmt::print("  sum: {:.1f} MB of visible text a second\n", report.NaiveTextPerSecond());
}

template <std::size_t kSteps>
nlohmann::ordered_json StepsJson(const std::array<const char*, kSteps>& names,
                                 const std::array<double, kSteps>& ms) {
  nlohmann::ordered_json json;
  for (std::size_t i = 0; i < kSteps; ++i) json[names[i]] = ms[i];
  return json;
}

void PrintJson(const Report& report) {
  const nlohmann::ordered_json json = {
      {"pages", report.pages},
      {"megabytes", report.megabytes},
      {"threads", report.threads},
      {"rounds", report.rounds},
      {"gumbo_mb_per_s", report.gumbo_mb_s},
      {"extract_mb_per_s", report.extract_mb_s},
      {"ratio", report.ratio},
      {"scan_mb_per_s", report.scan_mb_s},
      {"scan_ratio", report.scan_ratio},
      {"pages_without_text", report.without_text},
      {"text_bytes", report.text_bytes},
      {"steps_ms", StepsJson(Steps::kNames, report.step_ms)},
      {"naive_steps_ms", StepsJson(NaiveSteps::kNames, report.naive_ms)},
      {"text_mb_per_s", report.TextPerSecond()},
      {"naive_text_mb_per_s", report.NaiveTextPerSecond()},
      {"times_naive", report.TextPerSecond() / report.NaiveTextPerSecond()},
  };
  fmt::print("{}\n", json.dump(2));
}

int Main(int argc, char** argv) {
  CLI::App app("Measures extraction beside the bare HTML parser, on the same pages.");
  std::vector<std::string> files;
  unsigned threads = std::max(std::thread::hardware_concurrency(), 1U);
  unsigned rounds = 7;
  bool json = false;
  app.add_option("pages", files, "canonical page records, one JSON object a line; .zst is unpacked")
      ->required()
      ->check(CLI::ExistingFile);
  app.add_option("--threads", threads, "worker threads")->check(CLI::PositiveNumber);
  app.add_option("--rounds", rounds, "how often both are measured")->check(CLI::PositiveNumber);
  app.add_flag("--json", json, "print one JSON object");
  CLI11_PARSE(app, argc, argv);

  std::vector<Page> pages;
  for (const std::string& file : files) {
    auto records = bench::LoadPageRecords(file);
    if (!records) {
      fmt::print(stderr, "{}\n", records.error().message);
      return 1;
    }
    for (auto& record : *records) pages.push_back(std::move(record.page));
  }
  if (pages.empty()) {
    fmt::print(stderr, "no pages in these files\n");
    return 1;
  }
  const Result<Report> report = Measure(pages, files, threads, rounds);
  if (!report) {
    fmt::print(stderr, "{}\n", report.error().message);
    return 1;
  }
  json ? PrintJson(*report) : PrintTable(*report);
  return 0;
}

}  // namespace
}  // namespace crawlsieve::extract

int main(int argc, char** argv) { return crawlsieve::extract::Main(argc, argv); }

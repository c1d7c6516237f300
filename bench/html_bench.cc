// How fast the HTML parser is beside Gumbo, and whether both report the same.
//
// Both parse the same pages in one process and thread, in turns, so that whatever else the machine
// does falls on each; the fastest round of each counts. Their events go to a counter.

#include "bench/pages.h"
#include "extract/html/charset.h"
#include "extract/html/html_text.h"
#include "tests/support/html/event_log.h"
#include "tests/support/html/known_differences.h"
#include "tests/support/html/parsers.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::bench {
namespace {

using Seconds = std::chrono::duration<double>;

/// What the calling thread has had of a processor: other programs beside it don't count.
Seconds ThreadCpuTime() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// Counts, so that no event can be left out.
class Counter final : public extract::HtmlEvents {
 public:
  void OnLanguage(std::string_view tag) override { Add(tag); }
  void OnTitle(std::string_view text) override { Add(text); }
  void OnText(std::string_view text) override { Add(text); }
  void OnBreak() override { ++events_; }
  void OnBlockBegin(extract::Hints hints) override { events_ += 1U + hints; }
  void OnBlockEnd() override { ++events_; }
  void OnLinkBegin(const extract::LinkTarget& target) override {
    Add(target.href);
    Add(target.rel);
  }
  void OnLinkEnd() override { ++events_; }
  void OnBase(std::string_view href) override { Add(href); }
  void OnCanonical(std::string_view href) override { Add(href); }
  void OnRefresh(std::string_view content) override { Add(content); }
  void OnRobots(std::string_view content) override { Add(content); }
  void OnAltText(std::string_view text) override { Add(text); }

  [[nodiscard]] std::uint64_t sum() const { return events_ + bytes_; }

 private:
  void Add(std::string_view text) {
    ++events_;
    bytes_ += text.size();
  }

  std::uint64_t events_ = 0;
  std::uint64_t bytes_ = 0;
};

/// The processor time of one pass over all pages.
Seconds ParseAll(extract::HtmlParser& parser, const std::vector<std::string>& pages,
                 std::uint64_t& sum) {
  const Seconds start = ThreadCpuTime();
  Counter counter;
  for (const std::string& page : pages) static_cast<void>(parser.Parse(page, counter));
  sum += counter.sum();
  return ThreadCpuTime() - start;
}

struct Report {
  std::size_t pages = 0;
  std::size_t bytes = 0;
  std::string kernel = {};
  double gumbo_mb_per_s = 0;
  double parser_mb_per_s = 0;
  std::size_t differing_pages = 0;
  std::size_t explained_pages = 0;
  std::size_t white_space_differing_pages = 0;
  std::size_t white_space_explained_pages = 0;
  std::map<std::string, std::size_t> explanations = {};  ///< by name, pages
  struct Difference {
    std::string url;
    std::string first_difference;
  };
  std::vector<Difference> unexplained = {};
  std::vector<Difference> white_space = {};
};

void Measure(const std::vector<std::string>& pages, int rounds, extract::HtmlParser& parser,
             extract::HtmlParser& gumbo, Report& report) {
  Seconds best_parser = Seconds::max();
  Seconds best_gumbo = Seconds::max();
  std::uint64_t sum = 0;
  for (int round = 0; round < rounds; ++round) {
    best_gumbo = std::min(best_gumbo, ParseAll(gumbo, pages, sum));
    // The parser's pass is short: several, so that one interruption doesn't decide.
    for (int pass = 0; pass < 5; ++pass) {
      best_parser = std::min(best_parser, ParseAll(parser, pages, sum));
    }
  }
  const double megabytes = static_cast<double>(report.bytes) / 1e6;
  report.gumbo_mb_per_s = megabytes / best_gumbo.count();
  report.parser_mb_per_s = megabytes / best_parser.count();
  if (sum == 0) std::fputs("no events\n", stderr);
}

void CompareAll(const std::vector<std::string>& pages, const std::vector<std::string>& urls,
                extract::HtmlParser& parser, extract::HtmlParser& gumbo, Report& report) {
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const html_check::ComparedPage compared = html_check::ComparePage(parser, gumbo, pages[i]);
    if (compared.white_space_differs) {
      ++report.white_space_differing_pages;
      if (compared.explanation.empty()) {
        report.white_space.push_back({urls[i], compared.first_difference});
      } else {
        ++report.white_space_explained_pages;
      }
    }
    if (!compared.differs) continue;
    ++report.differing_pages;
    if (compared.explanation.empty()) {
      report.unexplained.push_back({urls[i], compared.first_difference});
    } else {
      ++report.explained_pages;
      ++report.explanations[fmt::format("{}", fmt::join(compared.explanation, "+"))];
    }
  }
}

nlohmann::json Differences(const std::vector<Report::Difference>& differences) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& difference : differences) {
    list.push_back({{"url", difference.url}, {"first_difference", difference.first_difference}});
  }
  return list;
}

void PrintJson(const Report& report) {
  const nlohmann::json json = {
      {"pages", report.pages},
      {"bytes", report.bytes},
      {"kernel", report.kernel},
      {"gumbo_mb_per_s", report.gumbo_mb_per_s},
      {"parser_mb_per_s", report.parser_mb_per_s},
      {"ratio_to_gumbo", report.parser_mb_per_s / report.gumbo_mb_per_s},
      {"differing_pages", report.differing_pages},
      {"explained_pages", report.explained_pages},
      {"white_space_differing_pages", report.white_space_differing_pages},
      {"white_space_explained_pages", report.white_space_explained_pages},
      {"explanations", report.explanations},
      {"unexplained", Differences(report.unexplained)},
      {"white_space_unexplained", Differences(report.white_space)},
  };
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

void PrintTable(const Report& report) {
  fmt::print("pages                        {}\n", report.pages);
  fmt::print("bytes                        {}\n", report.bytes);
  fmt::print("kernel                       {}\n", report.kernel);
  fmt::print("gumbo_mb_per_s               {:.1f}\n", report.gumbo_mb_per_s);
  fmt::print("parser_mb_per_s              {:.1f}\n", report.parser_mb_per_s);
  fmt::print("ratio_to_gumbo               {:.2f}\n",
             report.parser_mb_per_s / report.gumbo_mb_per_s);
  fmt::print("differing_pages              {}\n", report.differing_pages);
  fmt::print("explained_pages              {}\n", report.explained_pages);
  for (const auto& [names, pages] : report.explanations) fmt::print("  {:26} {}\n", names, pages);
  fmt::print("white_space_differing_pages  {}\n", report.white_space_differing_pages);
  fmt::print("white_space_explained_pages  {}\n", report.white_space_explained_pages);
  constexpr std::size_t kShown = 10;
  for (std::size_t i = 0; i < std::min(kShown, report.white_space.size()); ++i) {
    fmt::print("unexplained white space: {}: {}\n", report.white_space[i].url,
               report.white_space[i].first_difference);
  }
  for (const auto& [url, difference] : report.unexplained) {
    fmt::print("unexplained: {}: {}\n", url, difference);
  }
}

int Main(int argc, char** argv) {
  CLI::App app{"Measures the HTML parser beside Gumbo and compares their events."};
  std::vector<std::string> files;
  app.add_option("PAGES", files, "files of canonical page records, .zst unpacked")
      ->required()
      ->check(CLI::ExistingFile);
  bool json = false;
  app.add_flag("--json", json, "print one JSON object");
  std::string kernel = html_check::KernelNames().front();
  app.add_option("--kernel", kernel, "kernel of the parser; without it the best one")
      ->check(CLI::IsMember(html_check::KernelNames()));
  int rounds = 3;
  app.add_option("--rounds", rounds, "rounds to measure; 0 compares only")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  std::vector<std::string> pages;
  std::vector<std::string> urls;
  extract::CharsetDecoder decoder;
  for (const std::string& file : files) {
    const auto records = LoadPageRecords(file);
    if (!records) {
      fmt::print(stderr, "{}\n", records.error().message);
      return 1;
    }
    for (const PageRecord& record : *records) {
      pages.emplace_back(
          decoder.Decode(record.page.body, {record.page.content_type, record.page.charset, true})
              .text);
      urls.push_back(record.page.url);
    }
  }
  Report report;
  report.pages = pages.size();
  report.kernel = kernel;
  for (const std::string& page : pages) report.bytes += page.size();
  const auto parser = html_check::MakeParser(html_check::WideLimits(), kernel);
  const auto gumbo = extract::MakeGumboParser(html_check::WideLimits());
  if (rounds > 0) Measure(pages, rounds, *parser, *gumbo, report);
  CompareAll(pages, urls, *parser, *gumbo, report);
  if (json) {
    PrintJson(report);
  } else {
    PrintTable(report);
  }
  return report.differing_pages == report.explained_pages ? 0 : 1;
}

}  // namespace
}  // namespace crawlsieve::bench

int main(int argc, char** argv) { return crawlsieve::bench::Main(argc, argv); }

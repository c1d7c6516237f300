// Simulates orders of a crawl over a set of real pages: how soon each finds the distinct contents,
// and how many duplicates are left unfetched where suppression is on.
#include "bench/harvest/crawl_order.h"
#include "bench/harvest/crawl_set.h"
#include "bench/harvest/simulation.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::bench {
namespace {

struct Options {
  std::filesystem::path file;
  std::uint64_t seed = 1;
  bool rules = false;
  bool json = false;
  std::filesystem::path fetches;
};

struct Run {
  NamedOrder named;
  Harvest harvest;
};

/// Of the area between breadth first and the oracle.
double ShareOfGap(const std::vector<Run>& runs, const Run& run) {
  double lowest = 0;
  double highest = 0;
  for (const Run& other : runs) {
    if (other.named.name == "breadth_first") lowest = other.harvest.area;
    if (other.named.name == "oracle") highest = other.harvest.area;
  }
  return highest > lowest ? (run.harvest.area - lowest) / (highest - lowest) : 0;
}

double PrecisionOf(const SuppressedUrls& on) {
  return on.urls == 0 ? 1 : static_cast<double>(on.right) / static_cast<double>(on.urls);
}

bool NamesChances(const Harvest& harvest) {
  return std::any_of(harvest.tenths.begin(), harvest.tenths.end(),
                     [](const ChanceTenth& tenth) { return tenth.fetches > 0; });
}

double MeanChance(const ChanceTenth& tenth) {
  return tenth.fetches == 0 ? 0 : tenth.chances / static_cast<double>(tenth.fetches);
}

double ShareNew(const ChanceTenth& tenth) {
  return tenth.fetches == 0 ? 0
                            : static_cast<double>(tenth.fresh) / static_cast<double>(tenth.fetches);
}

void PrintJson(const CrawlSet& set, const std::vector<Run>& runs) {
  nlohmann::ordered_json json;
  json["pages"] = set.pages.size();
  json["contents"] = set.classes;
  for (const Run& run : runs) {
    const Harvest& harvest = run.harvest;
    nlohmann::ordered_json order = {{"order", run.named.name},
                                    {"fetched", harvest.fetched},
                                    {"found", harvest.found},
                                    {"area", harvest.area},
                                    {"share_of_gap", ShareOfGap(runs, run)},
                                    {"avoided", harvest.avoided},
                                    {"lost", harvest.lost},
                                    {"curve", harvest.curve}};
    if (NamesChances(harvest)) {
      order["calibration"]["mean_difference"] = CalibrationError(harvest.tenths);
      for (const ChanceTenth& tenth : harvest.tenths) {
        order["calibration"]["tenths"].push_back({{"fetches", tenth.fetches},
                                                  {"mean_chance", MeanChance(tenth)},
                                                  {"share_new", ShareNew(tenth)}});
      }
    }
    for (const auto& [ground, on] : harvest.suppressed) {
      order["suppressed"][ground] = {
          {"urls", on.urls}, {"right", on.right}, {"precision", PrecisionOf(on)}};
    }
    json["orders"].push_back(std::move(order));
  }
  fmt::print("{}\n", json.dump());
}

void PrintTable(const CrawlSet& set, const std::vector<Run>& runs, bool with_rules) {
  fmt::print("{} pages, {} contents\n\n", set.pages.size(), set.classes);
  fmt::print("{:<20} {:>8} {:>8} {:>6} {:>13} {:>10} {:>7}\n", "order", "fetched", "contents",
             "area", "of the gap, %", "avoided, %", "lost, %");
  for (const Run& run : runs) {
    const Harvest& harvest = run.harvest;
    fmt::print("{:<20} {:>8} {:>8} {:>6.4f} {:>13.1f} {:>10.1f} {:>7.2f}\n", run.named.title,
               harvest.fetched, harvest.found, harvest.area, 100 * ShareOfGap(runs, run),
               100 * harvest.avoided, 100 * harvest.lost);
  }
  for (const Run& run : runs) {
    if (!NamesChances(run.harvest)) continue;
    fmt::print("\n{}: chance of new content and what came, mean difference {:.3f}:",
               run.named.title, CalibrationError(run.harvest.tenths));
    for (const ChanceTenth& tenth : run.harvest.tenths) {
      if (tenth.fetches == 0) continue;
      fmt::print(" {:.2f}/{:.2f} ({})", MeanChance(tenth), ShareNew(tenth), tenth.fetches);
    }
  }
  for (const Run& run : runs) {
    for (const auto& [ground, on] : run.harvest.suppressed) {
      fmt::print("\nsuppressed as {}: {} URLs, {} of them duplicates, precision {:.4f}", ground,
                 on.urls, on.right, PrecisionOf(on));
    }
  }
  fmt::print("\n");
  if (!with_rules) return;
  for (const std::string& line : runs.back().named.order->Describe()) fmt::print("{}\n", line);
}

/// One line a fetch of each order that judges pages: order, number, new or known, chance, what it
/// was judged as, URL, and the first URL of its content in breadth-first order.
Status WriteFetches(const CrawlSet& set, const std::vector<Run>& runs,
                    const std::filesystem::path& path) {
  std::ofstream out(path);
  for (const Run& run : runs) {
    if (!NamesChances(run.harvest)) continue;
    for (std::size_t i = 0; i < run.harvest.fetches.size(); ++i) {
      const Fetch& fetch = run.harvest.fetches[i];
      const CrawlPage& page = set.pages[fetch.page];
      out << fmt::format("{}\t{}\t{}\t{:.3f}\t{}\t{}\t{}\n", run.named.name, i + 1,
                         fetch.is_new ? "new" : "known", fetch.chance.value_or(0), fetch.judged,
                         page.url, set.pages[page.content_class].url);
    }
  }
  out.flush();
  return out ? Status() : MakeError(ErrorCode::kIo, fmt::format("can't write {}", path.string()));
}

int RunAll(const Options& options) {
  const Result<CrawlSet> set = LoadCrawlSet(options.file);
  if (!set) {
    fmt::print(stderr, "harvest: {}\n", set.error().message);
    return EXIT_FAILURE;
  }
  auto orders = AllOrders(*set, options.seed);
  if (!orders) {
    fmt::print(stderr, "harvest: {}\n", orders.error().message);
    return EXIT_FAILURE;
  }
  std::vector<Run> runs;
  for (NamedOrder& named : *orders) {
    Harvest harvest = Simulate(*set, *named.order);
    runs.push_back({std::move(named), std::move(harvest)});
  }
  if (!options.fetches.empty()) {
    if (const Status written = WriteFetches(*set, runs, options.fetches); !written) {
      fmt::print(stderr, "harvest: {}\n", written.error().message);
      return EXIT_FAILURE;
    }
  }
  if (options.json) {
    PrintJson(*set, runs);
  } else {
    PrintTable(*set, runs, options.rules);
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace crawlsieve::bench

int main(int argc, char** argv) {
  CLI::App app("Compares orders of a crawl over a set of pages.");
  crawlsieve::bench::Options options;
  app.add_option("PAGES", options.file, "canonical page records, one JSON object a line; .zst too")
      ->required();
  app.add_option("--seed", options.seed, "of the random order");
  app.add_flag("--rules", options.rules, "print what was learned of each site, too");
  app.add_option("--fetches", options.fetches, "write each fetch by scores to this file");
  app.add_flag("--json", options.json, "print JSON");
  CLI11_PARSE(app, argc, argv);
  return crawlsieve::bench::RunAll(options);
}

// Measures what the judge tells of pairs of sites, of which it is known whether they are mirrors:
// sets as bench/mirrors/make_sets.py makes them.
#include "bench/harvest/page_entries.h"
#include "bench/mirrors/evaluation.h"
#include "bench/pages.h"
#include "plugin/base/result.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::bench {
namespace {

/// Kinds of pairs that are mirrors begin with this.
constexpr const char* kMirror = "mirror";

struct Options {
  std::vector<std::filesystem::path> files;
  bool json = false;
  bool verbose = false;
};

Result<PairOfSites> PairIn(const std::filesystem::path& file, PageEntries& entries) {
  PairOfSites pair;
  pair.name = file.stem();
  const Status read = ForEachPageRecord(file, [&](PageRecord&& record) {
    pair.entries.push_back(entries.EntryOf(record, static_cast<std::int64_t>(pair.entries.size())));
    pair.kind = std::move(record.kind);
  });
  if (!read) return tl::unexpected(read.error());
  pair.is_mirror = pair.kind.starts_with(kMirror);
  return pair;
}

Result<ToldOfPairKinds> TellAll(const Options& options) {
  ToldOfPairKinds kinds;
  for (const std::filesystem::path& file : options.files) {
    PageEntries entries;
    auto pair = PairIn(file, entries);
    if (!pair) return tl::unexpected(pair.error());
    const auto told = TellMirrors(*pair, entries.scheme());
    if (!told) return tl::unexpected(told.error());
    ToldOfPairs& kind = kinds[pair->kind];
    kind.is_mirror = pair->is_mirror;
    ++kind.pairs;
    if (told->is_mirror) ++kind.told;
    if (options.verbose) {
      fmt::print(stderr, "{} {}: {} pages; {}\n", told->is_mirror == pair->is_mirror ? "  " : "!!",
                 pair->name, pair->entries.size(), told->evidence);
    }
  }
  return kinds;
}

void PrintJson(const ToldOfPairKinds& kinds) {
  nlohmann::ordered_json json = {{"precision", PrecisionOf(kinds)}, {"recall", RecallOf(kinds)}};
  for (const auto& [name, kind] : kinds) {
    json["kinds"][name] = {{"mirror", kind.is_mirror}, {"pairs", kind.pairs}, {"told", kind.told}};
  }
  fmt::print("{}\n", json.dump());
}

void PrintTable(const ToldOfPairKinds& kinds) {
  fmt::print("{:<50} {:>6} {:>6}\n", "kind", "pairs", "told");
  for (const auto& [name, kind] : kinds) {
    fmt::print("{:<50} {:>6} {:>6}\n", name, kind.pairs, kind.told);
  }
  fmt::print("precision {:.4f}, recall {:.4f}\n", PrecisionOf(kinds), RecallOf(kinds));
}

int Run(const Options& options) {
  const auto kinds = TellAll(options);
  if (!kinds) {
    fmt::print(stderr, "mirrors: {}\n", kinds.error().message);
    return EXIT_FAILURE;
  }
  if (options.json) {
    PrintJson(*kinds);
  } else {
    PrintTable(*kinds);
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace crawlsieve::bench

int main(int argc, char** argv) {
  CLI::App app("Precision and recall of mirrors.");
  crawlsieve::bench::Options options;
  app.add_option("SETS", options.files, "page records of two sites, a file for each pair")
      ->required();
  app.add_flag("--json", options.json, "print JSON");
  app.add_flag("--verbose", options.verbose, "print the evidence for each pair");
  CLI11_PARSE(app, argc, argv);
  return crawlsieve::bench::Run(options);
}

// Measures what the judge's scores say of pages that tell at status 200 that there is nothing: sets
// of pages with labels, as bench/soft404/make_sets.py makes them.
#include "bench/harvest/page_entries.h"
#include "bench/pages.h"
#include "bench/soft404/evaluation.h"
#include "plugin/base/result.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::bench {
namespace {

struct Options {
  std::vector<std::filesystem::path> files;
  bool json = false;
  std::filesystem::path pages;
};

struct Set {
  std::string name;
  Soft404s soft_404s;
};

/// One line a page: set, kind, soft or real, told or not, what it is compared by, and its URL.
void WritePages(const Set& set, const std::vector<LabelledPage>& pages, std::ofstream& out) {
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const log::Page& page = pages[i].entry.page();
    out << fmt::format("{}\t{}\t{}\t{}\t{:016x}\t{}\t{}\t{}\n", set.name, pages[i].kind,
                       pages[i].is_soft_404 ? "soft" : "real", set.soft_404s.told[i] ? "told" : "-",
                       page.simhash(), page.features(), page.title(), page.canonical_url());
  }
}

Result<std::vector<Set>> TellAll(const Options& options) {
  std::vector<Set> sets;
  std::ofstream out;
  if (!options.pages.empty()) out.open(options.pages);
  for (const std::filesystem::path& file : options.files) {
    PageEntries entries;
    std::vector<LabelledPage> pages;
    const Status read = ForEachPageRecord(file, [&](PageRecord&& record) {
      const auto offset = static_cast<std::int64_t>(pages.size());
      pages.push_back({entries.EntryOf(record, offset), record.soft_404, std::move(record.kind)});
    });
    if (!read) return tl::unexpected(read.error());
    auto told = TellSoft404s(pages, entries.scheme());
    if (!told) return tl::unexpected(told.error());
    sets.push_back({file.parent_path().filename() / file.stem(), *std::move(told)});
    if (out.is_open()) WritePages(sets.back(), pages, out);
  }
  if (!options.pages.empty() && !out.flush()) {
    return MakeError(ErrorCode::kIo, fmt::format("can't write {}", options.pages.string()));
  }
  return sets;
}

void PrintJson(const std::vector<Set>& sets) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Set& set : sets) {
    nlohmann::ordered_json of = {{"set", set.name},
                                 {"precision", PrecisionOf(set.soft_404s.later)},
                                 {"recall", RecallOf(set.soft_404s.later)},
                                 {"precision_of_all", PrecisionOf(set.soft_404s.all)},
                                 {"recall_of_all", RecallOf(set.soft_404s.all)}};
    for (const auto& [name, kind] : set.soft_404s.later) {
      of["kinds"][name] = {
          {"soft_404", kind.is_soft_404}, {"pages", kind.pages}, {"told", kind.told}};
    }
    json.push_back(std::move(of));
  }
  fmt::print("{}\n", json.dump());
}

void PrintTable(const std::vector<Set>& sets) {
  fmt::print("{:<40} {:>9} {:>9} {:>16} {:>13}\n", "set: the second half of its pages", "precision",
             "recall", "all: precision", "all: recall");
  const auto print = [](const std::string& name, const ToldOfKinds& later, const ToldOfKinds& all) {
    fmt::print("{:<40} {:>9.4f} {:>9.4f} {:>16.4f} {:>13.4f}\n", name, PrecisionOf(later),
               RecallOf(later), PrecisionOf(all), RecallOf(all));
  };
  ToldOfKinds later;
  ToldOfKinds all;
  for (const Set& set : sets) {
    print(set.name, set.soft_404s.later, set.soft_404s.all);
    Add(set.soft_404s.later, later);
    Add(set.soft_404s.all, all);
  }
  print("all sets", later, all);
  fmt::print("\n{:<40} {:>9} {:>9}\n", "kind, in the second halves", "pages", "told");
  for (const auto& [name, kind] : later) {
    fmt::print("{:<40} {:>9} {:>9}\n", (kind.is_soft_404 ? "soft 404, " : "real, ") + name,
               kind.pages, kind.told);
  }
}

int Run(const Options& options) {
  const auto sets = TellAll(options);
  if (!sets) {
    fmt::print(stderr, "soft404: {}\n", sets.error().message);
    return EXIT_FAILURE;
  }
  if (options.json) {
    PrintJson(*sets);
  } else {
    PrintTable(*sets);
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace crawlsieve::bench

int main(int argc, char** argv) {
  CLI::App app("Precision and recall of soft 404s.");
  crawlsieve::bench::Options options;
  app.add_option("SETS", options.files, "page records with labels, a file for each set")
      ->required();
  app.add_flag("--json", options.json, "print JSON");
  app.add_option("--pages", options.pages, "write each page to this file");
  CLI11_PARSE(app, argc, argv);
  return crawlsieve::bench::Run(options);
}

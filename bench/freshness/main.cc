// Simulates policies of fetching documents again over the change histories of real documents: which
// share of the documents is up to date under each, for the same number of fetches.
#include "bench/freshness/change_histories.h"
#include "bench/freshness/fetch_policies.h"
#include "bench/freshness/fetch_simulation.h"

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

struct Options {
  std::filesystem::path file;
  int days = 730;
  double period = 30;
  bool json = false;
};

void Print(const Options& options, const ChangeWindow& window,
           const std::vector<NamedPolicy>& policies, const std::vector<Outcome>& outcomes) {
  const double uniform = outcomes.front().freshness;
  const double gap = outcomes.back().freshness - uniform;
  nlohmann::ordered_json json;
  json["documents"] = window.documents.size();
  json["days"] = window.days;
  json["period"] = options.period;
  if (!options.json) {
    fmt::print("{} documents, {} days, a fetch each in {} days; the second half is scored\n\n",
               window.documents.size(), window.days, options.period);
    fmt::print("{:<22} {:>9} {:>9} {:>9} {:>13}\n", "policy", "freshness", "changed", "wasted",
               "of the gap, %");
  }
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const Outcome& outcome = outcomes[i];
    const double share = gap > 0 ? (outcome.freshness - uniform) / gap : 0;
    if (options.json) {
      json["policies"].push_back({{"policy", policies[i].name},
                                  {"freshness", outcome.freshness},
                                  {"changed_fetches", outcome.changed},
                                  {"wasted_fetches", outcome.wasted},
                                  {"share_of_gap", share}});
    } else {
      fmt::print("{:<22} {:>9.4f} {:>9} {:>9} {:>13.1f}\n", policies[i].title, outcome.freshness,
                 outcome.changed, outcome.wasted, 100 * share);
    }
  }
  if (options.json) fmt::print("{}\n", json.dump());
}

int Run(const Options& options) {
  const Result<std::vector<ChangeHistory>> histories = LoadChangeHistories(options.file);
  const Result<ChangeWindow> window =
      histories.and_then([&](const auto& all) { return WindowOf(all, options.days); });
  if (!window) {
    fmt::print(stderr, "freshness: {}\n", window.error().message);
    return EXIT_FAILURE;
  }
  const std::vector<NamedPolicy> policies = AllPolicies(*window, options.period);
  std::vector<Outcome> outcomes;
  for (const NamedPolicy& named : policies) {
    outcomes.push_back(Simulate(*window, options.period, *named.policy));
  }
  Print(options, *window, policies, outcomes);
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace crawlsieve::bench

int main(int argc, char** argv) {
  CLI::App app("Compares policies of fetching again, over change histories of documents.");
  crawlsieve::bench::Options options;
  app.add_option("FILE", options.file,
                 "a line a document: name, time of its first version, times of changes, in days")
      ->required();
  app.add_option("--days", options.days, "length of the window, at the end of the file")
      ->check(CLI::Range(2, 100'000));
  app.add_option("--period", options.period, "days in which as many fetches are made as documents")
      ->check(CLI::Range(1.0, 100'000.0));
  app.add_flag("--json", options.json, "print JSON");
  CLI11_PARSE(app, argc, argv);
  return crawlsieve::bench::Run(options);
}

// Simulates policies of fetching documents again over the change histories of real documents: which
// share of the documents is up to date under each, for the same number of fetches.
#include "bench/change_histories.h"
#include "bench/fetch_policies.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
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

/// Of the second half of the window.
struct Outcome {
  double freshness = 0;  ///< mean share of documents whose last fetched version is the current one
  long changed = 0;      ///< fetches that found another version
  long wasted = 0;       ///< fetches that did not
};

/// Number of versions up to `now`.
std::vector<std::size_t> VersionsAt(const ChangeWindow& window, double now) {
  std::vector<std::size_t> versions;
  for (const ChangeHistory& history : window.documents) {
    versions.push_back(static_cast<std::size_t>(
        std::upper_bound(history.times.begin(), history.times.end(), now) - history.times.begin()));
  }
  return versions;
}

/// Goes through the window day by day. Each day's fetches come first, then the day is scored.
Outcome Simulate(const ChangeWindow& window, double period, FetchPolicy& policy) {
  const std::size_t count = window.documents.size();
  std::vector<std::size_t> fetched = VersionsAt(window, window.begin);
  std::vector<std::pair<double, std::size_t>> order(count);
  Outcome outcome;
  double budget = 0;
  double fresh = 0;
  long scored = 0;
  for (int day = 1; day <= window.days; ++day) {
    const double now = window.begin + day;
    const bool is_scored = day > window.days / 2;
    const std::vector<std::size_t> current = VersionsAt(window, now);
    for (std::size_t i = 0; i < count; ++i) order[i] = {-policy.Urgency(i, now), i};
    std::sort(order.begin(), order.end());

    budget += static_cast<double>(count) / period;
    const std::size_t fetches = std::min(count, static_cast<std::size_t>(budget));
    budget -= static_cast<double>(fetches);
    for (std::size_t k = 0; k < fetches; ++k) {
      const std::size_t i = order[k].second;
      const bool changed = current[i] != fetched[i];
      fetched[i] = current[i];
      policy.Fetched(i, now, changed);
      if (is_scored) ++(changed ? outcome.changed : outcome.wasted);
    }
    if (!is_scored) continue;
    for (std::size_t i = 0; i < count; ++i) fresh += current[i] == fetched[i] ? 1 : 0;
    scored += static_cast<long>(count);
  }
  outcome.freshness = fresh / static_cast<double>(scored);
  return outcome;
}

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

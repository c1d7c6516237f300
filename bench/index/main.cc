// Fills a Hamming index, looks up, and compares with FAISS on the same fingerprints. Prints one
// JSON object with --json, lines of text otherwise. With --snapshots DIR: snapshots and batches.
#include "bench/index/workload.h"

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace crawlsieve::bench {
namespace {

void Print(const nlohmann::ordered_json& report, bool json) {
  if (json) {
    std::puts(report.dump().c_str());
    return;
  }
  for (const auto& [name, value] : report.items()) {
    std::printf("%-30s %s\n", name.c_str(), value.dump().c_str());
  }
}

int Run(int argc, char** argv) {
  IndexBenchOptions options;
  CLI::App app("Speed, memory and exactness of the Hamming index, beside FAISS");
  app.add_option("--entries", options.entries, "Fingerprints to store")->check(CLI::PositiveNumber);
  app.add_option("--max-distance", options.max_distance, "Bits")->check(CLI::Range(0, 7));
  std::string distribution = "uniform";
  app.add_option("--dist", distribution, "Of the fingerprints")
      ->check(CLI::IsMember(kDistributions));
  app.add_option("--queries", options.queries, "Lookups to time")->check(CLI::PositiveNumber);
  app.add_option("--recall-queries", options.recall_queries, "Lookups to check by linear scan");
  app.add_option("--max-bytes-per-entry", options.max_bytes_per_entry,
                 "Memory the design may take");
  app.add_flag("!--without-documents", options.keep_documents,
               "Store fingerprints only, as where documents are looked up elsewhere");
  app.add_option("--threads", options.threads, "Threads that fill the index")
      ->check(CLI::Range(1U, 1'024U));
  app.add_option("--plain-limit", options.plain_limit,
                 "Leave plain tables out above this many entries: they need 43 bytes for each");
  app.add_option("--faiss-limit", options.faiss_limit,
                 "Leave FAISS out above this many entries: it needs up to 250 bytes for each");
  app.add_option("--snapshots", options.snapshots,
                 "Measure snapshots, in this folder, and a batch of queries instead")
      ->check(CLI::ExistingDirectory);
  app.add_option("--batch-queries", options.batch_queries, "Of the batch");
  app.add_flag("--json", options.json, "Print one JSON object");
  CLI11_PARSE(app, argc, argv);
  options.distribution = kDistributions.at(distribution);

  nlohmann::ordered_json report{{"entries", options.entries},
                                {"max_distance", options.max_distance},
                                {"distribution", distribution},
                                {"max_bytes_per_entry", options.max_bytes_per_entry},
                                {"keep_documents", options.keep_documents}};
  const std::vector<std::uint64_t> queries = MakeQueries(options);
  if (!options.snapshots.empty()) {
    BenchSnapshots(options, queries, report);
    Print(report, options.json);
    return 0;
  }
  BenchIndex(options, queries, report);
  // Compared with single inserts.
  if (options.threads == 1 && options.entries <= options.plain_limit) {
    BenchPlainTables(options, queries, report);
  }
  if (options.entries <= options.faiss_limit) {
    BenchFaiss(options, queries, report);
  } else {
    for (const char* field :
         {"faiss_best_find_mean_us", "faiss_best_bytes_per_entry", "find_ratio_vs_faiss",
          "faiss_best_find_batch_mean_us", "find_batch_ratio_vs_faiss"}) {
      report[field] = nullptr;
    }
  }
  Print(report, options.json);
  return 0;
}

}  // namespace
}  // namespace crawlsieve::bench

int main(int argc, char** argv) {
  try {
    return crawlsieve::bench::Run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "index_bench: %s\n", e.what());
    return 3;
  }
}

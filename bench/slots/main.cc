// How long a slot of the index takes to be written and to come back from its files.
#include "plugin/base/result.h"
#include "plugin/index/sharded_index.h"
#include "plugin/slots/slot_file.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve {
namespace {

using Clock = std::chrono::steady_clock;

double Since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Options {
  std::uint64_t documents = 10'000'000;
  int max_distance = 6;
  std::uint32_t shards = 16;
  std::string directory;
  std::uint64_t seed = 1;
};

SlotMachine::Options MachineOptions(const Options& options) {
  SlotMachine::Options machine;
  machine.layout = {3, 16, "cs2-bench"};
  machine.slot = 1;
  machine.make_index = [options](int max_distance) -> Result<std::unique_ptr<HammingIndex>> {
    IndexOptions index;
    index.max_distance = max_distance;
    index.shards = options.shards;
    index.expected_entries = std::max<std::uint64_t>(options.documents, 1'000);
    CRAWLSIEVE_ASSIGN_OR_RETURN(auto made, ShardedIndex::Create(index));
    return std::unique_ptr<HammingIndex>(std::move(made));
  };
  return machine;
}

/// Documents of the slot, in the order of snapshots, and the place that they are of.
std::vector<IndexEntry> DocumentsOf(const Options& options, const SlotMachine::Options& machine,
                                    std::uint64_t& sequence) {
  std::mt19937_64 random(options.seed);
  std::vector<IndexEntry> documents;
  documents.reserve(options.documents);
  for (sequence = 0; documents.size() < options.documents;) {
    const DocId document{++sequence};
    if (machine.layout.SlotOf(document) == machine.slot) {
      documents.push_back({Fingerprint{random()}, document});
    }
  }
  std::ranges::sort(documents);
  return documents;
}

Result<nlohmann::ordered_json> Run(const Options& options) {
  const SlotMachine::Options machine = MachineOptions(options);
  SlotMachine::State state;
  std::vector<IndexEntry> documents = DocumentsOf(options, machine, state.place.sequence);
  state.place.position = {static_cast<std::int64_t>(state.place.sequence) - 1, "0123456789abcdef"};
  state.parameters = JudgeParameters();
  state.parameters->max_distance = static_cast<std::uint32_t>(options.max_distance);
  const auto all = [&documents](std::vector<IndexEntry>& entries) {
    entries = std::exchange(documents, {});
    return !entries.empty();
  };
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto slot,
                              SlotMachine::Make(machine, state, options.documents, all));
  const std::filesystem::path directory =
      SlotFile::DirectoryOf(options.directory, machine.layout, machine.slot);
  auto begin = Clock::now();
  CRAWLSIEVE_RETURN_IF_ERROR(SlotFile::Write(directory, slot));
  const double written = Since(begin);
  begin = Clock::now();
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto loaded, LoadSlot(directory, machine));
  const double reloaded = Since(begin);
  const IndexStats stats = loaded.index().Stats();
  if (stats.documents != options.documents) {
    return MakeError(ErrorCode::kInternal, fmt::format("{} documents came back", stats.documents));
  }
  return nlohmann::ordered_json{{"documents", stats.documents},
                                {"max_distance", options.max_distance},
                                {"bytes", stats.bytes},
                                {"write_s", written},
                                {"reload_s", reloaded}};
}

}  // namespace
}  // namespace crawlsieve

int main(int argc, char** argv) {
  crawlsieve::Options options;
  CLI::App app("Writes the files of a slot with random fingerprints and loads them");
  app.add_option("--documents", options.documents)->capture_default_str();
  app.add_option("--max-distance", options.max_distance)
      ->check(CLI::Range(0, 7))
      ->capture_default_str();
  app.add_option("--shards", options.shards)->capture_default_str();
  app.add_option("--seed", options.seed)->capture_default_str();
  app.add_option("--directory", options.directory, "Where the files go")->required();
  CLI11_PARSE(app, argc, argv);
  const auto report = crawlsieve::Run(options);
  if (!report) {
    fmt::print(stderr, "slot_bench: {}\n", report.error().message);
    return 1;
  }
  fmt::print("{}\n", report->dump());
  return 0;
}

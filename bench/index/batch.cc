// The batch of Manku et al., section 3.3: a million queries against 8 billion fingerprints. They
// are made piece by piece as sorted gaps and written as archive snapshots; only reading, decoding
// and comparing is timed, so the disk holds one piece at a time.
//
//     batch_bench --directory /dev/shm --stored 8000000000 --queries 1000000 --max-distance 3
#include "bench/index/workload.h"
#include "plugin/index/batch/snapshot_pass.h"
#include "plugin/index/snapshot/file.h"
#include "plugin/index/snapshot/writer.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::bench {
namespace {

struct Options {
  std::filesystem::path directory = std::filesystem::temp_directory_path();
  std::uint64_t stored = 8'000'000'000;
  std::uint64_t queries = 1'000'000;
  std::uint64_t pieces = 64;
  int max_distance = 3;
  int threads = 2;
  bool json = false;
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(Mix(seed)) {}

  std::uint64_t Next() { return Mix(state_++); }
  /// Above 0, at most 1.
  double NextUnit() { return (static_cast<double>(Next() >> 11) + 1) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

/// The stored fingerprints: as many ranges of equal width as there are strips, each filled from its
/// own seed with gaps as random fingerprints have them.
class Store {
 public:
  static constexpr std::uint64_t kStripsInPiece = 4'096;

  explicit Store(const Options& options)
      : strips_(options.pieces * kStripsInPiece),
        width_(std::ldexp(1.0, 64) / static_cast<double>(strips_)),
        mean_gap_(std::ldexp(1.0, 64) / static_cast<double>(options.stored)) {}

  [[nodiscard]] std::uint64_t strips() const { return strips_; }

  /// The fingerprints of a strip, or the first `most` of them.
  void Fill(std::uint64_t strip, std::size_t most, std::vector<IndexEntry>& entries) const {
    entries.clear();
    Random random(strip);
    const auto begin = static_cast<std::uint64_t>(width_ * static_cast<double>(strip));
    double at = 0;
    while (entries.size() < most) {
      at += 1 - mean_gap_ * std::log(random.NextUnit());
      if (at >= width_ - 1) return;
      entries.push_back({{begin + static_cast<std::uint64_t>(at)}, {}});
    }
  }

 private:
  const std::uint64_t strips_;
  const double width_;
  const double mean_gap_;
};

double Seconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

/// Half of them max_distance bits off a stored one, spread over the whole store; half random.
std::vector<Fingerprint> MakeQueries(const Options& options, const Store& store) {
  Random random(~std::uint64_t{0});
  std::vector<Fingerprint> queries;
  const std::uint64_t near = options.queries / 2;
  const std::size_t each = near / store.strips() + 1;
  std::vector<IndexEntry> entries;
  for (std::uint64_t strip = 0; strip < store.strips() && queries.size() < near; ++strip) {
    store.Fill(strip, each, entries);
    for (const IndexEntry& entry : entries) {
      if (queries.size() == near) break;
      queries.push_back({Flip(entry.fingerprint.bits, options.max_distance, random.Next())});
    }
  }
  if (queries.size() < near) throw std::runtime_error("more queries than stored fingerprints");
  while (queries.size() < options.queries) queries.push_back({random.Next()});
  return queries;
}

/// Writes one piece and returns its bytes.
std::uint64_t WritePiece(const std::filesystem::path& file, const Store& store,
                         std::uint64_t piece) {
  std::uint64_t strip = piece * Store::kStripsInPiece;
  const std::uint64_t end = strip + Store::kStripsInPiece;
  const EntrySource source = [&](std::vector<IndexEntry>& entries) {
    do {
      if (strip == end) return false;
      store.Fill(strip++, std::vector<IndexEntry>().max_size(), entries);
    } while (entries.empty());
    return true;
  };
  const auto written = WriteSnapshot(file, {.kind = SnapshotKind::kArchive, .origin = {}}, source);
  if (!written) throw std::runtime_error(written.error().message);
  return written->bytes;
}

int Run(const Options& options) {
  const Store store(options);
  const std::vector<Fingerprint> queries = MakeQueries(options, store);
  const std::filesystem::path file = options.directory / "batch_bench.snapshot";

  double wall = -Seconds(CLOCK_MONOTONIC);
  double processor = -Seconds(CLOCK_PROCESS_CPUTIME_ID);
  const BatchQueries batch(queries, options.max_distance, options.stored);
  wall += Seconds(CLOCK_MONOTONIC);
  processor += Seconds(CLOCK_PROCESS_CPUTIME_ID);
  const double tables = wall;

  std::uint64_t stored = 0;
  std::uint64_t bytes = 0;
  std::vector<std::vector<BatchMatch>> found;
  for (std::uint64_t piece = 0; piece < options.pieces; ++piece) {
    bytes += WritePiece(file, store, piece);
    const auto snapshot = SnapshotFile::Open(file);
    if (!snapshot) throw std::runtime_error(snapshot.error().message);
    wall -= Seconds(CLOCK_MONOTONIC);
    processor -= Seconds(CLOCK_PROCESS_CPUTIME_ID);
    auto pass = PassOverSnapshot(*snapshot, SnapshotPart::Of(*snapshot), batch,
                                 {.threads = options.threads});

    wall += Seconds(CLOCK_MONOTONIC);
    processor += Seconds(CLOCK_PROCESS_CPUTIME_ID);
    if (!pass) throw std::runtime_error(pass.error().message);
    stored += snapshot->info().entries;
    for (auto& matches : pass->found) found.push_back(std::move(matches));
    fmt::print(stderr, "piece {} of {}: {:.1f} s for {} fingerprints so far\n", piece + 1,
               options.pieces, wall, stored);
  }
  std::filesystem::remove(file);

  std::uint64_t matches = 0;
  std::uint64_t near_found = 0;
  const std::vector<std::vector<Match>> answers = MatchesByQuery(queries.size(), found);
  for (std::size_t query = 0; query < queries.size(); ++query) {
    matches += answers[query].size();
    if (query < queries.size() / 2 && !answers[query].empty()) ++near_found;
  }
  const nlohmann::ordered_json report{
      {"stored", stored},
      {"bytes_per_fingerprint", static_cast<double>(bytes) / static_cast<double>(stored)},
      {"queries", queries.size()},
      {"max_distance", options.max_distance},
      {"threads", options.threads},
      {"tables_s", tables},
      {"seconds", wall},
      {"processor_s", processor},
      {"processor_ns_per_stored", processor / static_cast<double>(stored) * 1e9},
      {"matches", matches},
      {"near_queries", queries.size() / 2},
      {"near_queries_answered", near_found}};
  if (options.json) {
    fmt::print("{}\n", report.dump());
  } else {
    for (const auto& [name, value] : report.items()) fmt::print("{:<26} {}\n", name, value.dump());
  }
  return near_found == queries.size() / 2 ? 0 : 1;
}

int Main(int argc, char** argv) {
  Options options;
  CLI::App app("Many queries against fingerprints by the billion, in one pass");
  app.add_option("--directory", options.directory, "For one piece at a time: 5 bytes a fingerprint")
      ->check(CLI::ExistingDirectory);
  app.add_option("--stored", options.stored)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--queries", options.queries)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--pieces", options.pieces)->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--max-distance", options.max_distance)
      ->check(CLI::Range(0, 7))
      ->capture_default_str();
  app.add_option("--threads", options.threads)->check(CLI::Range(1, 1'024))->capture_default_str();
  app.add_flag("--json", options.json, "Print one JSON object");
  CLI11_PARSE(app, argc, argv);
  return Run(options);
}

}  // namespace
}  // namespace crawlsieve::bench

int main(int argc, char** argv) {
  try {
    return crawlsieve::bench::Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "batch_bench: %s\n", error.what());
    return 1;
  }
}

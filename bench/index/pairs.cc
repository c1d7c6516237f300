// All near pairs of a set, and the same pairs by the index's own lookups: they must be equal, every
// one and in order. Exits with 1 if they aren't.
//
//     pairs_bench --stored 10000000 --max-distance 6
#include "plugin/index/batch/near_pairs.h"
#include "plugin/index/sharded_index.h"
#include "plugin/index/snapshot/file.h"
#include "plugin/index/snapshot/writer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <limits>
#include <memory>
#include <random>
#include <span>
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
  std::uint64_t stored = 10'000'000;
  int max_distance = 3;
  int threads = 2;
  bool json = false;
};

/// Random ones; each tenth is 0 to 8 bits from the one made before.
std::vector<IndexEntry> MakeSet(std::uint64_t stored) {
  std::mt19937_64 random(11);
  std::vector<IndexEntry> entries;
  std::uint64_t bits = 0;
  for (std::uint64_t document = 1; document <= stored; ++document) {
    if (document % 10 == 0) {
      for (std::uint64_t flips = random() % 9; flips > 0; --flips) {
        bits ^= std::uint64_t{1} << random() % 64;
      }
    } else {
      bits = random();
    }
    entries.push_back({{bits}, {document}});
  }
  std::ranges::sort(entries);
  return entries;
}

/// Gives the pairs of a set in order, by lookups.
class LookedUpPairs {
 public:
  LookedUpPairs(const std::vector<IndexEntry>& entries, int max_distance)
      : entries_(entries), max_distance_(max_distance), index_(MakeIndex(entries, max_distance)) {
    index_->Reserve(entries.size(), {entries.size()});
    index_->InsertAll(entries, 1);
  }

  /// nullptr: there are no more.
  const NearPair* Next() {
    while (next_ == pairs_.size()) {
      if (at_ == entries_.size()) return nullptr;
      LookUp(at_++);
    }
    return &pairs_[next_++];
  }

 private:
  static std::unique_ptr<ShardedIndex> MakeIndex(const std::vector<IndexEntry>& entries,
                                                 int max_distance) {
    IndexOptions options;
    options.max_distance = max_distance;
    options.expected_entries = entries.size();
    auto index = ShardedIndex::Create(options);
    if (!index) throw std::runtime_error(index.error().message);
    return *std::move(index);
  }

  void LookUp(std::size_t at) {
    pairs_.clear();
    next_ = 0;
    const IndexEntry& entry = entries_[at];
    if (at + 1 < entries_.size() && entries_[at + 1].fingerprint == entry.fingerprint) {
      pairs_.push_back({entry, entries_[at + 1], 0});
    }
    if (at > 0 && entries_[at - 1].fingerprint == entry.fingerprint) return;
    index_->Find(entry.fingerprint, max_distance_, std::numeric_limits<std::size_t>::max(),
                 matches_);
    const std::size_t begin = pairs_.size();
    for (const Match& match : matches_) {
      if (match.fingerprint.bits <= entry.fingerprint.bits) continue;
      pairs_.push_back({entry, {match.fingerprint, match.document}, match.distance});
    }
    const auto first = pairs_.begin() + static_cast<std::ptrdiff_t>(begin);
    std::sort(first, pairs_.end(),
              [](const NearPair& left, const NearPair& right) { return left.b < right.b; });
    pairs_.erase(std::unique(first, pairs_.end(),
                             [](const NearPair& left, const NearPair& right) {
                               return left.b.fingerprint == right.b.fingerprint;
                             }),
                 pairs_.end());
  }

  const std::vector<IndexEntry>& entries_;
  const int max_distance_;
  const std::unique_ptr<ShardedIndex> index_;
  std::vector<Match> matches_;
  std::vector<NearPair> pairs_;
  std::size_t next_ = 0;
  std::size_t at_ = 0;
};

double Seconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

int Run(const Options& options) {
  const std::vector<IndexEntry> entries = MakeSet(options.stored);
  const std::filesystem::path file = options.directory / "pairs_bench.snapshot";
  const EntrySource source = [&, done = false](std::vector<IndexEntry>& piece) mutable {
    piece = done ? std::vector<IndexEntry>() : entries;
    done = true;
    return !piece.empty();
  };
  if (!WriteSnapshot(file, {.kind = SnapshotKind::kRestart, .origin = {}}, source)) {
    throw std::runtime_error("can't write " + file.string());
  }
  const auto store = SnapshotFile::Open(file);
  if (!store) throw std::runtime_error(store.error().message);

  std::vector<NearPair> pairs;
  const double wall = Seconds(CLOCK_MONOTONIC);
  const double processor = Seconds(CLOCK_PROCESS_CPUTIME_ID);
  const Status visited =
      ForEachNearPair(*store, SnapshotPart::Of(*store),
                      {.max_distance = options.max_distance, .threads = options.threads},
                      [&](std::span<const NearPair> more) -> Status {
                        pairs.insert(pairs.end(), more.begin(), more.end());
                        return {};
                      });
  if (!visited) throw std::runtime_error(visited.error().message);
  nlohmann::ordered_json report{{"stored", entries.size()},
                                {"max_distance", options.max_distance},
                                {"threads", options.threads},
                                {"seconds", Seconds(CLOCK_MONOTONIC) - wall},
                                {"processor_s", Seconds(CLOCK_PROCESS_CPUTIME_ID) - processor},
                                {"pairs", pairs.size()}};
  std::filesystem::remove(file);

  const double lookups = Seconds(CLOCK_PROCESS_CPUTIME_ID);
  LookedUpPairs expected(entries, options.max_distance);
  std::uint64_t different = 0;
  for (const NearPair& pair : pairs) {
    const NearPair* const next = expected.Next();
    if (next == nullptr || !(*next == pair)) ++different;
  }
  while (expected.Next() != nullptr) ++different;
  report["different"] = different;
  report["lookups_processor_s"] = Seconds(CLOCK_PROCESS_CPUTIME_ID) - lookups;
  if (options.json) {
    fmt::print("{}\n", report.dump());
  } else {
    for (const auto& [name, value] : report.items()) fmt::print("{:<22} {}\n", name, value.dump());
  }
  return different == 0 ? 0 : 1;
}

int Main(int argc, char** argv) {
  Options options;
  CLI::App app("All near pairs of a set, beside the index's own lookups");
  app.add_option("--directory", options.directory, "For a snapshot: 9 bytes a fingerprint")
      ->check(CLI::ExistingDirectory);
  app.add_option("--stored", options.stored)->check(CLI::PositiveNumber)->capture_default_str();
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
    std::fprintf(stderr, "pairs_bench: %s\n", error.what());
    return 1;
  }
}

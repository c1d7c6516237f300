#include "bench/index/workload.h"
#include "plugin/index/base/kernel.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <limits>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>

namespace crawlsieve::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

struct Inserts {
  std::uint64_t count = 0;
  double micros = 0;
  double worst = 0;

  [[nodiscard]] double Mean() const {
    return micros / static_cast<double>(std::max<std::uint64_t>(count, 1));
  }
};

/// In turns one by one and many at a time, so that both meet the index at every size.
void MeasureInserts(const IndexBenchOptions& options, ShardedIndex& index,
                    nlohmann::ordered_json& report) {
  constexpr std::uint64_t kTurn = 1000;
  Inserts one_by_one;
  Inserts last_tenth;
  Inserts at_once;
  std::vector<IndexEntry> turn;
  const double cpu_start = CpuMicros();
  for (std::uint64_t first = 0; first < options.entries; first += kTurn) {
    const std::uint64_t end = std::min(first + kTurn, options.entries);
    turn.clear();
    for (std::uint64_t i = first; i < end; ++i) {
      turn.push_back({{FingerprintAt(options.distribution, i)}, {i + 1}});
    }
    const Clock::time_point start = Clock::now();
    if (first / kTurn % 2 == 1) {
      index.InsertAll(turn, 1);
      at_once.count += turn.size();
      at_once.micros += MicrosSince(start);
      continue;
    }
    Clock::time_point previous = start;
    for (const IndexEntry& entry : turn) {
      index.Insert(entry.fingerprint, entry.document);
      const Clock::time_point now = Clock::now();
      one_by_one.worst = std::max(
          one_by_one.worst, std::chrono::duration<double, std::micro>(now - previous).count());
      previous = now;
    }
    const double micros = MicrosSince(start);
    one_by_one.count += turn.size();
    one_by_one.micros += micros;
    if (first < options.entries / 10 * 9) continue;
    last_tenth.count += turn.size();
    last_tenth.micros += micros;
  }
  report["insert_cpu_us"] = (CpuMicros() - cpu_start) / static_cast<double>(options.entries);
  const IndexStats stats = index.Stats();
  report["insert_mean_us"] = one_by_one.Mean();
  report["insert_last_tenth_mean_us"] = last_tenth.Mean();
  report["insert_all_mean_us"] = at_once.Mean();
  report["insert_max_us"] = one_by_one.worst;
  report["fingerprints"] = stats.fingerprints;
  report["bytes_per_entry"] =
      static_cast<double>(stats.bytes) / static_cast<double>(stats.fingerprints);
}

/// By all threads.
void MeasureFill(const IndexBenchOptions& options, ShardedIndex& index,
                 nlohmann::ordered_json& report) {
  constexpr std::uint64_t kTurn = 1'000'000;
  std::vector<IndexEntry> turn;
  double micros = 0;
  for (std::uint64_t first = 0; first < options.entries; first += kTurn) {
    turn.clear();
    for (std::uint64_t i = first; i < std::min(first + kTurn, options.entries); ++i) {
      turn.push_back({{FingerprintAt(options.distribution, i)}, {i + 1}});
    }
    const Clock::time_point start = Clock::now();
    index.InsertAll(turn, options.threads);
    micros += MicrosSince(start);
    if ((first + kTurn) % (100 * kTurn) == 0) {
      std::fprintf(stderr, "filled: %.0f M\n", static_cast<double>(first + kTurn) / 1e6);
    }
  }
  const IndexStats stats = index.Stats();
  report["threads"] = options.threads;
  report["fill_us"] = micros / static_cast<double>(options.entries);
  report["fingerprints"] = stats.fingerprints;
  report["bytes"] = stats.bytes;
  report["bytes_per_entry"] =
      static_cast<double>(stats.bytes) / static_cast<double>(stats.fingerprints);
}

void MeasureLookups(const IndexBenchOptions& options, const std::vector<std::uint64_t>& queries,
                    const ShardedIndex& index, nlohmann::ordered_json& report) {
  std::vector<Match> matches;
  LookupWork work;
  const double find_cpu = CpuMicros();
  const Clock::time_point find_start = Clock::now();
  for (const std::uint64_t query : queries) {
    index.Find({query}, options.max_distance, kAll, matches, &work);
  }
  const auto count = static_cast<double>(queries.size());
  report["find_mean_us"] = MicrosSince(find_start) / count;
  report["find_cpu_us"] = (CpuMicros() - find_cpu) / count;
  report["lines_per_find"] = static_cast<double>(work.lines) / count;
  report["probes_per_find"] = static_cast<double>(work.probes) / count;
  report["candidates_per_find"] = static_cast<double>(work.candidates) / count;

  std::vector<double> times;
  for (const std::uint64_t query : queries) {
    const Clock::time_point one = Clock::now();
    index.Find({query}, options.max_distance, kAll, matches);
    times.push_back(MicrosSince(one));
  }
  std::ranges::sort(times);
  report["find_p50_us"] = times[times.size() / 2];
  report["find_p99_us"] = times[times.size() * 99 / 100];

  std::vector<Fingerprint> batch;
  for (const std::uint64_t query : queries) batch.push_back({query});
  std::vector<std::vector<Match>> answers;
  const Clock::time_point batch_start = Clock::now();
  index.FindBatch(batch, options.max_distance, kAll, answers);
  report["find_batch_mean_us"] = MicrosSince(batch_start) / count;
}

/// The oracle: everything that was inserted, compared with a few queries.
void CheckRecall(const IndexBenchOptions& options, const std::vector<std::uint64_t>& queries,
                 const ShardedIndex& index, nlohmann::ordered_json& report) {
  std::vector<Match> matches;
  const std::size_t sampled = std::min<std::size_t>(options.recall_queries, queries.size());
  std::vector<std::set<IndexEntry>> expected(sampled);
  for (std::uint64_t i = 0; i < options.entries; ++i) {
    const std::uint64_t bits = FingerprintAt(options.distribution, i);
    for (std::size_t q = 0; q < sampled; ++q) {
      if (std::popcount(bits ^ queries[q]) > options.max_distance) continue;
      expected[q].insert(IndexEntry{{bits}, DocId{options.keep_documents ? i + 1 : 0}});
    }
  }
  std::uint64_t wanted = 0;
  std::uint64_t right = 0;
  std::uint64_t wrong = 0;
  for (std::size_t q = 0; q < sampled; ++q) {
    index.Find({queries[q]}, options.max_distance, kAll, matches);
    wanted += expected[q].size();
    for (const Match& match : matches) {
      expected[q].erase(IndexEntry{match.fingerprint, match.document}) == 1 ? ++right : ++wrong;
    }
  }
  report["recall"] = wanted == 0 ? 1.0 : static_cast<double>(right) / static_cast<double>(wanted);
  report["recall_pairs"] = wanted;
  report["false_positives"] = wrong;
}

}  // namespace

void BenchIndex(const IndexBenchOptions& options, const std::vector<std::uint64_t>& queries,
                nlohmann::ordered_json& report) {
  auto created = ShardedIndex::Create({.max_distance = options.max_distance,
                                       .expected_entries = options.entries,
                                       .max_bytes_per_entry = options.max_bytes_per_entry,
                                       .keep_documents = options.keep_documents});
  if (!created) throw std::runtime_error(created.error().message);
  std::uint64_t bytes = 0;
  {
    const std::unique_ptr<ShardedIndex> index = *std::move(created);
    report["kernel"] = BestKernel().name;
    report["block_bits"] = index->block_bits();
    if (options.threads > 1) {
      MeasureFill(options, *index, report);
    } else {
      MeasureInserts(options, *index, report);
    }
    MeasureLookups(options, queries, *index, report);
    CheckRecall(options, queries, *index, report);
    bytes = index->Stats().bytes;
  }
  // When the index has given its memory back: a large one leaves no room for as much again.
  report["random_line_ns"] = RandomLineNanos(bytes, 64);
  report["random_line_alone_ns"] = RandomLineNanos(bytes, 1);
  report["find_to_lines_ratio"] =
      report["find_cpu_us"].get<double>() * 1000 /
      (report["lines_per_find"].get<double>() * report["random_line_ns"].get<double>());
}

}  // namespace crawlsieve::bench

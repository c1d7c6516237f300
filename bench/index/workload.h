#pragma once

#include "plugin/index/sharded_index.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace crawlsieve::bench {

// What the parts of index_bench share: fingerprints, queries, clocks.

enum class Distribution { kUniform, kClustered, kAdversarial };
inline const std::map<std::string, Distribution> kDistributions{
    {"uniform", Distribution::kUniform},
    {"clustered", Distribution::kClustered},
    {"adversarial", Distribution::kAdversarial}};

struct IndexBenchOptions {
  std::uint64_t entries = 1'000'000;
  int max_distance = 3;
  Distribution distribution = Distribution::kUniform;
  std::uint64_t queries = 20'000;
  std::uint64_t recall_queries = 32;
  std::uint64_t faiss_limit = 10'000'000;
  std::uint32_t max_bytes_per_entry = IndexOptions{}.max_bytes_per_entry;
  bool keep_documents = true;
  std::uint64_t plain_limit = 200'000'000;
  unsigned threads = 1;             // that fill the index; 1: inserts are timed one by one, too
  std::filesystem::path snapshots;  // a folder; empty: only the index in memory
  std::uint64_t batch_queries = 1'000'000;
  bool json = false;
};

/// Processor time of this thread, in microseconds: what a busy machine leaves of the wall clock.
[[nodiscard]] double CpuMicros();
[[nodiscard]] double MicrosSince(std::chrono::steady_clock::time_point start);

/// SplitMix64: a bijection whose outputs look random, so that the bench needs no memory for them.
[[nodiscard]] std::uint64_t Mix(std::uint64_t x);
/// `bits` with `count` of them flipped, chosen by `seed`.
[[nodiscard]] std::uint64_t Flip(std::uint64_t bits, int count, std::uint64_t seed);
/// The i-th fingerprint.
[[nodiscard]] std::uint64_t FingerprintAt(Distribution distribution, std::uint64_t i);
/// Half of them max_distance bits off a stored one, half random.
[[nodiscard]] std::vector<std::uint64_t> MakeQueries(const IndexBenchOptions& options);

// Each measures one subject and adds its figures to `report`. Errors: std::runtime_error.

/// Inserts, lookups and batches of the index in memory; recall against a linear scan.
void BenchIndex(const IndexBenchOptions& options, const std::vector<std::uint64_t>& queries,
                nlohmann::ordered_json& report);
/// Time of a line at a random place of `bytes` of memory, in nanoseconds, when `ahead` of them are
/// on their way at a time. As fast as a lookup could be that only waits for its lines.
[[nodiscard]] double RandomLineNanos(std::uint64_t bytes, std::size_t ahead);
/// Snapshots of each kind, and a batch of queries over one.
void BenchSnapshots(const IndexBenchOptions& options, const std::vector<std::uint64_t>& queries,
                    nlohmann::ordered_json& report);
/// The simplest exact index. After BenchIndex, whose figures it divides by its own.
void BenchPlainTables(const IndexBenchOptions& options, const std::vector<std::uint64_t>& queries,
                      nlohmann::ordered_json& report);
/// FAISS, in every configuration that is exact. After BenchIndex.
void BenchFaiss(const IndexBenchOptions& options, const std::vector<std::uint64_t>& queries,
                nlohmann::ordered_json& report);

}  // namespace crawlsieve::bench

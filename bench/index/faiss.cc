#include "bench/index/workload.h"

#include <limits>

#include <faiss/IndexBinaryFlat.h>
#include <faiss/IndexBinaryHash.h>
#include <faiss/impl/AuxIndexStructures.h>
#include <malloc.h>
#include <omp.h>

namespace crawlsieve::bench {
namespace {

using Clock = std::chrono::steady_clock;

std::uint64_t HeapBytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// Of a lookup, asked for `batch` at a time until so many seconds have passed.
template <typename Index>
double MeanFaissMicros(const Index& index, const std::vector<std::uint64_t>& queries,
                       int max_distance, double seconds, std::size_t batch = 1) {
  const Clock::time_point start = Clock::now();
  std::size_t done = 0;
  while (done < queries.size() && MicrosSince(start) < seconds * 1e6) {
    const std::size_t count = std::min(batch, queries.size() - done);
    faiss::RangeSearchResult result(count);
    // FAISS answers distance < radius.
    index.range_search(static_cast<faiss::IndexBinary::idx_t>(count),
                       reinterpret_cast<const std::uint8_t*>(&queries[done]), max_distance + 1,
                       &result);
    done += count;
  }
  return MicrosSince(start) / static_cast<double>(done);
}

}  // namespace

void BenchFaiss(const IndexBenchOptions& options, const std::vector<std::uint64_t>& queries,
                nlohmann::ordered_json& report) {
  omp_set_num_threads(1);
  std::vector<std::uint64_t> data(options.entries);
  for (std::uint64_t i = 0; i < options.entries; ++i) {
    data[i] = FingerprintAt(options.distribution, i);
  }
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(data.data());
  const auto entries = static_cast<faiss::IndexBinary::idx_t>(options.entries);
  double best = std::numeric_limits<double>::infinity();
  double best_batch = std::numeric_limits<double>::infinity();
  double best_bytes = 0;
  nlohmann::ordered_json all;
  {
    faiss::IndexBinaryFlat flat(64);
    flat.add(entries, bytes);
    all["flat"]["find_mean_us"] = MeanFaissMicros(flat, queries, options.max_distance, 2);
    all["flat"]["bytes_per_entry"] = 8;
  }
  for (const int blocks : {2, 3, 4}) {
    // Every configuration that is exact: a block with at most `flips` differing bits exists.
    const int flips = (options.max_distance + blocks) / blocks - 1;
    const int bits = 64 / blocks;
    malloc_trim(0);
    const std::uint64_t before = HeapBytes();
    faiss::IndexBinaryMultiHash index(64, blocks, bits);
    index.nflip = flips;
    index.add(entries, bytes);
    const double size =
        static_cast<double>(HeapBytes() - before) / static_cast<double>(options.entries);
    const double micros = MeanFaissMicros(index, queries, options.max_distance, 5);
    const std::string name =
        std::to_string(blocks) + "x" + std::to_string(bits) + " nflip " + std::to_string(flips);
    const double batch = MeanFaissMicros(index, queries, options.max_distance, 5, 1'000);
    all[name]["find_mean_us"] = micros;
    all[name]["find_batch_mean_us"] = batch;
    all[name]["bytes_per_entry"] = size;
    if (batch < best_batch) {
      best_batch = batch;
      report["faiss_batch_best"] = name;
    }
    if (micros < best) {
      best = micros;
      best_bytes = size;
      report["faiss_best"] = name;
    }
  }
  report["faiss"] = all;
  report["faiss_best_find_mean_us"] = best;
  report["faiss_best_bytes_per_entry"] = best_bytes;
  report["find_ratio_vs_faiss"] = best / report["find_mean_us"].get<double>();
  report["faiss_best_find_batch_mean_us"] = best_batch;
  report["find_batch_ratio_vs_faiss"] = best_batch / report["find_batch_mean_us"].get<double>();
}

}  // namespace crawlsieve::bench

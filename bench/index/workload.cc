#include "bench/index/workload.h"

#include <bit>
#include <random>

#include <time.h>

namespace crawlsieve::bench {

double CpuMicros() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

double MicrosSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
      .count();
}

std::uint64_t Mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

std::uint64_t Flip(std::uint64_t bits, int count, std::uint64_t seed) {
  std::uint64_t mask = 0;
  for (; std::popcount(mask) < count; seed = Mix(seed)) mask |= std::uint64_t{1} << (seed & 63);
  return bits ^ mask;
}

std::uint64_t FingerprintAt(Distribution distribution, std::uint64_t i) {
  if (distribution == Distribution::kClustered) {  // 64 pages around each centre, up to 4 bits off
    return Flip(Mix(i / 64), static_cast<int>(i % 5), i);
  }
  if (distribution == Distribution::kAdversarial &&
      i % 10 == 0) {  // every tenth in one bucket of the first table
    return Mix(i) & 0xffff'ffff;
  }
  return Mix(i);
}

std::vector<std::uint64_t> MakeQueries(const IndexBenchOptions& options) {
  std::vector<std::uint64_t> queries;
  std::mt19937_64 random(1);
  for (std::uint64_t i = 0; i < options.queries; ++i) {
    const std::uint64_t stored = FingerprintAt(options.distribution, random() % options.entries);
    queries.push_back(i % 2 == 0 ? Flip(stored, options.max_distance, i) : random());
  }
  return queries;
}

}  // namespace crawlsieve::bench

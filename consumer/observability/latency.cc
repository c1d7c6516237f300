#include "consumer/observability/latency.h"

#include <algorithm>
#include <bit>

namespace crawlsieve::consumer {

// Values below 2^(kPrecisionBits+1) have a bucket each; above, every power of two is cut into
// 2^kPrecisionBits buckets. The first bits of a value, leading 1 included, are its bucket.
std::size_t LatencyWindow::BucketOf(std::uint64_t micros) {
  const int shift = std::max(0, static_cast<int>(std::bit_width(micros)) - kPrecisionBits - 1);
  return (static_cast<std::size_t>(shift) << kPrecisionBits) + (micros >> shift);
}

std::uint64_t LatencyWindow::LowestIn(std::size_t bucket) {
  const std::size_t row = bucket >> kPrecisionBits;
  if (row <= 1) return bucket;
  const std::size_t shift = row - 1;
  return static_cast<std::uint64_t>(bucket - (shift << kPrecisionBits)) << shift;
}

void LatencyWindow::Observe(std::chrono::nanoseconds duration) {
  const auto count = std::chrono::floor<std::chrono::microseconds>(duration).count();
  const std::uint64_t micros =
      count < 0 ? 0 : std::min<std::uint64_t>(count, (std::uint64_t{1} << kMaxBits) - 1);
  counts_[BucketOf(micros)].fetch_add(1, std::memory_order_relaxed);
  std::uint64_t max = max_.load(std::memory_order_relaxed);
  while (micros > max && !max_.compare_exchange_weak(max, micros, std::memory_order_relaxed)) {
  }
}

LatencySummary LatencyWindow::Take() {
  std::array<std::uint64_t, kBuckets> counts;
  LatencySummary summary;
  std::size_t highest = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    counts[i] = counts_[i].exchange(0, std::memory_order_relaxed);
    summary.count += counts[i];
    if (counts[i] != 0) highest = i;
  }
  // An event that is being observed right now may be counted here and have its maximum in the
  // neighbouring window, or the other way round: keep to the bucket that was counted.
  const std::uint64_t max = std::clamp(max_.exchange(0, std::memory_order_relaxed),
                                       LowestIn(highest), LowestIn(highest + 1) - 1);
  if (summary.count == 0) return summary;
  const auto quantile = [&](std::uint64_t percent) {
    const std::uint64_t rank = (summary.count * percent + 99) / 100;
    std::size_t bucket = 0;
    for (std::uint64_t seen = counts[0]; seen < rank; seen += counts[bucket]) ++bucket;
    return std::chrono::microseconds(std::min(LowestIn(bucket + 1) - 1, max));
  };
  summary.p50 = quantile(50);
  summary.p95 = quantile(95);
  summary.p99 = quantile(99);
  summary.max = std::chrono::microseconds(max);
  return summary;
}

}  // namespace crawlsieve::consumer

#include "plugin/verdict/priority.h"

#include <algorithm>

namespace crawlsieve {
namespace {

/// numerator / denominator, rounded down; the result stays within 0..1.
Score Ratio(std::uint64_t numerator, std::uint64_t denominator) {
  // Counts stay far below 2^64 / 10^4: a billion fetches a second reach that in 50 years.
  const std::uint64_t scaled = numerator * Score::kOne / denominator;
  return Score{static_cast<std::uint32_t>(std::min<std::uint64_t>(scaled, Score::kOne))};
}

}  // namespace

Priority ComputePriority(const PriorityParameters& weights, const PriorityEvidence& evidence) {
  PriorityComponents components;
  components.novelty = Score{evidence.novelty};
  components.host = Score{
      Score::kOne - Ratio(evidence.host_duplicates + 1, evidence.host_pages + 4).ten_thousandths};
  components.depth = Ratio(4, 4 + std::uint64_t{evidence.path_depth});
  components.change = Ratio(evidence.changes + 1, evidence.refetches + 2);

  const std::uint64_t sum = std::uint64_t{weights.novelty} * components.novelty.ten_thousandths +
                            std::uint64_t{weights.host} * components.host.ten_thousandths +
                            std::uint64_t{weights.depth} * components.depth.ten_thousandths +
                            std::uint64_t{weights.change} * components.change.ten_thousandths;
  return {Score{static_cast<std::uint32_t>(std::min<std::uint64_t>(sum / 1000, Score::kOne))},
          components};
}

std::uint64_t NextInterval(const RecrawlIntervals& intervals, std::uint64_t current, bool changed) {
  const std::uint64_t bounded = std::min(current, intervals.max_seconds);
  const std::uint64_t next = changed ? bounded / 2 : bounded + bounded / 2;
  return std::clamp(next, intervals.min_seconds, intervals.max_seconds);
}

}  // namespace crawlsieve

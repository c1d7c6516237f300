#pragma once

#include "plugin/base/result.h"
#include "plugin/state/store.h"
#include "plugin/verdict/parameters.h"
#include "plugin/verdict/score.h"

#include <cstdint>
#include <span>
#include <vector>

#include "evaluation/crawl/crawl_findings.h"

namespace crawlsieve::consumer {

/// A kept page and the earlier kept page that is nearest to it: few bits apart, and kept all the
/// same.
struct KeptPair {
  NamedPage page;
  NamedPage earlier;
  int distance = 0;
  Score similarity;
  bool is_near_at_laxer = false;  ///< with one bit more it would be a near duplicate
};

/// What is near a sample of the kept pages.
struct Neighbourhood {
  std::uint64_t sampled = 0;        ///< kept pages that were looked at
  std::uint64_t would_be_near = 0;  ///< of these, with one bit more than max_distance
  std::vector<KeptPair> pairs;      ///< by distance, then in the order of the sample
};

/// Compares each of `kept` with every earlier page that the state in `store` keeps, and finds those
/// within one bit more than `parameters` ask for.
///
/// Reads the whole table of documents once. Time: about 10 µs a document for 2,000 kept pages. A
/// judge with one bit more would have kept fewer pages before, so what it finds is an estimate.
/// Errors: kIo, kCorruption.
[[nodiscard]] Result<Neighbourhood> FindNeighbours(const Store& store,
                                                   std::span<const KeptPage> kept,
                                                   const JudgeParameters& parameters);

}  // namespace crawlsieve::consumer

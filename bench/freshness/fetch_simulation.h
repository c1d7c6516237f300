#pragma once

#include "bench/freshness/change_histories.h"
#include "bench/freshness/fetch_policies.h"

namespace crawlsieve::bench {

/// What a policy comes to in the second half of a window.
struct Outcome {
  double freshness = 0;  ///< mean share of documents whose last fetched version is the current one
  long changed = 0;      ///< fetches that found another version
  long wasted = 0;       ///< fetches that did not
};

/// Goes through the window day by day: documents / `period` fetches in the order of `policy`, then
/// the day is scored. What is left of a fetch is left for the next day.
[[nodiscard]] Outcome Simulate(const ChangeWindow& window, double period, FetchPolicy& policy);

}  // namespace crawlsieve::bench

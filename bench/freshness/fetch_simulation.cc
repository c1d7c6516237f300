#include "bench/freshness/fetch_simulation.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace crawlsieve::bench {
namespace {

/// Number of versions up to `now`, by document.
std::vector<std::size_t> VersionsAt(const ChangeWindow& window, double now) {
  std::vector<std::size_t> versions;
  for (const ChangeHistory& history : window.documents) {
    versions.push_back(static_cast<std::size_t>(
        std::upper_bound(history.times.begin(), history.times.end(), now) - history.times.begin()));
  }
  return versions;
}

}  // namespace

Outcome Simulate(const ChangeWindow& window, double period, FetchPolicy& policy) {
  const std::size_t count = window.documents.size();
  std::vector<std::size_t> fetched = VersionsAt(window, window.begin);
  std::vector<std::pair<double, std::size_t>> order(count);
  Outcome outcome;
  double budget = 0;
  double fresh = 0;
  long scored = 0;
  for (int day = 1; day <= window.days; ++day) {
    const double now = window.begin + day;
    const bool is_scored = day > window.days / 2;
    const std::vector<std::size_t> current = VersionsAt(window, now);
    for (std::size_t i = 0; i < count; ++i) order[i] = {-policy.Urgency(i, now), i};
    std::sort(order.begin(), order.end());

    budget += static_cast<double>(count) / period;
    const std::size_t fetches = std::min(count, static_cast<std::size_t>(budget));
    budget -= static_cast<double>(fetches);
    for (std::size_t k = 0; k < fetches; ++k) {
      const std::size_t i = order[k].second;
      const bool changed = current[i] != fetched[i];
      fetched[i] = current[i];
      policy.Fetched(i, now, changed);
      if (is_scored) ++(changed ? outcome.changed : outcome.wasted);
    }
    if (!is_scored) continue;
    for (std::size_t i = 0; i < count; ++i) fresh += current[i] == fetched[i] ? 1 : 0;
    scored += static_cast<long>(count);
  }
  outcome.freshness = fresh / static_cast<double>(scored);
  return outcome;
}

}  // namespace crawlsieve::bench

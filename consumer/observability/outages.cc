#include "consumer/observability/outages.h"

#include <algorithm>
#include <utility>

namespace crawlsieve::consumer {

Outages::Advice Outages::Add(std::string_view key, Clock::time_point now) {
  auto found = outages_.find(key);
  if (found == outages_.end()) {
    if (outages_.size() < kMost) {
      outages_.emplace(key, Outage{.key = std::string(key),
                                   .times = 1,
                                   .first = now,
                                   .last = now,
                                   .next_line = now + kFirstPause});
    }
    return {};
  }
  Outage& outage = found->second;
  ++outage.times;
  outage.last = now;
  const Advice advice{now >= outage.next_line, outage.times, now - outage.first};
  if (advice.write) {
    outage.pause = std::min(2 * outage.pause, kLongestPause);
    outage.next_line = now + outage.pause;
  }
  return advice;
}

std::vector<Outages::Outage> Outages::TakeEnded(Clock::time_point now, bool all) {
  std::vector<Outage> ended;
  for (auto outage = outages_.begin(); outage != outages_.end();) {
    if (!all && now - outage->second.last < kQuiet) {
      ++outage;
      continue;
    }
    if (outage->second.times > 1) ended.push_back(std::move(outage->second));
    outage = outages_.erase(outage);
  }
  std::ranges::stable_sort(ended, {}, &Outage::first);
  return ended;
}

}  // namespace crawlsieve::consumer

#include "bench/harvest/simulation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

namespace crawlsieve::bench {
namespace {

constexpr std::size_t kCurveSteps = 100;

/// What was found, and how far from the first page.
class Discoveries {
 public:
  Discoveries(const CrawlSet& set, CrawlOrder& order)
      : order_(order), depth_(set.pages.size()), is_known_(set.pages.size()) {}

  void Add(std::size_t page, std::uint32_t depth) {
    if (is_known_[page]) return;
    is_known_[page] = true;
    depth_[page] = depth;
    order_.Discovered(page, depth);
  }
  [[nodiscard]] std::uint32_t depth(std::size_t page) const { return depth_[page]; }

 private:
  CrawlOrder& order_;
  std::vector<std::uint32_t> depth_;
  std::vector<bool> is_known_;
};

}  // namespace

double CalibrationError(const ChanceTenths& tenths) {
  double sum = 0;
  std::size_t fetches = 0;
  for (const ChanceTenth& tenth : tenths) {
    sum += std::abs(tenth.chances - static_cast<double>(tenth.fresh));
    fetches += tenth.fetches;
  }
  return fetches == 0 ? 0 : sum / static_cast<double>(fetches);
}

Harvest Simulate(const CrawlSet& set, CrawlOrder& order) {
  const std::size_t pages = set.pages.size();
  Discoveries discoveries(set, order);
  std::set<std::size_t> found;
  std::vector<std::size_t> found_after{0};
  discoveries.Add(0, 0);
  ChanceTenths tenths;
  Harvest harvest;
  while (const std::optional<Step> step = order.Next()) {
    if (!step->fetch) {
      const auto instead = set.by_url.find(step->instead);
      if (instead != set.by_url.end()) {
        discoveries.Add(instead->second, discoveries.depth(step->page));
      }
      continue;
    }
    const bool is_new = found.insert(set.pages[step->page].content_class).second;
    if (step->chance.has_value()) {
      ChanceTenth& tenth =
          tenths[std::min<std::size_t>(static_cast<std::size_t>(*step->chance * 10), 9)];
      ++tenth.fetches;
      tenth.fresh += is_new ? 1 : 0;
      tenth.chances += *step->chance;
    }
    found_after.push_back(found.size());
    harvest.fetches.push_back({step->page, is_new, step->chance, order.Fetched(step->page)});
    for (const std::size_t link : set.pages[step->page].links) {
      discoveries.Add(link, discoveries.depth(step->page) + 1);
    }
  }

  harvest.tenths = tenths;
  harvest.fetched = found_after.size() - 1;
  harvest.found = found.size();
  found_after.resize(pages + 1, found.size());
  const auto classes = static_cast<double>(set.classes);
  for (std::size_t i = 1; i <= pages; ++i) {
    harvest.area += static_cast<double>(found_after[i]) / classes / static_cast<double>(pages);
  }
  for (std::size_t i = 0; i <= kCurveSteps; ++i) {
    harvest.curve.push_back(static_cast<double>(found_after[i * pages / kCurveSteps]) / classes);
  }
  const std::size_t duplicates = pages - set.classes;
  harvest.avoided = duplicates == 0 ? 0
                                    : 1 - static_cast<double>(harvest.fetched - harvest.found) /
                                              static_cast<double>(duplicates);
  harvest.lost = 1 - static_cast<double>(harvest.found) / classes;
  for (const auto& [page, ground] : order.Suppressed()) {
    SuppressedUrls& on = harvest.suppressed[ground];
    ++on.urls;
    if (found.contains(set.pages[page].content_class)) ++on.right;
  }
  return harvest;
}

}  // namespace crawlsieve::bench

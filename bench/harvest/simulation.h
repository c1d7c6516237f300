#pragma once

#include "bench/harvest/crawl_order.h"
#include "bench/harvest/crawl_set.h"

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace crawlsieve::bench {

/// URLs that were found and never fetched, on one ground.
struct SuppressedUrls {
  std::size_t urls = 0;
  std::size_t right = 0;  ///< of these, whose content was fetched at another URL
};

/// Fetches whose chance of new content lay within one tenth.
struct ChanceTenth {
  std::size_t fetches = 0;
  std::size_t fresh = 0;  ///< of these, those that brought a content that wasn't found before
  double chances = 0;     ///< their sum
};
using ChanceTenths = std::array<ChanceTenth, 10>;

/// The mean, over the fetches, of the difference between the mean chance of their tenth and the
/// share of new contents that came. Without fetches: 0.
[[nodiscard]] double CalibrationError(const ChanceTenths& tenths);

/// A fetch, as it came about.
struct Fetch {
  std::size_t page = 0;
  bool is_new = false;  ///< it brought a content that wasn't found before
  std::optional<double> chance{};
  std::string judged{};  ///< what the order says of the page, if it judges pages
};

/// What came of a crawl. With N pages that can be reached, of C contents, F fetched and K contents
/// found.
struct Harvest {
  std::size_t fetched = 0;  ///< F
  std::size_t found = 0;    ///< K
  /// Mean, over 1 to N fetches, of the share of contents found by then; after the last fetch it
  /// stays.
  double area = 0;
  double avoided = 0;  ///< duplicates that weren't fetched: 1 - (F - K) / (N - C)
  double lost = 0;     ///< contents that were never found: 1 - K / C
  /// Share of the contents found after 0, 1, ... 100 hundredths of N fetches.
  std::vector<double> curve;
  std::map<std::string, SuppressedUrls> suppressed;  ///< by ground
  ChanceTenths tenths;  ///< of the fetches for which the order named a chance
  std::vector<Fetch> fetches;
};

/// Crawls the set from its first page on, in this order, until the order has no further step.
[[nodiscard]] Harvest Simulate(const CrawlSet& set, CrawlOrder& order);

}  // namespace crawlsieve::bench

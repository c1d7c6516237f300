#pragma once

#include "bench/harvest/crawl_set.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::bench {

/// What a frontier does next.
struct Step {
  std::size_t page = 0;
  bool fetch = true;      ///< false: it is replaced by `instead`, and isn't fetched
  std::string instead{};  ///< a URL
  /// Of a fetch: the chance that it brings new content, if the order says so.
  std::optional<double> chance{};
};

/// A frontier: which of the URLs that were found is fetched next. Pages are numbered as in the set.
/// Thread-compatible.
class CrawlOrder {
 public:
  CrawlOrder() = default;
  CrawlOrder(const CrawlOrder&) = delete;
  CrawlOrder& operator=(const CrawlOrder&) = delete;
  virtual ~CrawlOrder() = default;

  /// A URL was found for the first time, `depth` links from the first page.
  virtual void Discovered(std::size_t page, std::uint32_t depth) = 0;
  /// The next step; nullopt: nothing is left that it would fetch.
  [[nodiscard]] virtual std::optional<Step> Next() = 0;
  /// Returns what the page was judged as; empty: this order judges none.
  virtual std::string Fetched(std::size_t page) = 0;
  /// URLs that were found and not fetched, by the ground for it.
  [[nodiscard]] virtual std::map<std::size_t, std::string> Suppressed() const { return {}; }
  /// What was learned of each site, for people.
  [[nodiscard]] virtual std::vector<std::string> Describe() const { return {}; }
};

struct NamedOrder {
  std::string_view name;   ///< of JSON
  std::string_view title;  ///< of the table
  std::unique_ptr<CrawlOrder> order;
};

/// All orders, "breadth_first" first, "oracle" before the last, and last "suppress": scores with
/// suppression. Errors: those of the judge's state.
[[nodiscard]] Result<std::vector<NamedOrder>> AllOrders(const CrawlSet& set, std::uint64_t seed);

}  // namespace crawlsieve::bench

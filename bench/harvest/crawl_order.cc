#include "bench/harvest/crawl_order.h"

#include "bench/harvest/site_order.h"

#include <random>
#include <set>
#include <utility>

namespace crawlsieve::bench {
namespace {

/// Fetches first what has the lowest rank, of equals what was found first.
class ByRank : public CrawlOrder {
 public:
  void Discovered(std::size_t page, std::uint32_t /*depth*/) override {
    frontier_.emplace(std::pair(RankOf(page), count_++), page);
  }
  [[nodiscard]] std::optional<Step> Next() override {
    if (frontier_.empty()) return std::nullopt;
    const std::size_t page = frontier_.begin()->second;
    frontier_.erase(frontier_.begin());
    return Step{page};
  }
  std::string Fetched(std::size_t /*page*/) override { return {}; }

 private:
  [[nodiscard]] virtual std::uint64_t RankOf(std::size_t page) = 0;

  std::map<std::pair<std::uint64_t, std::size_t>, std::size_t> frontier_;
  std::size_t count_ = 0;
};

class BreadthFirst final : public ByRank {
  std::uint64_t RankOf(std::size_t /*page*/) override { return 0; }
};

class RandomOrder final : public ByRank {
 public:
  explicit RandomOrder(std::uint64_t seed) : random_(seed) {}

 private:
  std::uint64_t RankOf(std::size_t /*page*/) override { return random_(); }
  std::mt19937_64 random_;
};

class ByUrlDepth final : public ByRank {
 public:
  explicit ByUrlDepth(const CrawlSet& set) : set_(set) {}

 private:
  std::uint64_t RankOf(std::size_t page) override { return set_.pages[page].url_depth; }
  const CrawlSet& set_;
};

/// Knows the content of every page: the first that was found and has content that is new.
class Oracle final : public CrawlOrder {
 public:
  explicit Oracle(const CrawlSet& set) : set_(set) {}

  void Discovered(std::size_t page, std::uint32_t /*depth*/) override { frontier_.push_back(page); }
  [[nodiscard]] std::optional<Step> Next() override {
    if (frontier_.empty()) return std::nullopt;
    auto next = frontier_.begin();
    for (auto page = frontier_.begin(); page != frontier_.end(); ++page) {
      if (found_.contains(set_.pages[*page].content_class)) continue;
      next = page;
      break;
    }
    const std::size_t page = *next;
    frontier_.erase(next);
    return Step{page};
  }
  std::string Fetched(std::size_t page) override {
    found_.insert(set_.pages[page].content_class);
    return {};
  }

 private:
  const CrawlSet& set_;
  std::vector<std::size_t> frontier_;
  std::set<std::size_t> found_;
};

}  // namespace

Result<std::vector<NamedOrder>> AllOrders(const CrawlSet& set, std::uint64_t seed) {
  auto scores = SiteOrder::Create(set, /*suppresses=*/false);
  if (!scores) return tl::unexpected(scores.error());
  auto suppress = SiteOrder::Create(set, /*suppresses=*/true);
  if (!suppress) return tl::unexpected(suppress.error());
  std::vector<NamedOrder> orders;
  orders.push_back({"breadth_first", "breadth first", std::make_unique<BreadthFirst>()});
  orders.push_back({"random", "random", std::make_unique<RandomOrder>(seed)});
  orders.push_back({"depth", "depth of the URL", std::make_unique<ByUrlDepth>(set)});
  orders.push_back({"scores", "scores", *std::move(scores)});
  orders.push_back({"oracle", "greedy oracle", std::make_unique<Oracle>(set)});
  orders.push_back({"suppress", "scores, suppression", *std::move(suppress)});
  return orders;
}

}  // namespace crawlsieve::bench

#include "bench/harvest/content_classes.h"
#include "bench/harvest/crawl_order.h"
#include "bench/harvest/crawl_set.h"
#include "bench/harvest/simulation.h"
#include "tests/support/temporary_directory.h"

#include <cstddef>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::bench {
namespace {

using Words = std::vector<std::string>;

TEST(CrudeWords, AreWhatIsLeftOfThePlainestStripping) {
  EXPECT_EQ(CrudeWords("<head><title>t</title></head><nav>n</nav><p class=x>One,<b>Two</b>3</p>"
                       "<script>s</script><!-- c > --><form>f</form><footer>f</footer>"),
            (Words{"one", "two", "3"}));
  EXPECT_EQ(CrudeWords("<header>stays</header>"), (Words{"stays"}));
  EXPECT_EQ(CrudeWords("a<script>never closed"), (Words{"a", "never", "closed"}));
  EXPECT_EQ(CrudeWords("a <"), (Words{"a"}));
  EXPECT_TRUE(CrudeWords("").empty());
}

TEST(CrudeShingles, AreRunsOfFourWords) {
  EXPECT_EQ(CrudeShingles({"a", "b", "c", "d", "e"}).size(), 2U);
  EXPECT_EQ(CrudeShingles({"a"}).size(), 1U);
  EXPECT_EQ(CrudeShingles({}), CrudeShingles({}));
  EXPECT_NE(CrudeShingles({"a", "b"}), CrudeShingles({"b", "a"}));
}

TEST(ContentClasses, AreThoseOfThePairwiseComparison) {
  // Sets of a seeded generator, compared one by one in the plainest way.
  std::vector<std::vector<std::uint64_t>> sets;
  std::uint64_t random = 7;
  for (int i = 0; i < 200; ++i) {
    std::vector<std::uint64_t> set;
    for (std::uint64_t shingle = 0; shingle < 60; ++shingle) {
      random = random * 6364136223846793005 + 1442695040888963407;
      if (random >> 60 != 0) set.push_back(shingle + 1000 * static_cast<std::uint64_t>(i % 5));
    }
    if (set.empty()) set.push_back(1);
    sets.push_back(std::move(set));
  }
  const auto resemblance = [&](std::size_t a, std::size_t b) {
    std::size_t common = 0;
    for (const std::uint64_t x : sets[a]) {
      for (const std::uint64_t y : sets[b]) common += x == y ? 1 : 0;
    }
    return static_cast<double>(common) /
           static_cast<double>(sets[a].size() + sets[b].size() - common);
  };
  std::vector<std::size_t> expected;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    std::size_t of = i;
    for (std::size_t j = 0; j < i && of == i; ++j) {
      if (resemblance(i, j) >= 0.82) of = expected[j];
    }
    expected.push_back(of);
  }
  const auto classes = ContentClasses(sets, 0.82);
  EXPECT_EQ(classes, expected);
  EXPECT_NE(classes.back(), sets.size() - 1);
}

/// A set whose pages have these classes and links.
CrawlSet MakeSet(const std::vector<std::pair<std::size_t, std::vector<std::size_t>>>& pages,
                 std::size_t classes) {
  CrawlSet set;
  for (const auto& [content, links] : pages) {
    CrawlPage page;
    page.url = "http://e.org/" + std::to_string(set.pages.size());
    page.content_class = content;
    page.links = links;
    set.by_url.emplace(page.url, set.pages.size());
    set.pages.push_back(std::move(page));
  }
  set.classes = classes;
  return set;
}

/// Fetches in the order of discovery, but leaves out what it is told to.
class Leaves final : public CrawlOrder {
 public:
  explicit Leaves(std::map<std::size_t, std::string> instead) : instead_(std::move(instead)) {}
  void Discovered(std::size_t page, std::uint32_t /*depth*/) override { queue_.push_back(page); }
  std::optional<Step> Next() override {
    if (next_ == queue_.size()) return std::nullopt;
    const std::size_t page = queue_[next_++];
    const auto other = instead_.find(page);
    if (other == instead_.end()) return Step{page};
    return Step{page, false, other->second};
  }
  std::string Fetched(std::size_t page) override { return page == 1 ? "repeats" : "new"; }
  std::map<std::size_t, std::string> Suppressed() const override {
    std::map<std::size_t, std::string> pages;
    for (const auto& [page, url] : instead_) pages.emplace(page, "test");
    return pages;
  }

 private:
  const std::map<std::size_t, std::string> instead_;
  std::vector<std::size_t> queue_;
  std::size_t next_ = 0;
};

TEST(Simulate, CountsByHand) {
  // 0 -> 1, 2; 2 -> 3. Contents: a, a, b, c.
  const CrawlSet set = MakeSet({{0, {1, 2}}, {0, {}}, {2, {3}}, {3, {}}}, 3);
  Leaves everything({});
  const Harvest harvest = Simulate(set, everything);
  EXPECT_EQ(harvest.fetched, 4U);
  EXPECT_EQ(harvest.found, 3U);
  ASSERT_EQ(harvest.fetches.size(), 4U);
  for (const Fetch& fetch : harvest.fetches) {
    EXPECT_EQ(fetch.is_new, fetch.page != 1) << fetch.page;
    EXPECT_EQ(fetch.judged, fetch.is_new ? "new" : "repeats");
    EXPECT_FALSE(fetch.chance.has_value());
  }
  EXPECT_DOUBLE_EQ(harvest.area, (1 + 1 + 2 + 3) / 3.0 / 4);
  EXPECT_DOUBLE_EQ(harvest.avoided, 0);
  EXPECT_DOUBLE_EQ(harvest.lost, 0);
  EXPECT_DOUBLE_EQ(harvest.curve.back(), 1);
}

TEST(Simulate, WhatASuppressedPageLeadsToIsLostToo) {
  const CrawlSet set = MakeSet({{0, {1, 2}}, {0, {}}, {2, {3}}, {3, {}}}, 3);
  Leaves two({{2, ""}, {1, ""}});
  const Harvest harvest = Simulate(set, two);
  EXPECT_EQ(harvest.fetched, 1U);
  EXPECT_DOUBLE_EQ(harvest.lost, 1 - 1 / 3.0);
  EXPECT_DOUBLE_EQ(harvest.avoided, 1);
  EXPECT_EQ(harvest.suppressed.at("test").urls, 2U);
  EXPECT_EQ(harvest.suppressed.at("test").right, 1U);
}

TEST(Simulate, ARewriteLeadsToItsTarget) {
  const CrawlSet set = MakeSet({{0, {1}}, {1, {}}, {1, {}}}, 2);
  Leaves rewrites({{1, "http://e.org/2"}});
  const Harvest harvest = Simulate(set, rewrites);
  EXPECT_EQ(harvest.fetched, 2U);
  EXPECT_DOUBLE_EQ(harvest.lost, 0);
}

std::string Article(int number) {
  std::string words;
  for (int i = 0; i < 80; ++i) {
    words += " word" + std::to_string(number * 1000 + i) + "x";
  }
  return "<html><head><title>Article q" + std::string(1, static_cast<char>('a' + number % 26)) +
         std::string(1, static_cast<char>('a' + number / 26)) + "</title></head><body><p>" + words +
         ".</p></body></html>";
}

std::string Record(const std::string& url, const std::string& body,
                   const std::vector<std::string>& links) {
  return nlohmann::json{{"url", url}, {"body", body}, {"links", links}}.dump() + "\n";
}

/// A site of 60 articles, each under eight session ids.
Result<CrawlSet> SessionSite() {
  const testing::TemporaryDirectory directory;
  const auto path = directory.path() / "pages.jsonl";
  std::ofstream file(path);
  std::vector<std::string> links;
  std::string pages;
  for (int article = 0; article < 60; ++article) {
    for (int session = 0; session < 8; ++session) {
      links.push_back("http://e.org/read/" + std::to_string(article) +
                      "?qq=" + std::to_string(100 * article + session));
      pages += Record(links.back(), Article(article), {});
    }
  }
  file << Record("http://e.org/", "<p>Start", links) << pages;
  file << Record("http://e.org/unreachable", "<p>Nobody links here", {});
  file.close();
  return LoadCrawlSet(path);
}

TEST(LoadCrawlSet, TakesWhatTheFirstPageLeadsTo) {
  const auto set = SessionSite();
  ASSERT_TRUE(set.has_value()) << set.error().message;
  EXPECT_EQ(set->pages.size(), 481U);
  EXPECT_EQ(set->classes, 61U);
  EXPECT_EQ(set->pages[0].links.size(), 480U);
  EXPECT_EQ(set->pages[1].url_depth, 3U);
}

TEST(LoadCrawlSet, OfAFileWithoutPagesIsAnError) {
  EXPECT_FALSE(LoadCrawlSet("/nowhere/pages.jsonl").has_value());
}

TEST(AllOrders, OnASiteWithSessionIds) {
  const auto set = SessionSite();
  ASSERT_TRUE(set.has_value());
  auto orders = AllOrders(*set, 1);
  ASSERT_TRUE(orders.has_value());
  for (const NamedOrder& named : *orders) {
    const Harvest harvest = Simulate(*set, *named.order);
    if (named.name != "suppress") {
      EXPECT_EQ(harvest.fetched, set->pages.size()) << named.name;
      continue;
    }
    EXPECT_GT(harvest.avoided, 0.7);
    EXPECT_EQ(harvest.lost, 0);
    for (const auto& [ground, on] : harvest.suppressed) EXPECT_EQ(on.urls, on.right) << ground;
  }
}

}  // namespace
}  // namespace crawlsieve::bench

#include "plugin/site/bounded_table.h"

#include <cstdint>
#include <map>
#include <utility>

#include <gtest/gtest.h>

namespace crawlsieve::site {
namespace {

struct Count {
  std::uint32_t of = 0;
  [[nodiscard]] std::uint32_t rank() const { return of; }
};
using Table = BoundedTable<std::uint64_t, Count>;

TEST(BoundedTable, HoldsWhatTheWeakestLeaves) {
  // Beside the plainest way to keep the 20 strongest.
  Table table;
  std::map<std::uint64_t, std::uint32_t> expected;
  std::uint64_t random = 1;
  for (int i = 0; i < 5'000; ++i) {
    random = random * 6364136223846793005 + 1442695040888963407;
    const std::uint64_t key = random >> 58;
    if (Count* const known = table.Find(key)) {
      ++known->of;
      ++expected.at(key);
      continue;
    }
    ASSERT_FALSE(expected.contains(key));
    std::uint32_t rank = 1;
    if (expected.size() == 20) {
      auto weakest = expected.begin();
      for (auto at = expected.begin(); at != expected.end(); ++at) {
        if (at->second < weakest->second) weakest = at;
      }
      ASSERT_NE(table.Weakest(20), nullptr);
      EXPECT_EQ(table.Weakest(20)->of, weakest->second);
      rank = weakest->second + 1;
      expected.erase(weakest);
    } else {
      EXPECT_EQ(table.Weakest(20), nullptr);
    }
    expected.emplace(key, rank);
    EXPECT_EQ(table.Add(key, {rank}, 20).of, rank);
    ASSERT_EQ(table.size(), expected.size());
    auto at = expected.begin();
    for (const auto& [of, count] : table) {
      ASSERT_EQ(of, at->first);
      ASSERT_EQ(count.of, at->second);
      ++at;
    }
  }
}

TEST(BoundedTable, AppendsInAscendingOrderOnly) {
  Table table;
  EXPECT_TRUE(table.Append(3, {1}));
  EXPECT_FALSE(table.Append(3, {1}));
  EXPECT_FALSE(table.Append(2, {1}));
  EXPECT_TRUE(table.Append(4, {1}));
  EXPECT_EQ(table.size(), 2U);
}

}  // namespace
}  // namespace crawlsieve::site

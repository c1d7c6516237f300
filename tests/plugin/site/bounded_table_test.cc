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
    bool makes_room = false;
    if (expected.size() == 20) {
      auto weakest = expected.begin();
      for (auto at = expected.begin(); at != expected.end(); ++at) {
        if (at->second < weakest->second) weakest = at;
      }
      makes_room = true;
      rank = weakest->second + 1;
      expected.erase(weakest);
    }
    expected.emplace(key, rank);
    bool made_room = false;
    const auto inherit = [&](Count& added, const Count& weakest) {
      made_room = true;
      added.of = weakest.of + 1;
    };
    EXPECT_EQ(table.Add(key, {1}, 20, inherit).of, rank);
    EXPECT_EQ(made_room, makes_room);
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

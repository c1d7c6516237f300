#include "plugin/index/design.h"

#include "plugin/index/base/radius.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

struct PaperDesign {
  std::vector<int> splits;
  std::size_t tables;
  std::vector<int> p;       // the values that occur
  double expected_matches;  // at most, with 2^34 fingerprints
};

/// Example 3.1 as printed. The fourth design's p and matches are the paper's too.
const std::vector<PaperDesign> kExample31{{{6}, 20, {31, 32, 33}, 8},
                                          {{4, 4}, 16, {28}, 64},
                                          {{5}, 10, {25, 26}, 512},
                                          {{4}, 4, {16}, 262'144}};

TEST(PermutedTables, AreThoseOfExample31) {
  for (const PaperDesign& design : kExample31) {
    const std::vector<std::uint64_t> tables = LeadingBitsOfTables(64, 3, design.splits);
    EXPECT_EQ(tables.size(), design.tables);
    std::set<int> p;
    for (const std::uint64_t table : tables) p.insert(std::popcount(table));
    EXPECT_EQ(std::vector<int>(p.begin(), p.end()), design.p);
    EXPECT_EQ(std::exp2(34 - *p.begin()), design.expected_matches);
  }
}

TEST(PermutedTables, LeaveEveryThreeDifferencesOutOfSomePrefix) {
  for (const PaperDesign& design : kExample31) {
    const std::vector<std::uint64_t> tables = LeadingBitsOfTables(64, 3, design.splits);
    for (int a = 0; a < 64; ++a) {
      for (int b = a; b < 64; ++b) {
        for (int c = b; c < 64; ++c) {
          const std::uint64_t differences =
              std::uint64_t{1} << a | std::uint64_t{1} << b | std::uint64_t{1} << c;
          ASSERT_TRUE(std::ranges::any_of(
              tables, [&](std::uint64_t table) { return (table & differences) == 0; }));
        }
      }
    }
  }
}

TEST(OptimalPermutedTables, GivesTheTablesOfExample31) {
  EXPECT_EQ(OptimalPermutedTables(64, 3, 34, 16), 4u);
  EXPECT_EQ(OptimalPermutedTables(64, 3, 34, 25), 10u);
  EXPECT_EQ(OptimalPermutedTables(64, 3, 34, 28), 16u);
  EXPECT_EQ(OptimalPermutedTables(64, 3, 34, 31), 20u);
}

TEST(OptimalPermutedTables, NeedsOneTableForNoPrefixAndMoreForLonger) {
  EXPECT_EQ(OptimalPermutedTables(64, 3, 34, 0), 1u);
  std::uint64_t previous = 1;
  for (int bits = 1; bits <= 40; ++bits) {
    const std::uint64_t tables = OptimalPermutedTables(64, 3, 34, bits);
    EXPECT_GE(tables, previous) << bits;
    previous = tables;
  }
}

TEST(BlockRadius, IsTheGeneralPigeonhole) {
  for (int k = 0; k <= 7; ++k) {
    for (int blocks = 1; blocks <= k + 1; ++blocks) {
      int sum = 0;
      for (int block = 0; block < blocks; ++block) sum += BlockRadius(k, blocks, block) + 1;
      EXPECT_EQ(sum, k + 1);
    }
  }
  EXPECT_EQ(BlockRadius(0, 2, 1), -1);
  EXPECT_EQ(BlockRadius(7, 2, 0), 3);
  EXPECT_EQ(BlockRadius(6, 3, 0), 2);
  EXPECT_EQ(BlockRadius(6, 3, 2), 1);
}

TEST(MasksOfWeight, AreAllOfThemAscending) {
  for (int bits = 0; bits <= 12; ++bits) {
    for (int weight = 0; weight <= std::min(bits, kMaxRadius); ++weight) {
      std::vector<std::uint32_t> expected;
      for (std::uint32_t mask = 0; mask < 1u << bits; ++mask) {
        if (std::popcount(mask) == weight) expected.push_back(mask);
      }
      const auto masks = MasksOfWeight(bits, weight);
      EXPECT_EQ(std::vector<std::uint32_t>(masks.begin(), masks.end()), expected);
    }
  }
  EXPECT_EQ(MasksOfWeight(32, 3).size(), 4960u);
  EXPECT_EQ(MasksOfWeight(32, 3).back(), 0xe000'0000u);
}

TEST(ChooseDesign, CutsAllBitsAndKeepsToTheBudgetWhereItCan) {
  for (int k = 0; k <= 7; ++k) {
    for (const std::uint64_t entries :
         {0ull, 1'000ull, 1'000'000ull, 100'000'000ull, 10'000'000'000ull}) {
      for (const double budget : {1.0, 25.0, 40.0, 1000.0}) {
        const IndexDesign design = ChooseDesign(k, entries, budget);
        const auto blocks = static_cast<int>(design.block_bits.size());
        EXPECT_EQ(std::accumulate(design.block_bits.begin(), design.block_bits.end(), 0), 64);
        EXPECT_GE(std::ranges::min(design.block_bits), kMinBlockBits);
        EXPECT_LE(BlockRadius(k, blocks, 0), kMaxRadius);
        const IndexDesign smallest = ChooseDesign(k, entries, 0);
        EXPECT_TRUE(design.bytes_per_entry <= budget || design.block_bits == smallest.block_bits);
        EXPECT_LE(design.reads_per_lookup, smallest.reads_per_lookup);
      }
    }
  }
}

TEST(ChooseDesign, MakesBlocksWithALargerRadiusWider) {
  // 1 + 23 probes by the first block, one each by the others.
  const IndexDesign three = ChooseDesign(3, 100'000'000, 40);
  EXPECT_EQ(three.block_bits, (std::vector<int>{23, 21, 20}));
  EXPECT_LT(three.bytes_per_entry, 30);
  EXPECT_LT(three.reads_per_lookup, 40);
  const IndexDesign small = ChooseDesign(3, 100'000'000, 25);
  EXPECT_EQ(small.block_bits, (std::vector<int>{32, 32}));
  EXPECT_LT(small.bytes_per_entry, 25);
  EXPECT_GT(small.reads_per_lookup, three.reads_per_lookup);
  EXPECT_EQ(ChooseDesign(7, 100'000'000, 40).block_bits.size(), 3u);
}

TEST(ChooseDesign, AffordsMoreTablesWithoutDocuments) {
  // Two tables of 8.1 bytes an entry.
  const IndexDesign bare = ChooseDesign(3, 100'000'000, 18, false);
  EXPECT_EQ(bare.block_bits, (std::vector<int>{32, 32}));
  EXPECT_LT(bare.bytes_per_entry, 18);
  // With them only one table is as small.
  EXPECT_GT(ChooseDesign(3, 100'000'000, 18).reads_per_lookup, 10 * bare.reads_per_lookup);
}

TEST(CostOfTable, ChainsCostWhatThePoissonDistributionSays) {
  // 2^23 buckets of 11.9 keys in lines of 12: 1.41 lines each, by summing the distribution.
  const TableCost cost = CostOfTable(32, 100'000'000);
  EXPECT_EQ(cost.address_bits, 23);
  EXPECT_NEAR(cost.entries_per_bucket, 11.92, 0.01);
  EXPECT_NEAR(cost.lines_per_bucket, 1.42, 0.02);
  EXPECT_EQ(CostOfTable(16, 1'000'000'000'000).address_bits, 16);
}

// What tables of thousands of millions need fits the widths of their numbers: buckets by 32 bits;
// 65,024 lines elsewhere for 256 buckets, beside the 511 of a cell.
TEST(Design, HoldsTenThousandMillion) {
  for (const std::uint64_t entries : {1'000'000'000ULL, 10'000'000'000ULL}) {
    for (const int k : {3, 5, 6, 7}) {
      const IndexDesign design = ChooseDesign(k, entries, 40, true);
      EXPECT_LT(design.bytes_per_entry, 40) << entries << ", " << k;
      for (const int bits : design.block_bits) {
        const TableCost cost = CostOfTable(bits, entries);
        EXPECT_LE(cost.address_bits, 32);
        EXPECT_LE(cost.lines_per_run, 32) << entries << ", " << k << ", " << bits;
        const double overflow = cost.lines_per_bucket - cost.lines_per_run;
        EXPECT_LT(overflow * 256, 65'024 / 2) << entries << ", " << k << ", " << bits;
      }
    }
  }
  // Measured: 16.98 bytes (docs/index.md).
  EXPECT_NEAR(ChooseDesign(3, 1'000'000'000, 18, false).bytes_per_entry, 16.98, 1);
}

}  // namespace
}  // namespace crawlsieve

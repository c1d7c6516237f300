#include "plugin/index/batch/design.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

class BatchDesignAt : public ::testing::TestWithParam<int> {};

TEST_P(BatchDesignAt, LeavesNoPairOutForAnyNumbers) {
  const int k = GetParam();
  for (const std::uint64_t queries : {0ULL, 1ULL, 1'000ULL, 1'000'000ULL, 4'000'000'000ULL}) {
    for (const std::uint64_t stored : {0ULL, 1'000ULL, 100'000'000ULL, 10'000'000'000ULL}) {
      SCOPED_TRACE(std::to_string(queries) + " queries, " + std::to_string(stored) + " stored");
      const BatchDesign design = ChooseBatchDesign(k, queries, stored);
      int next = 0;
      int sum = 0;
      for (const BatchBlock& block : design.blocks) {
        EXPECT_EQ(block.first_bit, next);
        EXPECT_GE(block.bits, 4);
        EXPECT_LE(block.bits, 32);
        EXPECT_LE(block.radius, next == 0 ? k : 1);
        next += block.bits;
        sum += block.radius + 1;
      }
      EXPECT_LE(next, 64);
      EXPECT_EQ(sum, k + 1);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Distances, BatchDesignAt, ::testing::Range(0, 8));

TEST(BatchDesign, MoreStoredFingerprintsGetMoreLeadingBits) {
  const BatchDesign few = ChooseBatchDesign(6, 1'000'000, 1'000'000);
  const BatchDesign many = ChooseBatchDesign(6, 1'000'000, 10'000'000'000);
  EXPECT_LT(few.blocks.front().bits, many.blocks.front().bits);
}

TEST(BatchDesign, BlockHoldsWhatDiffersWithinItsRadius) {
  const BatchBlock block{.first_bit = 8, .bits = 8, .radius = 1};
  EXPECT_TRUE(block.Holds(0xff00'ffff'ffff'ffff));
  EXPECT_TRUE(block.Holds(0x0001'0000'0000'0000));
  EXPECT_FALSE(block.Holds(0x0081'0000'0000'0000));
}

}  // namespace
}  // namespace crawlsieve

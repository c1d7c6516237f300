#include "plugin/index/bucket/shrinking_table.h"

#include "plugin/index/design.h"

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

constexpr int kKeyBits = 60;
constexpr int kAddressBits = 20;

/// As the index lays one of sixteen shards out.
TableLayout LayoutFor(std::uint64_t keys) {
  constexpr int kShardBits = 64 - kKeyBits;
  const TableCost cost = CostOfTable(kAddressBits + kShardBits, keys << kShardBits);
  return {.address_bits = cost.address_bits - kShardBits,
          .run = cost.lines_per_run,
          .lines_per_bucket = cost.lines_per_bucket};
}

class ShrinkingTableProperty : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  /// Keys of which a share of `clustered` percent has most of its bits in common.
  std::uint64_t NewKey(std::uint64_t clustered) {
    const std::uint64_t key = random_() >> (64 - kKeyBits);
    return random_() % 100 < clustered ? (key & 0xff'ffff) | random_() % 3 << 50 : key;
  }

  void Insert(std::uint64_t key, std::uint64_t document) {
    if (!model_.emplace(key, document).second) return;
    table_.Insert(key, document);
    keys_.push_back(key);
  }

  /// What goes with every change in the index.
  void GoOn() {
    if (is_shrinking_) {
      is_shrinking_ = !table_.GoOn(20);
      times_ += is_shrinking_ ? 0 : 1;
    } else if (table_.IsTooLarge()) {
      is_shrinking_ = table_.Begin(LayoutFor(table_.size()));
    }
  }

  void ExpectModel() const {
    std::map<std::uint64_t, std::uint64_t> found;
    table_.get().ForEach(0, (std::uint64_t{1} << kKeyBits) - 1,
                         [&](std::uint64_t key, std::uint64_t document) {
                           EXPECT_TRUE(found.emplace(key, document).second) << key;
                         });
    EXPECT_EQ(found, model_);
    EXPECT_EQ(table_.size(), model_.size());
    EXPECT_EQ(table_.get().size(), model_.size());
  }

  std::mt19937_64 random_{GetParam()};
  ShrinkingTable table_{BucketTable(kKeyBits, kAddressBits, 3, true)};
  std::map<std::uint64_t, std::uint64_t> model_;
  std::vector<std::uint64_t> keys_;  // that ever were there
  bool is_shrinking_ = false;
  int times_ = 0;
};

// Changes of copied keys and of others, in uniform keys and with nests among them.
TEST_P(ShrinkingTableProperty, HoldsWhatAMapHoldsWhileItBecomesSmaller) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  const std::uint64_t clustered = GetParam() % 3 * 15;
  for (int i = 0; i < 30'000; ++i) Insert(NewKey(clustered), 1 + random_() % 0xffff);
  for (int step = 0; step < 80'000; ++step) {
    const std::uint64_t dice = random_() % 10;
    if (dice < 2) {
      // Numbers become wide on the way.
      Insert(NewKey(clustered),
             step < 40'000 ? 1 + random_() % 0xffff : 0xf000'0000 + random_() % 0xf0'0000'0000);
    } else {
      const std::uint64_t key = keys_[random_() % keys_.size()];
      if (dice == 2 && model_.contains(key)) {
        model_[key] = random_() % 1'000;
        table_.SetDocument(key, model_[key]);
      } else {
        ASSERT_EQ(table_.Erase(key), model_.erase(key) == 1) << step;
      }
    }
    GoOn();
    if (step % 10'000 == 0) ExpectModel();
  }
  ExpectModel();
  EXPECT_GT(times_, 3);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ShrinkingTableProperty, ::testing::Range<std::uint64_t>(0, 6));

TEST(ShrinkingTable, TakesAboutAsMuchMemoryAsOneThatNeverHadTheOthers) {
  std::mt19937_64 random(5);
  ShrinkingTable table(BucketTable(kKeyBits, kAddressBits, 3, true));
  std::vector<std::uint64_t> keys(200'000);
  for (std::uint64_t& key : keys) table.Insert(key = random() >> (64 - kKeyBits), 1);
  const std::uint64_t before = table.bytes();
  bool is_shrinking = false;
  for (std::size_t i = 0; i < keys.size() / 2; ++i) {
    table.Erase(keys[i]);
    if (is_shrinking) is_shrinking = !table.GoOn(100);
    if (!is_shrinking && table.IsTooLarge()) {
      is_shrinking = table.Begin(LayoutFor(table.size()));
    }
  }
  while (is_shrinking) is_shrinking = !table.GoOn(100);
  EXPECT_LT(table.bytes(), before * 6 / 10) << before;
}

TEST(ShrinkingTable, WhatIsMostlyNestsStaysAsItIs) {
  ShrinkingTable table(BucketTable(kKeyBits, kAddressBits, 3, true));
  for (std::uint64_t key = 0; key < 20'000; ++key) table.Insert(key * 7, 1);
  for (std::uint64_t key = 0; key < 10'000; ++key) table.Erase(key * 7);
  ASSERT_TRUE(table.IsTooLarge());
  EXPECT_FALSE(table.Begin(LayoutFor(table.size())));
  EXPECT_FALSE(table.IsTooLarge());
  EXPECT_EQ(table.size(), 10'000U);
}

}  // namespace
}  // namespace crawlsieve

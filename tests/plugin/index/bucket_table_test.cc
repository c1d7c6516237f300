#include "plugin/index/bucket_table.h"

#include <bit>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

std::set<std::uint64_t> Search(const BucketTable& table, std::uint64_t query, int radius,
                               int max_distance) {
  std::vector<Hit> hits;
  ProbeQueue queue({&query, 1}, max_distance, hits);
  table.Enqueue(queue, 0, query, 0, radius, max_distance);
  queue.Drain();
  std::set<std::uint64_t> keys;
  for (const Hit& hit : hits) keys.insert(hit.key);
  return keys;
}

struct Shape {
  std::string name;
  int key_bits;
  int max_address_bits;
  std::uint64_t common;  // bits that are 0 in nine of ten keys
};

class BucketTableProperty : public testing::TestWithParam<Shape> {};

// With all address bits within the radius a search must find whatever is near; that includes keys
// in nests and in overflow lines, before and after growing.
TEST_P(BucketTableProperty, KeepsFindsAndForgets) {
  const Shape& shape = GetParam();
  std::mt19937_64 random(21);
  LineArena arena;
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - shape.key_bits);
  BucketTable table({.max_distance = 7, .arena = &arena}, shape.key_bits, shape.max_address_bits,
                    true, 0.5);
  std::map<std::uint64_t, std::uint64_t> oracle;
  std::vector<std::uint64_t> keys;
  for (int step = 0; step < 30'000; ++step) {
    const bool shrinking = step > 22'000;
    if (!keys.empty() && random() % 10 < (shrinking ? 8u : 2u)) {
      const std::uint64_t key = keys[random() % keys.size()];
      ASSERT_EQ(table.Erase(key), oracle.erase(key) == 1) << step;
    } else {
      std::uint64_t key = random() & all;
      if (random() % 10 != 0) key &= ~shape.common;
      if (oracle.contains(key)) continue;
      const std::uint64_t document = 1 + random() % 0xff'ffff'ffff;
      table.Insert(key, document);
      oracle[key] = document;
      keys.push_back(key);
    }
    if (step % 64 == 0) {
      ASSERT_EQ(table.size(), oracle.size()) << step;
    }
  }
  for (const std::uint64_t key : keys) {
    const unsigned char* stored = table.Find(key);
    const auto expected = oracle.find(key);
    ASSERT_EQ(stored != nullptr, expected != oracle.end());
    if (stored != nullptr) {
      ASSERT_EQ(BucketTable::ReadDocument(stored), expected->second);
    }
  }
  for (int i = 0; i < 100; ++i) {
    std::uint64_t query = keys[random() % keys.size()];
    for (auto flips = random() % 4; flips > 0; --flips) {
      query ^= std::uint64_t{1} << random() % static_cast<unsigned>(shape.key_bits);
    }
    std::set<std::uint64_t> near;
    for (const auto& [key, document] : oracle) {
      if (std::popcount(key ^ query) <= 3) near.insert(key);
    }
    ASSERT_EQ(Search(table, query, 3, 3), near);
  }
  for (const std::uint64_t key : keys) ASSERT_EQ(table.Erase(key), oracle.erase(key) == 1);
  EXPECT_EQ(table.size(), 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, BucketTableProperty,
    testing::Values(Shape{"uniform", 54, 22, 0}, Shape{"short_keys", 20, 10, 0},
                    Shape{"no_address", 41, 0, 0}, Shape{"narrow_address", 48, 2, 0},
                    Shape{"one_bucket", 54, 22, 0x3f'ffff'0000'0000},
                    Shape{"one_bucket_deep", 54, 22, 0x3f'ffff'ffff'c000},
                    Shape{"low_bits_equal", 54, 22, 0x0000'0000'ffff'ffff}),
    [](const testing::TestParamInfo<Shape>& shape) { return shape.param.name; });

TEST(BucketTable, SearchesWithinItsRadiusOnly) {
  LineArena arena;
  BucketTable table({.max_distance = 3, .arena = &arena}, 54, 22, false, 0);
  std::mt19937_64 random(5);
  for (int i = 0; i < 20'000; ++i) table.Insert(random() >> 10, 0);
  std::vector<Hit> hits;
  const std::uint64_t query = 0;
  std::vector<std::uint64_t> probes;
  for (const int radius : {0, 1, 2}) {
    ProbeQueue queue({&query, 1}, 3, hits);
    table.Enqueue(queue, 0, query, 0, radius, 3);
    queue.Drain();
    probes.push_back(queue.work().probes);
  }
  // 20,000 keys in lines of 7: 11 address bits. 1, then 1 + 11, then 1 + 11 + 55.
  EXPECT_EQ(probes, (std::vector<std::uint64_t>{1, 12, 67}));
}

// Looking for a neighbour of the keys of one bucket must not mean comparing them all.
TEST(BucketTable, AnOverfullBucketIsIndexedFurther) {
  constexpr std::uint64_t kKeys = 100'000;
  LineArena arena;
  BucketTable table({.max_distance = 3, .arena = &arena}, 54, 22, false, 0);
  std::mt19937_64 random(6);
  std::vector<std::uint64_t> keys;
  for (std::uint64_t i = 0; i < kKeys; ++i) keys.push_back(random() & 0xffff'ffff);
  for (const std::uint64_t key : std::set<std::uint64_t>(keys.begin(), keys.end())) {
    table.Insert(key, 0);
  }
  std::vector<Hit> hits;
  const std::uint64_t query = keys[0] ^ 0b111;
  ProbeQueue queue({&query, 1}, 3, hits);
  table.Enqueue(queue, 0, query, 0, 1, 3);
  queue.Drain();
  EXPECT_FALSE(hits.empty());
  EXPECT_LT(queue.work().candidates, kKeys / 20);
}

}  // namespace
}  // namespace crawlsieve

#include "plugin/index/bucket/bucket_table.h"

#include <bit>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

std::set<std::uint64_t> Search(const BucketTable& table, std::uint64_t query, int radius,
                               int max_distance) {
  std::vector<Hit> hits;
  ProbeQueue queue({&query, 1}, max_distance, hits);
  table.Enqueue(queue, 0, query, radius, max_distance);
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

class BucketTableProperty : public ::testing::TestWithParam<Shape> {};

// With all address bits within the radius a search must find whatever is near; that includes keys
// in nests and in overflow lines, before and after growing.
TEST_P(BucketTableProperty, KeepsFindsAndForgets) {
  const Shape& shape = GetParam();
  std::mt19937_64 random(21);
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - shape.key_bits);
  BucketTable table(shape.key_bits, shape.max_address_bits, 7, true);
  std::map<std::uint64_t, std::uint64_t> oracle;
  std::vector<std::uint64_t> keys;
  // Four bytes, then still four, but five are near, then five.
  const auto number = [&](int step) {
    if (step < 12'000) return 1 + random() % 0xefff'ffff;
    return step < 12'100 ? 0xf000'0000 + random() % 0x0fff'ffff : 1 + random() % 0xff'ffff'ffff;
  };
  for (int step = 0; step < 30'000; ++step) {
    const bool shrinking = step > 22'000;
    if (!keys.empty() && random() % 10 < (shrinking ? 8u : 2u)) {
      const std::uint64_t key = keys[random() % keys.size()];
      ASSERT_EQ(table.Erase(key), oracle.erase(key) == 1) << step;
    } else {
      std::uint64_t key = random() & all;
      if (random() % 10 != 0) key &= ~shape.common;
      if (oracle.contains(key)) continue;
      const std::uint64_t document = number(step);
      table.Insert(key, document);
      oracle[key] = document;
      keys.push_back(key);
    }
    if (const auto other = oracle.lower_bound(random() & all); other != oracle.end()) {
      other->second = number(step);
      table.SetDocument(other->first, other->second);
      ASSERT_EQ(table.Find(other->first).Read(), other->second) << step;
    }
    if (step % 64 == 0) {
      ASSERT_EQ(table.size(), oracle.size()) << step;
    }
    // Whatever has been laid out anew by then.
    if (step % 500 == 499 || (12'000 <= step && step < 12'200 && step % 10 == 0)) {
      const std::uint64_t query = keys[random() % keys.size()] ^ std::uint64_t{1} << random() % 16;
      std::set<std::uint64_t> near;
      for (const auto& [key, document] : oracle) {
        if (std::popcount(key ^ query) <= 3) near.insert(key);
      }
      ASSERT_EQ(Search(table, query, 3, 3), near) << step;
    }
  }
  std::map<std::uint64_t, std::uint64_t> all_keys;
  table.ForEach(0, all, [&](std::uint64_t key, std::uint64_t document) {
    ASSERT_TRUE(all_keys.emplace(key, document).second) << key;
  });
  ASSERT_EQ(all_keys, oracle);
  for (const std::uint64_t key : keys) {
    const DocumentRef stored = table.Find(key);
    const auto expected = oracle.find(key);
    ASSERT_EQ(static_cast<bool>(stored), expected != oracle.end());
    if (stored) {
      ASSERT_EQ(stored.Read(), expected->second);
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
    ::testing::Values(Shape{"uniform", 54, 22, 0}, Shape{"short_keys", 20, 10, 0},
                      Shape{"no_address", 41, 0, 0}, Shape{"narrow_address", 48, 2, 0},
                      Shape{"one_bucket", 54, 22, 0x3f'ffff'0000'0000},
                      Shape{"one_bucket_deep", 54, 22, 0x3f'ffff'ffff'c000},
                      Shape{"low_bits_equal", 54, 22, 0x0000'0000'ffff'ffff}),
    [](const ::testing::TestParamInfo<Shape>& shape) { return shape.param.name; });

TEST(BucketTable, SearchesWithinItsRadiusOnly) {
  BucketTable table(54, 22, 3, false);
  std::mt19937_64 random(5);
  for (int i = 0; i < 20'000; ++i) table.Insert(random() >> 10, 0);
  std::vector<Hit> hits;
  const std::uint64_t query = 0;
  std::vector<std::uint64_t> probes;
  for (const int radius : {0, 1, 2}) {
    ProbeQueue queue({&query, 1}, 3, hits);
    table.Enqueue(queue, 0, query, radius, 3);
    queue.Drain();
    probes.push_back(queue.work().probes);
  }
  // 20,000 keys in lines of 7 or 10: 11 address bits. 1, then 1 + 11, then 1 + 11 + 55.
  EXPECT_EQ(probes, (std::vector<std::uint64_t>{1, 12, 67}));
}

// Room is made as it is needed: neither does a table of any size waste much, nor does a key more
// than a few neighbours' work.
TEST(BucketTable, GrowsWithItsKeys) {
  BucketTable table(54, 22, 3, true);
  std::mt19937_64 random(8);
  double before = 0;
  for (std::uint64_t keys = 1; keys <= 300'000; ++keys) {
    table.Insert(random() >> 10, keys);
    if (keys % 100 == 0 && keys >= 20'000) {  // steps of an eighth at most
      const auto now = static_cast<double>(table.bytes());
      ASSERT_TRUE(before == 0 || now < before * 1.125) << keys;
      before = now;
    }
    // 7 or 10 keys of 64 + 28 or 40 bytes a line would be 10.4 to 13.1 bytes.
    if (keys % 1000 == 0 && keys >= 2000) {
      const double bytes = static_cast<double>(table.bytes()) / static_cast<double>(keys);
      ASSERT_LT(bytes, 24) << keys;
      ASSERT_GT(bytes, 10.4) << keys;
    }
  }
}

// A log's offsets ascend: long before one needs five bytes all have been given them, a few cells
// with each insert.
TEST(BucketTable, WidensDocumentNumbersBeforeTheyAreNeeded) {
  constexpr std::uint64_t kKeys = 100'000;
  BucketTable table(54, 22, 3, true);
  std::mt19937_64 random(8);
  std::map<std::uint64_t, std::uint64_t> oracle;
  std::uint64_t document = 0xf000'0000 - kKeys;
  const auto insert = [&] {
    const std::uint64_t key = random() >> 10;
    table.Insert(key, document);
    oracle[key] = document++;
  };
  while (document < 0xf000'0000) insert();
  const std::uint64_t narrow = table.bytes();
  for (int i = 0; i < 5'000; ++i) insert();
  EXPECT_GT(table.bytes(), narrow + kKeys);
  document = 0xffff'fff0;
  for (int i = 0; i < 1'000; ++i) insert();
  for (const auto& [key, expected] : oracle) ASSERT_EQ(table.Find(key).Read(), expected);
}

TEST(BucketTable, TakesANumberOfFiveBytesAtAnyTime) {
  BucketTable table(54, 22, 3, true);
  std::mt19937_64 random(9);
  std::vector<std::uint64_t> keys;
  for (std::uint64_t i = 1; i <= 20'000; ++i) {
    keys.push_back(random() >> 10);
    table.Insert(keys.back(), i);
  }
  table.SetDocument(keys[7], 0xff'ffff'ffff);
  EXPECT_EQ(table.Find(keys[7]).Read(), 0xff'ffff'ffffu);
  for (std::uint64_t i = 1; i <= 20'000; ++i) {
    if (i != 8) {
      ASSERT_EQ(table.Find(keys[i - 1]).Read(), i);
    }
  }
}

TEST(BucketTable, GivesTheKeysOfARange) {
  BucketTable table(54, 22, 3, false);
  std::mt19937_64 random(9);
  std::set<std::uint64_t> keys;
  for (int i = 0; i < 50'000; ++i) {
    const std::uint64_t key = i % 4 == 0 ? random() & 0xffff : random() >> 10;
    if (keys.insert(key).second) table.Insert(key, 0);
  }
  for (int i = 0; i < 200; ++i) {
    std::uint64_t first = random() >> (10 + random() % 44);
    std::uint64_t last = random() >> (10 + random() % 44);
    if (first > last) std::swap(first, last);
    std::set<std::uint64_t> found;
    table.ForEach(first, last,
                  [&](std::uint64_t key, std::uint64_t) { ASSERT_TRUE(found.insert(key).second); });
    ASSERT_EQ(found, std::set<std::uint64_t>(keys.lower_bound(first), keys.upper_bound(last)));
  }
}

// Looking for a neighbour of the keys of one bucket must not mean comparing them all.
TEST(BucketTable, AnOverfullBucketIsIndexedFurther) {
  constexpr std::uint64_t kKeys = 100'000;
  BucketTable table(54, 22, 3, false);
  std::mt19937_64 random(6);
  std::vector<std::uint64_t> keys;
  for (std::uint64_t i = 0; i < kKeys; ++i) keys.push_back(random() & 0xffff'ffff);
  for (const std::uint64_t key : std::set<std::uint64_t>(keys.begin(), keys.end())) {
    table.Insert(key, 0);
  }
  std::vector<Hit> hits;
  const std::uint64_t query = keys[0] ^ 0b111;
  ProbeQueue queue({&query, 1}, 3, hits);
  table.Enqueue(queue, 0, query, 1, 3);
  queue.Drain();
  EXPECT_FALSE(hits.empty());
  EXPECT_LT(queue.work().candidates, kKeys / 20);
}

// Far more than there are numbers of overflow lines for in a cell.
TEST(BucketTable, TakesMoreThanItsCellsCanNumber) {
  BucketTable table(40, 4, 3, true);
  table.Reserve({.address_bits = 4, .run = 32, .lines_per_bucket = 64.5}, 0);
  std::mt19937_64 random(10);
  std::map<std::uint64_t, std::uint64_t> oracle;
  for (std::uint64_t i = 1; i <= 16'000; ++i) {
    const std::uint64_t key = random() >> 24;
    if (oracle.emplace(key, i).second) table.Insert(key, i);
  }
  for (const auto& [key, document] : oracle) ASSERT_EQ(table.Find(key).Read(), document);
}

// Most lines have no room in their cells, as three of four cells stay empty: they are far more than
// a line's `next` can number. They need no nests, which would take twice the memory.
TEST(BucketTable, NumbersAnyNumberOfLinesThatCellsHaveNoRoomFor) {
  constexpr std::uint64_t kKeys = 3'000'000;
  BucketTable table(60, 28, 3, true);
  std::mt19937_64 random(12);
  const auto draw = [&random] { return random() >> 4 & ~(std::uint64_t{3} << 50); };
  std::vector<std::uint64_t> keys;
  for (std::uint64_t i = 1; i <= kKeys; ++i) {
    keys.push_back(draw());
    table.Insert(keys.back(), i);
  }
  EXPECT_EQ(table.size(), kKeys);
  EXPECT_EQ(table.nests(), 0);
  EXPECT_LT(table.bytes(), kKeys * 38);
  for (std::uint64_t i = 0; i < kKeys; i += 97) {
    ASSERT_EQ(table.Find(keys[i]).Read(), i + 1);
    ASSERT_TRUE(Search(table, keys[i] ^ std::uint64_t{1} << i % 60, 1, 1).contains(keys[i])) << i;
  }
  for (std::uint64_t i = 0; i < kKeys; i += 2) ASSERT_TRUE(table.Erase(keys[i]));
  for (std::uint64_t i = 1; i < kKeys; i += 98) ASSERT_EQ(table.Contains(keys[i]), i % 2 == 1);
  EXPECT_EQ(table.size(), kKeys / 2);
}

// Of long buckets, as a table has that is much larger than it was made for: 80 lines each.
TEST(BucketTable, NumbersTheLinesOfLongBuckets) {
  constexpr std::uint64_t kKeys = 3'600'000;
  BucketTable table(56, 12, 3, false);
  std::mt19937_64 random(13);
  std::vector<std::uint64_t> keys;
  for (std::uint64_t i = 1; i <= kKeys; ++i) {
    keys.push_back(random() >> 8);
    table.Insert(keys.back(), i);
  }
  EXPECT_EQ(table.size(), kKeys);
  EXPECT_EQ(table.nests(), 0);
  EXPECT_LT(table.bytes(), kKeys * 7);
  for (std::uint64_t i = 0; i < kKeys; i += 997) {
    ASSERT_TRUE(Search(table, keys[i] ^ std::uint64_t{1} << i % 56, 1, 1).contains(keys[i])) << i;
  }
}

// More lines than the queue holds, each of which goes on in another.
TEST(ProbeQueue, FindsAllWhenEveryLineIsContinued) {
  constexpr int kAddressBits = 10;
  constexpr int kStoredBits = 30;
  constexpr std::uint64_t kProbes = 1 + 10 + 45 + 120;  // addresses within three bits
  std::mt19937_64 random(8);
  BucketTable table(kAddressBits + kStoredBits, kAddressBits, 3, false);
  const std::uint64_t query = random() % (std::uint64_t{1} << (kAddressBits + kStoredBits));
  std::set<std::uint64_t> keys;
  const auto insert = [&](std::uint64_t key) {
    if (keys.insert(key).second) table.Insert(key, 0);
  };
  for (std::uint64_t i = 0; i < 16u << kAddressBits; ++i) {  // 16 in each bucket, 12 in a line
    insert(i % (1u << kAddressBits) << kStoredBits | random() % (1u << kStoredBits));
  }
  // And one to be found in each that is asked for; they come last, so to the second line.
  std::set<std::uint64_t> expected;
  for (std::uint64_t flips = 0; flips < 1u << kAddressBits; ++flips) {
    if (std::popcount(flips) <= 3) expected.insert(query ^ flips << kStoredBits);
  }
  for (const std::uint64_t key : expected) insert(key);
  ASSERT_EQ(expected.size(), kProbes);
  std::vector<Hit> hits;
  ProbeQueue queue({&query, 1}, 3, hits);
  table.Enqueue(queue, 0, query, 3, 3);
  queue.Drain();
  std::set<std::uint64_t> found;
  for (const Hit& hit : hits) found.insert(hit.key);
  EXPECT_EQ(found, expected);
  EXPECT_EQ(hits.size(), kProbes);
  EXPECT_EQ(queue.work().probes, kProbes);
  EXPECT_EQ(queue.work().candidates, kProbes * 17);
}

class ProbeQueueProperty : public ::testing::TestWithParam<int> {};

// With few address bits there are runs of several lines, one longer in cells laid out anew.
TEST_P(ProbeQueueProperty, FindsAllInTablesOfEverySizeAsTheyGrow) {
  constexpr int kKeyBits = 44;
  std::mt19937_64 random(5);
  BucketTable table(kKeyBits, GetParam(), 3, true, std::uint64_t{9} << kKeyBits);
  std::vector<std::uint64_t> keys;
  for (std::uint64_t i = 1; i <= 40'000; ++i) {
    keys.push_back(random() % (std::uint64_t{1} << kKeyBits));
    table.Insert(keys.back(), i);
    if (i % 97 != 0) continue;
    // The address and what follows it may differ, one bit each.
    const std::uint64_t stored = random() % i;
    const std::uint64_t query = keys[stored] ^ 1 ^ std::uint64_t{1} << (kKeyBits - 1 - i % 5);
    std::vector<Hit> hits;
    const std::uint64_t asked = query | std::uint64_t{9} << kKeyBits;
    ProbeQueue queue({&asked, 1}, 2, hits);
    table.Enqueue(queue, 0, query, 1, 2);
    queue.Drain();
    ASSERT_EQ(hits.size(), 1u) << i;
    EXPECT_EQ(hits[0].key, keys[stored] | std::uint64_t{9} << kKeyBits);
    EXPECT_EQ(hits[0].document.Read(), stored + 1);
  }
}

INSTANTIATE_TEST_SUITE_P(AddressBits, ProbeQueueProperty, ::testing::Values(6, 12));

}  // namespace
}  // namespace crawlsieve

#include "plugin/index/fingerprint_list.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

TEST(FingerprintList, FindsWhatTheDefinitionSaysAtEverySize) {
  std::mt19937_64 random(11);
  FingerprintList list;
  std::vector<Fingerprint> all;
  std::vector<std::size_t> found{99};
  for (int size = 0; size < 600; ++size) {
    const Fingerprint query{size % 7 == 0 ? 0 : random()};
    for (const int max_distance : {0, 3, 7, 64}) {
      std::vector<std::size_t> expected;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (HammingDistance(query, all[i]) <= max_distance) expected.push_back(i);
      }
      list.Find(query, max_distance, found);
      ASSERT_EQ(found, expected) << size << " fingerprints, distance " << max_distance;
    }
    Fingerprint next = query;  // near the last query, or all zero, or anything
    for (auto flips = random() % 10; flips > 0; --flips) next.bits ^= 1ULL << random() % 64;
    if (size % 11 == 0) next.bits = random();
    if (size % 50 == 0) next.bits = 0;
    list.Add(next);
    all.push_back(next);
    ASSERT_EQ(list.size(), all.size());
    list.Find(next, 2, found);
    ASSERT_FALSE(found.empty());
    ASSERT_EQ(found.back(), all.size() - 1);
  }
  list.Clear();
  list.Find({0}, 64, found);
  EXPECT_TRUE(found.empty());
  EXPECT_EQ(list.size(), 0U);
}

}  // namespace
}  // namespace crawlsieve

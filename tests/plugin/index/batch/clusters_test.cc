#include "plugin/index/batch/clusters.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Member = Clusters::Member;

TEST(Clusters, SmallestIdIsTheRoot) {
  Clusters clusters;
  clusters.Join(7, 9);
  clusters.Join(9, 3);
  clusters.Join(5, 4);
  EXPECT_THAT(clusters.Members(),
              ElementsAre(Member{3, 3}, Member{7, 3}, Member{9, 3}, Member{4, 4}, Member{5, 4}));
  EXPECT_EQ(clusters.ids(), 5U);
  EXPECT_EQ(clusters.sets(), 2U);
}

TEST(Clusters, NothingIsThereWithoutPairs) { EXPECT_THAT(Clusters().Members(), IsEmpty()); }

TEST(Clusters, PairWithItselfIsASetOfOne) {
  Clusters clusters;
  clusters.Join(8, 8);
  EXPECT_THAT(clusters.Members(), ElementsAre(Member{8, 8}));
}

// Against labels that are spread until nothing changes, in any order of the pairs.
TEST(Clusters, AreThoseOfLabelsThatSpread) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;
    for (int i = 0; i < 200; ++i) pairs.emplace_back(random() % 300, random() % 300);
    std::map<std::uint64_t, std::uint64_t> labels;
    for (const auto& [a, b] : pairs) {
      labels[a] = a;
      labels[b] = b;
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [a, b] : pairs) {
        const std::uint64_t smaller = std::min(labels[a], labels[b]);
        changed = changed || labels[a] != smaller || labels[b] != smaller;
        labels[a] = labels[b] = smaller;
      }
    }
    std::shuffle(pairs.begin(), pairs.end(), random);
    Clusters clusters;
    for (const auto& [a, b] : pairs) clusters.Join(a, b);
    const std::vector<Member> members = clusters.Members();
    ASSERT_EQ(members.size(), labels.size());
    for (const auto& [id, root] : members) EXPECT_EQ(root, labels[id]);
  }
}

}  // namespace
}  // namespace crawlsieve

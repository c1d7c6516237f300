#include "plugin/index/flat_index.h"

#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

constexpr std::size_t kAll = 1000;

TEST(FlatIndex, AnswersByDistanceThenSequence) {
  FlatIndex index;
  EXPECT_TRUE(index.Insert({0b0011}, {1}));
  EXPECT_TRUE(index.Insert({0b0001}, {9}));
  EXPECT_TRUE(index.Insert({0b0010}, {4}));
  EXPECT_TRUE(index.Insert({0b0001}, {3}));
  EXPECT_TRUE(index.Insert({0b0000}, {8}));
  EXPECT_TRUE(index.Insert({0b0111}, {2}));
  std::vector<Match> matches{{{77}, {77}, 77}};
  LookupWork work;
  index.Find({0}, 2, kAll, matches, &work);
  const std::vector<Match> expected{{{8}, {0b0000}, 0},
                                    {{3}, {0b0001}, 1},
                                    {{4}, {0b0010}, 1},
                                    {{9}, {0b0001}, 1},
                                    {{1}, {0b0011}, 2}};
  EXPECT_EQ(matches, expected);
  EXPECT_EQ(work.candidates, 6u);
  index.Find({0}, 2, 3, matches);
  EXPECT_EQ(matches, std::vector<Match>(expected.begin(), expected.begin() + 3));
  index.Find({0}, 2, 0, matches);
  EXPECT_TRUE(matches.empty());
}

TEST(FlatIndex, KnowsAPairOnce) {
  FlatIndex index;
  EXPECT_FALSE(index.Remove({5}, {1}));
  EXPECT_TRUE(index.Insert({5}, {1}));
  EXPECT_FALSE(index.Insert({5}, {1}));
  EXPECT_TRUE(index.Insert({5}, {2}));
  EXPECT_EQ(index.Stats().documents, 2u);
  EXPECT_EQ(index.Stats().fingerprints, 1u);
  EXPECT_FALSE(index.Remove({4}, {1}));
  EXPECT_TRUE(index.Remove({5}, {1}));
  EXPECT_FALSE(index.Remove({5}, {1}));
  EXPECT_EQ(index.Stats().documents, 1u);
}

TEST(FlatIndex, FindsEverythingAtDistance64) {
  FlatIndex index;
  index.Insert({0}, {1});
  index.Insert({~std::uint64_t{0}}, {2});
  std::vector<Match> matches;
  index.Find({0}, 64, kAll, matches);
  EXPECT_EQ(matches.size(), 2u);
  index.Find({0}, 63, kAll, matches);
  EXPECT_EQ(matches.size(), 1u);
}

}  // namespace
}  // namespace crawlsieve

#include "plugin/index/batch_query.h"

#include "plugin/index/flat_index.h"

#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

TEST(BatchQuery, AnswersAsTheFlatIndexDoes) {
  for (int k = 0; k <= 7; ++k) {
    for (const std::size_t query_count : {0u, 1u, 300u}) {
      SCOPED_TRACE(std::to_string(k) + " bits, queries: " + std::to_string(query_count));
      std::mt19937_64 random(static_cast<unsigned>(100 + k));
      std::vector<IndexEntry> stored;
      FlatIndex flat;
      for (std::uint64_t i = 1; i <= 2'000; ++i) {
        // Every third is near the one before, every tenth equal to it.
        std::uint64_t bits = random();
        if (i % 3 == 0) bits = stored.back().fingerprint.bits ^ std::uint64_t{1} << random() % 64;
        if (i % 10 == 0) bits = stored.back().fingerprint.bits;
        stored.push_back({{bits}, {i}});
        flat.Insert({bits}, {i});
      }
      std::vector<Fingerprint> queries;
      for (std::size_t i = 0; i < query_count; ++i) {
        std::uint64_t bits = stored[random() % stored.size()].fingerprint.bits;
        for (std::uint64_t flips = random() % 9; flips > 0; --flips) {
          bits ^= std::uint64_t{1} << random() % 64;
        }
        queries.push_back({bits});
        if (i % 20 == 0) queries.push_back({bits});  // asked twice
      }
      BatchQuery batch(queries, k);
      batch.Compare(std::span(stored).first(777));
      batch.Compare(std::span(stored).subspan(777));
      const std::vector<std::vector<Match>> matches = batch.TakeMatches();
      ASSERT_EQ(matches.size(), queries.size());
      for (std::size_t q = 0; q < queries.size(); ++q) {
        std::vector<Match> expected;
        flat.Find(queries[q], k, std::numeric_limits<std::size_t>::max(), expected);
        EXPECT_EQ(matches[q], expected);
      }
    }
  }
}

// Unused slots of a line are zero: they must not be taken for queries.
TEST(BatchQuery, ZeroIsNoQueryUnlessAsked) {
  const std::vector<IndexEntry> stored{{{0}, {1}}};
  const std::vector<Fingerprint> far{{0xff}};
  BatchQuery none(far, 3);
  none.Compare(stored);
  EXPECT_TRUE(none.TakeMatches()[0].empty());
  const std::vector<Fingerprint> near{{0x7}};
  BatchQuery one(near, 3);
  one.Compare(stored);
  EXPECT_EQ(one.TakeMatches()[0].size(), 1u);
}

}  // namespace
}  // namespace crawlsieve

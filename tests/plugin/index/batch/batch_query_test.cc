#include "plugin/index/batch/batch_query.h"

#include "plugin/index/flat_index.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

using AllMatches = std::vector<std::vector<Match>>;

AllMatches AnswersOf(const std::vector<IndexEntry>& stored, const std::vector<Fingerprint>& queries,
                     int max_distance) {
  FlatIndex flat;
  for (const IndexEntry& entry : stored) flat.Insert(entry.fingerprint, entry.document);
  AllMatches answers;
  for (const Fingerprint query : queries) {
    flat.Find(query, max_distance, std::numeric_limits<std::size_t>::max(), answers.emplace_back());
  }
  return answers;
}

/// Stored entries in parts that pass one by one, each by a pass of its own if `apart`.
AllMatches AnswersOfBatch(const std::vector<IndexEntry>& stored,
                          const std::vector<Fingerprint>& queries, int max_distance, bool apart,
                          std::uint64_t expected) {
  const BatchQueries batch(queries, max_distance, expected);
  std::vector<std::vector<BatchMatch>> passes;
  const auto parts = {std::span(stored).first(stored.size() / 3),
                      std::span(stored).subspan(stored.size() / 3)};
  if (apart) {
    for (const auto part : parts) {
      BatchQuery pass(batch);
      pass.Compare(part);
      passes.push_back(pass.TakeMatches());
    }
  } else {
    BatchQuery pass(batch);
    for (const auto part : parts) pass.Compare(part);
    passes.push_back(pass.TakeMatches());
  }
  return MatchesByQuery(queries.size(), passes);
}

std::uint64_t WithFlips(std::uint64_t bits, std::uint64_t flips, std::mt19937_64& random) {
  for (; flips > 0; --flips) bits ^= std::uint64_t{1} << random() % 64;
  return bits;
}

class BatchQueryAt : public ::testing::TestWithParam<int> {};

TEST_P(BatchQueryAt, AnswersAsTheFlatIndexDoes) {
  const int k = GetParam();
  for (const std::size_t query_count : {0u, 1u, 300u, 3'000u}) {
    SCOPED_TRACE("queries: " + std::to_string(query_count));
    std::mt19937_64 random(static_cast<unsigned>(100 + k));
    std::vector<IndexEntry> stored;
    for (std::uint64_t i = 1; i <= 2'000; ++i) {
      // Every third is near the one before, every tenth equal to it.
      std::uint64_t bits = random();
      if (i % 3 == 0) bits = WithFlips(stored.back().fingerprint.bits, 1, random);
      if (i % 10 == 0) bits = stored.back().fingerprint.bits;
      stored.push_back({{bits}, {i}});
    }
    std::vector<Fingerprint> queries;
    for (std::size_t i = 0; i < query_count; ++i) {
      const std::uint64_t near = stored[random() % stored.size()].fingerprint.bits;
      queries.push_back({WithFlips(near, random() % 9, random)});
      if (i % 20 == 0) queries.push_back(queries.back());  // asked twice
    }
    const AllMatches expected = AnswersOf(stored, queries, k);
    EXPECT_EQ(AnswersOfBatch(stored, queries, k, false, 2'000), expected) << "in any order";
    std::ranges::sort(stored);
    EXPECT_EQ(AnswersOfBatch(stored, queries, k, true, 2'000), expected) << "by two passes";
    // Designs for few and many stored fingerprints have other radii.
    for (const std::uint64_t count : {std::uint64_t{1}, std::uint64_t{100'000'000}}) {
      EXPECT_EQ(AnswersOfBatch(stored, queries, k, false, count), expected) << count;
    }
  }
}

// Templates: all in a few places, so that every list and bucket is long.
TEST_P(BatchQueryAt, AnswersAsTheFlatIndexDoesWhereAllIsAlike) {
  const int k = GetParam();
  std::mt19937_64 random(static_cast<unsigned>(200 + k));
  const std::uint64_t centre = random();
  std::vector<IndexEntry> stored;
  std::vector<Fingerprint> queries;
  for (std::uint64_t i = 1; i <= 1'500; ++i) {
    stored.push_back({{WithFlips(centre, random() % 6, random)}, {i}});
    if (i % 3 == 0) queries.push_back({WithFlips(centre, random() % 6, random)});
  }
  std::ranges::sort(stored);
  EXPECT_EQ(AnswersOfBatch(stored, queries, k, false, 1'500), AnswersOf(stored, queries, k));
}

// Each place of every block in turn: a pair at the distance itself is the hardest to find.
TEST_P(BatchQueryAt, FindsPairsThatDifferAnywhere) {
  const int k = GetParam();
  std::mt19937_64 random(static_cast<unsigned>(300 + k));
  std::vector<IndexEntry> stored;
  std::vector<Fingerprint> queries;
  for (std::uint64_t i = 1; i <= 4'000; ++i) {
    const std::uint64_t bits = random();
    std::uint64_t differences = 0;
    while (std::popcount(differences) < k) differences |= std::uint64_t{1} << random() % 64;
    queries.push_back({bits});
    stored.push_back({{bits ^ differences}, {i}});
    // One bit too far away.
    while (std::popcount(differences) < k + 1) differences |= std::uint64_t{1} << random() % 64;
    stored.push_back({{bits ^ differences}, {10'000 + i}});
  }
  std::ranges::sort(stored);
  const AllMatches found = AnswersOfBatch(stored, queries, k, false, 8'000);
  for (std::size_t q = 0; q < queries.size(); ++q) {
    ASSERT_EQ(found[q].size(), 1U) << q;
    EXPECT_EQ(found[q][0].document.sequence, q + 1);
    EXPECT_EQ(found[q][0].distance, k);
  }
}

INSTANTIATE_TEST_SUITE_P(Distances, BatchQueryAt, ::testing::Range(0, 8));

// Unused slots of a line are zero: they must not be taken for queries.
TEST(BatchQuery, ZeroIsNoQueryUnlessAsked) {
  const std::vector<IndexEntry> stored{{{0}, {1}}};
  for (int k = 3; k <= 7; ++k) {
    EXPECT_TRUE(AnswersOfBatch(stored, {{0xff}}, k, false, 1)[0].empty()) << k;
    EXPECT_EQ(AnswersOfBatch(stored, {{0x7}}, k, false, 1)[0].size(), 1U) << k;
  }
}

}  // namespace
}  // namespace crawlsieve

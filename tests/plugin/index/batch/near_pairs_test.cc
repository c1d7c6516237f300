#include "plugin/index/batch/near_pairs.h"

#include "plugin/index/snapshot/writer.h"
#include "tests/support/sanitized.h"
#include "tests/support/temporary_directory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <random>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

/// Short, for there are thousands.
void ExpectEqual(const std::vector<NearPair>& actual, const std::vector<NearPair>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    ASSERT_EQ(actual[i].a, expected[i].a) << "pair " << i;
    ASSERT_EQ(actual[i].b, expected[i].b) << "pair " << i;
    ASSERT_EQ(actual[i].distance, expected[i].distance) << "pair " << i;
  }
}

/// By the definition: every two fingerprints, and chains of equal ones.
std::vector<NearPair> ExpectedPairs(const std::vector<IndexEntry>& entries, int max_distance) {
  std::vector<NearPair> pairs;
  std::vector<IndexEntry> first_documents;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i > 0 && entries[i - 1].fingerprint == entries[i].fingerprint) {
      pairs.push_back({entries[i - 1], entries[i], 0});
    } else {
      first_documents.push_back(entries[i]);
    }
  }
  for (std::size_t i = 0; i < first_documents.size(); ++i) {
    for (std::size_t j = i + 1; j < first_documents.size(); ++j) {
      const int distance =
          HammingDistance(first_documents[i].fingerprint, first_documents[j].fingerprint);
      if (distance <= max_distance) {
        pairs.push_back({first_documents[i], first_documents[j], distance});
      }
    }
  }
  std::ranges::sort(pairs, {}, [](const NearPair& pair) { return std::tuple(pair.a, pair.b); });
  return pairs;
}

class NearPairs : public ::testing::TestWithParam<int> {
 protected:
  NearPairs() {
    std::mt19937_64 random(static_cast<unsigned>(GetParam()));
    constexpr std::uint64_t kDocuments = testing::kIsSanitized ? 1'000 : 4'000;
    std::set<IndexEntry> made;
    std::uint64_t bits = 0;
    for (std::uint64_t document = 1; document <= kDocuments; ++document) {
      const std::uint64_t kind = random() % 8;
      if (kind < 4) bits = random();
      if (kind == 4) bits ^= std::uint64_t{1} << random() % 64 | std::uint64_t{1} << random() % 64;
      if (kind == 5) bits = 0xabcd'ef01'2345'6789;  // a template of hundreds of documents
      if (kind == 6) bits ^= std::uint64_t{1} << random() % 64;
      made.insert(IndexEntry{Fingerprint{bits}, DocId{document}});
    }
    entries_.assign(made.begin(), made.end());
    const EntrySource source = [entries = entries_](std::vector<IndexEntry>& piece) mutable {
      piece = std::exchange(entries, {});
      return !piece.empty();
    };
    EXPECT_TRUE(WriteSnapshot(file_, {.kind = SnapshotKind::kRestart, .origin = {}}, source));
  }

  /// In parts, one after the other.
  [[nodiscard]] std::vector<NearPair> Pairs(const NearPairOptions& options,
                                            std::uint64_t parts = 1) const {
    const Result<SnapshotFile> store = SnapshotFile::Open(file_);
    std::vector<NearPair> pairs;
    for (std::uint64_t number = 1; number <= parts; ++number) {
      EXPECT_TRUE(ForEachNearPair(*store, SnapshotPart::Chunk(*store, number, parts), options,
                                  [&](std::span<const NearPair> more) -> Status {
                                    pairs.insert(pairs.end(), more.begin(), more.end());
                                    return {};
                                  }));
    }
    return pairs;
  }

  std::vector<IndexEntry> entries_;
  testing::TemporaryDirectory directory_;
  const std::filesystem::path file_ = directory_.path() / "snapshot";
};

TEST_P(NearPairs, AreThoseOfTheDefinitionHoweverTheyAreCut) {
  const int k = GetParam();
  const std::vector<NearPair> expected = ExpectedPairs(entries_, k);
  const auto expect = [&](const char* how, const NearPairOptions& options, std::uint64_t parts) {
    SCOPED_TRACE(how);
    ExpectEqual(Pairs(options, parts), expected);
  };
  expect("in one", {.max_distance = k}, 1);
  expect("few at once", {.max_distance = k, .threads = 3, .at_once = 100}, 1);
  expect("few pairs held", {.max_distance = k, .most_pairs = 3}, 1);
  expect("parts", {.max_distance = k, .at_once = 700, .most_pairs = 50}, 5);
}

// All near one another: as many pairs as there can be.
TEST_P(NearPairs, OfADenseSetAreHeldSomeAtATime) {
  std::vector<IndexEntry> dense;
  for (std::uint64_t i = 0; i < 64; ++i) {
    dense.push_back({{std::uint64_t{1} << i}, {i + 1}});
  }
  const std::filesystem::path file = directory_.path() / "dense";
  const EntrySource source = [entries = dense](std::vector<IndexEntry>& piece) mutable {
    piece = std::exchange(entries, {});
    return !piece.empty();
  };
  ASSERT_TRUE(WriteSnapshot(file, {.kind = SnapshotKind::kRestart, .origin = {}}, source));
  const Result<SnapshotFile> store = SnapshotFile::Open(file);
  std::vector<NearPair> pairs;
  std::size_t most = 0;
  ASSERT_TRUE(ForEachNearPair(*store, SnapshotPart::Of(*store),
                              {.max_distance = GetParam(), .threads = 2, .most_pairs = 100},
                              [&](std::span<const NearPair> more) -> Status {
                                most = std::max(most, more.size());
                                pairs.insert(pairs.end(), more.begin(), more.end());
                                return {};
                              }));
  ExpectEqual(pairs, ExpectedPairs(dense, GetParam()));
  EXPECT_LE(most, 2 * 100U);
}

INSTANTIATE_TEST_SUITE_P(Distances, NearPairs, ::testing::Values(0, 1, 3, 6, 7));

}  // namespace
}  // namespace crawlsieve

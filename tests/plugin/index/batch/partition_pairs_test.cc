#include "plugin/index/batch/partition_pairs.h"

#include "plugin/index/batch/near_pairs.h"
#include "plugin/index/snapshot/writer.h"
#include "tests/support/sanitized.h"
#include "tests/support/temporary_directory.h"

#include <algorithm>
#include <bit>
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

class PermutedTablesOf : public ::testing::TestWithParam<int> {};

TEST_P(PermutedTablesOf, AgreeFirstInOneTableForEveryDistanceWithinReach) {
  const int k = GetParam();
  const PermutedTables tables(k, 7);
  const unsigned seed = 100 + static_cast<unsigned>(k);
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 20'000; ++round) {
    const Fingerprint a{random()};
    Fingerprint b = a;
    const auto flips = random() % static_cast<unsigned>(k + 1);
    for (std::uint64_t flip = 0; flip < flips; ++flip) b.bits ^= std::uint64_t{1} << random() % 64;
    int first = 0;
    for (std::size_t table = 0; table < tables.tables(); ++table) {
      if (!tables.IsFirst(table, a.bits ^ b.bits)) continue;
      ++first;
      ASSERT_EQ(tables.PartitionOf(table, a), tables.PartitionOf(table, b));
    }
    ASSERT_EQ(first, 1) << std::hex << a.bits << ' ' << b.bits;
  }
}

INSTANTIATE_TEST_SUITE_P(Distances, PermutedTablesOf, ::testing::Range(0, 8));

TEST(PermutedTables, AreTheTwentyOfThePapersExample) {
  const PermutedTables tables(3, 1);
  ASSERT_EQ(tables.tables(), 20U);
  std::set<std::uint64_t> masks;
  for (std::size_t table = 0; table < tables.tables(); ++table) {
    masks.insert(tables.MaskOf(table));
    const int bits = std::popcount(tables.MaskOf(table));
    EXPECT_GE(bits, 31);
    EXPECT_LE(bits, 33);
  }
  EXPECT_EQ(masks.size(), 20U);
}

TEST(PermutedTables, DivideEachTableIntoItsRanges) {
  const PermutedTables tables(3, 5);
  std::mt19937_64 random(7);
  std::vector<int> hits(tables.partitions());
  for (int i = 0; i < 10'000; ++i) {
    const Fingerprint fingerprint{random()};
    for (std::size_t table = 0; table < tables.tables(); ++table) {
      const std::size_t partition = tables.PartitionOf(table, fingerprint);
      ASSERT_EQ(tables.TableOf(partition), table);
      ++hits[partition];
    }
  }
  for (const int hit : hits) EXPECT_NEAR(hit, 2'000, 300);
}

/// Seven tenths of a set in templates and near pairs; some neighbourhoods of thousands.
std::vector<IndexEntry> MakeEntries(unsigned seed) {
  std::mt19937_64 random(seed);
  constexpr std::uint64_t kDocuments = testing::kIsSanitized ? 1'500 : 6'000;
  std::set<IndexEntry> made;
  std::uint64_t bits = 0;
  for (std::uint64_t document = 1; document <= kDocuments; ++document) {
    const std::uint64_t kind = random() % 8;
    if (kind < 3) bits = random();
    if (kind == 3) bits ^= std::uint64_t{1} << random() % 64 | std::uint64_t{1} << random() % 64;
    if (kind == 4) bits = 0xabcd'ef01'2345'6789;  // a template
    if (kind == 5) bits ^= std::uint64_t{1} << random() % 64;
    if (kind > 5) bits = 0x1234'5678'9abc'0000 | random() % 65'536;  // agree in 48 bits
    made.insert(IndexEntry{Fingerprint{bits}, DocId{document}});
  }
  return {made.begin(), made.end()};
}

class PartitionPairs : public ::testing::TestWithParam<int> {};

TEST_P(PartitionPairs, TogetherAreThoseOfTheSetHoweverItIsDivided) {
  const int k = GetParam();
  const unsigned seed = 40 + static_cast<unsigned>(k);
  SCOPED_TRACE("seed " + std::to_string(seed));
  const testing::TemporaryDirectory directory;
  const std::filesystem::path file = directory.path() / "snapshot";
  const EntrySource source = [entries = MakeEntries(seed)](std::vector<IndexEntry>& piece) mutable {
    piece = std::exchange(entries, {});
    return !piece.empty();
  };
  ASSERT_TRUE(WriteSnapshot(file, {.kind = SnapshotKind::kRestart, .origin = {}}, source));
  const Result<SnapshotFile> store = SnapshotFile::Open(file);
  ASSERT_TRUE(store);
  std::vector<NearPair> expected;
  const auto into = [](std::vector<NearPair>& pairs) {
    return [&pairs](std::span<const NearPair> more) -> Status {
      pairs.insert(pairs.end(), more.begin(), more.end());
      return {};
    };
  };
  ASSERT_TRUE(
      ForEachNearPair(*store, SnapshotPart::Of(*store), {.max_distance = k}, into(expected)));
  for (const auto& [parts, ranges] : {std::pair<std::uint64_t, std::uint32_t>{1, 1}, {4, 3}}) {
    const PermutedTables tables(k, ranges);
    std::vector<std::vector<IndexEntry>> partitions(tables.partitions() + 1);
    for (std::uint64_t number = 1; number <= parts; ++number) {
      ASSERT_TRUE(ScatterPart(*store, SnapshotPart::Chunk(*store, number, parts), tables,
                              [&](std::size_t partition, std::span<const IndexEntry> entries) {
                                partitions[partition].insert(partitions[partition].end(),
                                                             entries.begin(), entries.end());
                                return Status();
                              }));
    }
    std::vector<NearPair> pairs;
    for (std::size_t partition = 0; partition < partitions.size(); ++partition) {
      ASSERT_TRUE(ForEachPairInPartition(tables, partition, partitions[partition], into(pairs)));
    }
    std::ranges::sort(pairs, {}, [](const NearPair& pair) { return std::tuple(pair.a, pair.b); });
    ASSERT_EQ(pairs.size(), expected.size());
    EXPECT_TRUE(pairs == expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Distances, PartitionPairs, ::testing::Range(0, 8));

TEST(PartitionPairs, RefuseALinkWithoutItsOtherEnd) {
  const PermutedTables tables(3, 1);
  std::vector<IndexEntry> ends(3);
  EXPECT_FALSE(ForEachPairInPartition(tables, tables.partitions(), ends,
                                      [](std::span<const NearPair>) { return Status(); }));
}

}  // namespace
}  // namespace crawlsieve

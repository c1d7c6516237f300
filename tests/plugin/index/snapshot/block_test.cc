#include "plugin/index/snapshot/block.h"

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

/// Encodes all of `entries` and decodes the blocks.
std::vector<BlockEntry> RoundTrip(const std::vector<BlockEntry>& entries, int document_bits,
                                  std::size_t* blocks = nullptr) {
  BlockEncoder encoder(document_bits, 1e9);
  const auto decoded = std::make_unique<DecodedBlock>();
  std::vector<BlockEntry> result;
  std::uint64_t position = 0;
  const auto finish = [&] {
    const BlockBytes bytes = encoder.Finish(position);
    const Status status = decoded->Decode(bytes, position++, document_bits);
    ASSERT_TRUE(status.has_value()) << status.error().message;
    result.insert(result.end(), decoded->entries().begin(), decoded->entries().end());
  };
  for (const BlockEntry& entry : entries) {
    if (encoder.Add(entry)) continue;
    finish();
    EXPECT_TRUE(encoder.Add(entry));
  }
  if (!encoder.empty()) finish();
  if (blocks != nullptr) *blocks = position;
  return result;
}

TEST(SnapshotBlock, GivesBackWhatWentInWhateverTheGaps) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    for (const int document_bits : {0, 1, 27, 40}) {
      std::vector<BlockEntry> entries;
      for (int i = 0; i < 2'000; ++i) {
        // Gaps of every size, neighbours of one size most of the time.
        const auto bits = static_cast<int>((i / 100 * 7 + random() % (seed % 3 * 20 + 1)) % 64);
        entries.push_back(
            {random() >> bits, document_bits == 0 ? 0 : random() >> (64 - document_bits)});
      }
      entries.push_back({0, 0});
      entries.push_back({~std::uint64_t{0}, 0});
      std::ranges::sort(entries);
      EXPECT_EQ(RoundTrip(entries, document_bits), entries);
    }
  }
}

TEST(SnapshotBlock, HoldsAsManyEqualKeysAsItHasBits) {
  const std::vector<BlockEntry> entries(5'000, {77, 0});
  std::size_t blocks = 0;
  EXPECT_EQ(RoundTrip(entries, 0, &blocks), entries);
  EXPECT_LE(blocks, 4u + 5'000 / 1'900);
}

TEST(SnapshotBlock, TakesCloseToTheEntropyOfRandomKeys) {
  std::mt19937_64 random(9);
  std::vector<BlockEntry> entries(1'000'000);
  for (BlockEntry& entry : entries) entry.key = random();
  std::ranges::sort(entries);
  std::size_t blocks = 0;
  RoundTrip(entries, 0, &blocks);
  // 64 - log2(1,000,000) + 1.44 bits are 5.69 bytes.
  EXPECT_LT(static_cast<double>(blocks * kBlockBytes) / 1e6, 5.69 * 1.06);
}

/// How many of the entries fit in a block when r low bits of each gap are stored as they are, by
/// the lengths that docs/snapshot_format.md gives.
std::size_t FittingEntries(const std::vector<BlockEntry>& entries, int r, int document_bits) {
  std::size_t bits = 241 * 8 - static_cast<std::size_t>(document_bits);
  for (std::size_t i = 1; i < entries.size(); ++i) {
    const std::uint64_t gap = entries[i].key - entries[i - 1].key;
    const std::uint64_t code = gap >> r < 24 ? (gap >> r) + 1 + static_cast<std::uint64_t>(r) : 88;
    if (bits < code + static_cast<std::uint64_t>(document_bits)) return i;
    bits -= code + static_cast<std::uint64_t>(document_bits);
  }
  return entries.size();
}

TEST(SnapshotBlock, HoldsWhatTheBestCodeOfThreeLetsFit) {
  std::mt19937_64 random(11);
  std::exponential_distribution<double> gap(1.0 / 1e9);
  std::array<std::size_t, 3> best_was{};
  for (int round = 0; round < 1'000; ++round) {
    std::vector<BlockEntry> entries{{0, 5}};
    for (int i = 0; i < 100; ++i) {
      entries.push_back({entries.back().key + static_cast<std::uint64_t>(gap(random)), 5});
    }
    BlockEncoder encoder(27, 1e9);
    std::size_t count = 0;
    while (encoder.Add(entries[count])) ++count;
    // The best one for the mean is r = 29: 2^29 is next to 1e9 * ln 2.
    const std::array<std::size_t, 3> fitting{FittingEntries(entries, 28, 27),
                                             FittingEntries(entries, 29, 27),
                                             FittingEntries(entries, 30, 27)};
    const auto best = std::ranges::max_element(fitting);
    ASSERT_EQ(count, *best);
    ++best_was[static_cast<std::size_t>(best - fitting.begin())];
    DecodedBlock decoded;
    ASSERT_TRUE(decoded.Decode(encoder.Finish(0), 0, 27).has_value());
    EXPECT_TRUE(std::ranges::equal(decoded.entries(), std::span(entries).first(count)));
  }
  for (const std::size_t times : best_was) EXPECT_GT(times, 0u);
}

TEST(SnapshotBlock, EveryFlippedBitIsNoticed) {
  BlockEncoder encoder(27, 1e18);
  std::mt19937_64 random(3);
  std::vector<std::uint64_t> keys(20);
  for (std::uint64_t& key : keys) key = random();
  std::ranges::sort(keys);
  for (const std::uint64_t key : keys) ASSERT_TRUE(encoder.Add({key, random() % 1000}));
  std::array<std::byte, kBlockBytes> bytes;
  std::ranges::copy(encoder.Finish(5), bytes.begin());
  const auto decoded = std::make_unique<DecodedBlock>();
  ASSERT_TRUE(decoded->Decode(bytes, 5, 27).has_value());
  for (std::size_t bit = 0; bit < 8 * kBlockBytes; ++bit) {
    bytes[bit / 8] ^= std::byte{1} << bit % 8;
    EXPECT_FALSE(decoded->Decode(bytes, 5, 27).has_value()) << bit;
    bytes[bit / 8] ^= std::byte{1} << bit % 8;
  }
  EXPECT_FALSE(decoded->Decode(bytes, 6, 27).has_value()) << "in another's place";
}

}  // namespace
}  // namespace crawlsieve

#include "plugin/index/snapshot_block.h"

#include <algorithm>
#include <array>
#include <memory>
#include <random>
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

#include "plugin/index/base/kernel.h"

#include <array>
#include <bit>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

std::uint16_t Expected(const Line& line, std::uint32_t query, int max_distance) {
  unsigned mask = 0;
  for (std::size_t word = 0; word < 16; ++word) {
    if (std::popcount(line.words[word] ^ query) <= max_distance) mask |= 1u << word;
  }
  return static_cast<std::uint16_t>(mask);
}

TEST(LineKernel, EveryOneTheProcessorHasEqualsTheDefinition) {
  constexpr std::size_t kLines = 200;
  std::mt19937 random(7);
  std::vector<Line> lines(kLines);
  std::vector<const Line*> pointers;
  std::vector<std::uint32_t> queries;
  std::vector<std::uint32_t> distances;
  for (Line& line : lines) {
    pointers.push_back(&line);
    queries.push_back(random() % 4 == 0 ? 0 : static_cast<std::uint32_t>(random()));
    distances.push_back(random() % 8);
    for (std::uint32_t& word : line.words) {  // 0 to 12 bits off the query, or anything
      word = queries.back();
      if (random() % 5 == 0) word = static_cast<std::uint32_t>(random());
      for (auto flips = random() % 13; flips > 0; --flips) word ^= 1u << random() % 32;
    }
  }
  lines[0].words.fill(0);
  lines[1].words.fill(~0u);
  for (const NamedKernel& kernel : AllKernels()) {
    if (!kernel.supported) continue;
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{15}, kLines}) {
      std::vector<std::uint16_t> masks(kLines, 0x5a5a);
      kernel.run(pointers.data(), queries.data(), distances.data(), count, masks.data());
      for (std::size_t i = 0; i < kLines; ++i) {
        const std::uint16_t expected =
            i < count ? Expected(lines[i], queries[i], distances[i]) : std::uint16_t{0x5a5a};
        ASSERT_EQ(masks[i], expected) << kernel.name << ", line " << i;
      }
    }
  }
}

TEST(LineKernel, TheBestOneIsSupportedAndPortableAlwaysIs) {
  EXPECT_TRUE(BestKernel().supported);
  EXPECT_STREQ(AllKernels().back().name, "portable");
  EXPECT_TRUE(AllKernels().back().supported);
}

class LineFormats : public ::testing::TestWithParam<LineFormat> {};

TEST_P(LineFormats, KeepWhatIsStoredBesideEachOther) {
  const LineFormat format = GetParam();
  const int key_bits = format == LineFormat::kSlots12   ? 41
                       : format == LineFormat::kSlots11 ? 44
                       : format == LineFormat::kSlots10 ? 48
                                                        : 63;
  ASSERT_EQ(FormatFor(key_bits), format);
  std::mt19937_64 random(8);
  for (int round = 0; round < 200; ++round) {
    Line line{};
    std::vector<std::uint64_t> keys(SlotCount(format));
    std::uint32_t count = 0;
    std::uint32_t next = 0;
    for (int step = 0; step < 100; ++step) {
      const std::size_t slot = random() % SlotCount(format);
      keys[slot] = random() >> (64 - key_bits);
      StoreKey(line, format, slot, keys[slot]);
      if (step % 3 == 0) SetCount(line, count = static_cast<std::uint32_t>(random() % 13));
      if (step % 4 == 0) {
        SetNext(line, next = static_cast<std::uint32_t>(random()) & kMaxNext);
      }
      ASSERT_EQ(Count(line), count);
      ASSERT_EQ(Next(line), next);
      for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(LoadKey(line, format, i), keys[i]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, LineFormats,
                         ::testing::Values(LineFormat::kSlots12, LineFormat::kSlots11,
                                           LineFormat::kSlots10, LineFormat::kSlots7));

TEST(LineFormat, IsTheOneWithMostSlotsThatFits) {
  EXPECT_EQ(FormatFor(1), LineFormat::kSlots12);
  EXPECT_EQ(FormatFor(42), LineFormat::kSlots11);
  EXPECT_EQ(FormatFor(45), LineFormat::kSlots10);
  EXPECT_EQ(FormatFor(49), LineFormat::kSlots7);
}

}  // namespace
}  // namespace crawlsieve

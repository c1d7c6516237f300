#include "plugin/index/bucket/far_lines.h"

#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

/// Writes what tells a line from all others, and the document numbers beside it.
void Mark(const FarLines& lines, Line* line, std::uint32_t mark) {
  line->words[0] = mark;
  SetCount(*line, 1 + mark % 12);
  for (std::size_t slot = 0; slot < 12; ++slot) lines.DocumentAt(line, slot).Write(mark + slot);
}

void ExpectMarked(const FarLines& lines, const Line* line, std::uint32_t mark) {
  ASSERT_TRUE(lines.Has(line));
  ASSERT_EQ(line->words[0], mark);
  ASSERT_EQ(Count(*line), 1 + mark % 12);
  for (std::size_t slot = 0; slot < 12; ++slot) {
    ASSERT_EQ(lines.DocumentAt(line, slot).Read(), mark + slot);
  }
}

TEST(FarLines, KeepLinesApartAndTakeThemBack) {
  for (const int address_bits : {0, 4, 13, 14, 18}) {
    for (const int run : {1, 3, 32}) {
      std::mt19937_64 random(static_cast<std::uint64_t>(address_bits * 100 + run));
      FarLines lines(address_bits, run, true);
      // By address of a bucket, and number: what was written.
      std::map<std::uint64_t, std::map<std::uint32_t, std::uint32_t>> taken;
      const std::uint64_t buckets = std::uint64_t{1} << address_bits;
      for (std::uint32_t step = 0; step < 20'000; ++step) {
        const std::uint64_t address = (random() % 4 == 0 ? random() : random() % 64) % buckets;
        std::map<std::uint32_t, std::uint32_t>& of_bucket = taken[address];
        if (!of_bucket.empty() && random() % 3 == 0) {
          lines.GiveBack(address, of_bucket.begin()->first);
          of_bucket.erase(of_bucket.begin());
          continue;
        }
        const std::uint32_t number = lines.Take(address);
        ASSERT_NE(number, FarLines::kNone);
        Line* const line = lines.At(address, number);
        ASSERT_EQ(Count(*line), 0u);
        ASSERT_EQ(Next(*line), 0u);
        Mark(lines, line, step);
        ASSERT_TRUE(of_bucket.emplace(number, step).second);
      }
      for (const auto& [address, numbers] : taken) {
        for (const auto& [number, written] : numbers) {
          ExpectMarked(lines, lines.At(address, number), written);
        }
      }
    }
  }
}

TEST(FarLines, HaveNoMoreThanTheNumbersOfABank) {
  FarLines lines(0, 1, false);
  std::set<const Line*> different;
  for (std::uint32_t i = 0; i < FarLines::kMost; ++i) ASSERT_EQ(lines.Take(0), i);
  EXPECT_EQ(lines.Take(0), FarLines::kNone);
  for (std::uint32_t i = 0; i < FarLines::kMost; ++i) different.insert(lines.At(0, i));
  EXPECT_EQ(different.size(), FarLines::kMost);
  lines.GiveBack(0, 1000);
  EXPECT_EQ(lines.Take(0), 1000u);
}

// Whichever address bits never vary, and however long buckets are, there is room for several lines
// of each, and little of the memory is idle.
TEST(FarLines, AreDealtOutEvenly) {
  for (const std::uint64_t fixed : {0u, 0x3u, 0x300u, 0x6000u, 0xc000u, 0x4180u}) {
    for (const int run : {1, 8, 32}) {
      FarLines lines(16, run, false);
      const int each = 6 * run;
      std::uint64_t taken = 0;
      for (std::uint64_t address = 0; address < 1 << 16; ++address) {
        if ((address & fixed) != 0) continue;
        for (int i = 0; i < each; ++i) {
          ASSERT_NE(lines.Take(address), FarLines::kNone) << fixed << ", run " << run;
          ++taken;
        }
      }
      EXPECT_LT(static_cast<double>(lines.bytes()), 1.4 * 64 * static_cast<double>(taken))
          << fixed << ", run " << run;
    }
  }
}

}  // namespace
}  // namespace crawlsieve

#include "plugin/index/base/line_array.h"

#include <cstdint>
#include <utility>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

/// What the i-th line is filled with.
std::uint32_t WordOf(std::size_t i) { return static_cast<std::uint32_t>(i) * 2654435761u + 1; }

// From the heap to huge pages, and there from one place to another.
TEST(LineArray, KeepsItsContentsAndGrowsByZeros) {
  LineArray array;
  std::size_t written = 0;
  for (std::size_t size = 1; size < 1'300'000; size += size / 2 + 1) {
    array.Grow(size);
    ASSERT_GE(array.size(), size);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % kLineBytes, 0u);
    for (std::size_t i = 0; i < array.size(); ++i) {
      for (const std::uint32_t word : array.data()[i].words) {
        ASSERT_EQ(word, i < written ? WordOf(i) : 0) << i << " of " << size;
      }
    }
    for (; written < array.size(); ++written) array.data()[written].words.fill(WordOf(written));
  }
}

TEST(LineArray, NeverShrinks) {
  LineArray array;
  array.Grow(100);
  array.data()[99].words.fill(7);
  array.Grow(5);
  EXPECT_EQ(array.size(), 100u);
  EXPECT_EQ(array.data()[99].words[3], 7u);
}

TEST(LineArray, MovesWithItsLines) {
  LineArray array;
  array.Grow(200'000);
  array.data()[199'999].words.fill(9);
  const LineArray moved = std::move(array);
  EXPECT_EQ(moved.data()[199'999].words[0], 9u);
  EXPECT_GE(moved.size(), 200'000u);
}

}  // namespace
}  // namespace crawlsieve

#include "extract/html/parse_arena.h"

#include <cstdint>
#include <cstring>

#include <gtest/gtest.h>

namespace crawlsieve::extract {
namespace {

constexpr std::size_t kMiB = 1 << 20;

TEST(ParseArena, HandsOutAlignedBlocksThatDoNotOverlap) {
  ParseArena arena(2 * kMiB);
  char* previous_end = nullptr;
  for (std::size_t size = 0; size < 100; ++size) {
    char* const block = static_cast<char*>(arena.Allocate(size));
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 8, 0U);
    EXPECT_GE(block, previous_end);
    std::memset(block, 0xAB, size);
    previous_end = block + size;
  }
}

TEST(ParseArena, IsFullAtItsCapacity) {
  ParseArena arena(2 * kMiB);
  EXPECT_EQ(arena.Allocate(2 * kMiB + 1), nullptr);
  EXPECT_NE(arena.Allocate(2 * kMiB), nullptr);
  EXPECT_EQ(arena.Allocate(1), nullptr);
  EXPECT_EQ(arena.Allocate(SIZE_MAX), nullptr);
  arena.Reset();
  EXPECT_NE(arena.Allocate(1), nullptr);
}

TEST(ParseArena, TakesBackTheLastBlockOnly) {
  ParseArena arena(2 * kMiB);
  void* const first = arena.Allocate(10);
  void* const second = arena.Allocate(10);
  arena.Free(first);
  arena.Free(nullptr);
  void* const third = arena.Allocate(10);
  EXPECT_NE(third, first);
  arena.Free(third);
  arena.Free(second);
  EXPECT_EQ(arena.Allocate(10), third);
}

TEST(ParseArena, GivesBackWhatAnOrdinaryPageDoesNotNeed) {
  ParseArena arena(128 * kMiB);
  auto* const block = static_cast<unsigned char*>(arena.Allocate(100 * kMiB));
  std::memset(block, 0xAB, 100 * kMiB);
  arena.Reset();
  ASSERT_EQ(arena.Allocate(100 * kMiB), block);
  // Memory that was given back reads as zeros.
  EXPECT_EQ(block[0], 0xAB);
  EXPECT_EQ(block[64 * kMiB], 0);
  EXPECT_EQ(block[100 * kMiB - 1], 0);
}

TEST(ParseArena, GivesBackWhatWasFreedBeforeTheReset) {
  ParseArena arena(128 * kMiB);
  void* const block = arena.Allocate(100 * kMiB);
  std::memset(block, 0xAB, 100 * kMiB);
  arena.Free(block);
  arena.Reset();
  EXPECT_EQ(static_cast<unsigned char*>(arena.Allocate(100 * kMiB))[64 * kMiB], 0);
}

}  // namespace
}  // namespace crawlsieve::extract

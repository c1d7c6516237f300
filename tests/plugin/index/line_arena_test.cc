#include "plugin/index/line_arena.h"

#include <algorithm>
#include <map>
#include <random>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

bool IsZero(const Line* run, int order) {
  return std::all_of(run, run + (std::size_t{1} << order), [](const Line& line) {
    return std::ranges::all_of(line.words, [](std::uint32_t word) { return word == 0; });
  });
}

TEST(LineArena, RunsAreZeroedAlignedAndApart) {
  LineArena arena;
  std::mt19937 random(1);
  std::map<Line*, int> runs;
  for (int step = 0; step < 3'000; ++step) {
    if (runs.size() < 20 || random() % 2 == 0) {
      const int order = static_cast<int>(random() % 12);
      Line* run = arena.Allocate(order);
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(run) % kLineBytes, 0u);
      ASSERT_TRUE(IsZero(run, order));
      const auto after = runs.lower_bound(run);
      if (after != runs.end()) {
        ASSERT_LE(run + (std::size_t{1} << order), after->first);
      }
      if (after != runs.begin()) {
        const auto before = std::prev(after);
        ASSERT_LE(before->first + (std::size_t{1} << before->second), run);
      }
      std::for_each(run, run + (std::size_t{1} << order), [](Line& line) { line.words.fill(~0u); });
      runs[run] = order;
    } else {
      const auto victim = std::next(runs.begin(), static_cast<long>(random() % runs.size()));
      arena.Free(victim->first, victim->second);
      runs.erase(victim);
    }
  }
}

TEST(LineArena, GivenBackMemoryIsUsedAgain) {
  LineArena arena;
  for (int round = 0; round < 50; ++round) {
    std::vector<Line*> runs;
    for (int i = 0; i < 512; ++i) runs.push_back(arena.Allocate(6));
    for (Line* run : runs) arena.Free(run, 6);
    arena.Free(arena.Allocate(15), 15);  // all of them together again
  }
  EXPECT_EQ(arena.bytes(), std::uint64_t{512} * 64 * kLineBytes);
}

TEST(LineArena, GivesLargeRunsBackToTheSystem) {
  LineArena arena;
  Line* run = arena.Allocate(17);
  EXPECT_TRUE(IsZero(run, 17));
  EXPECT_EQ(arena.bytes(), std::uint64_t{kLineBytes} << 17);
  arena.Free(run, 17);
  EXPECT_EQ(arena.bytes(), 0u);
}

}  // namespace
}  // namespace crawlsieve

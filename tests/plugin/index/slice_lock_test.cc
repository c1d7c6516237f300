#include "plugin/index/slice_lock.h"

#include <array>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

// Plain numbers that only the lock protects: a lost update shows in the sums, and any access that
// the lock fails to order is a race for the thread sanitizer.
TEST(SliceLock, WritersExcludeEachOtherAndReadersOnCommonSlices) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 5'000;
  SliceLock lock;
  std::array<std::uint64_t, 64> a{};
  std::array<std::uint64_t, 64> b{};
  std::atomic<std::uint64_t> written = 0;
  std::atomic<int> torn = 0;
  const auto work = [&](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (int round = 0; round < kRounds; ++round) {
      const SliceLock::Set set = (random() & random() & random()) | std::uint64_t{1}
                                                                        << random() % 64;
      if (round % 2 == 0) {
        const UniqueSliceLock held(lock, set);
        for (std::size_t i = 0; i < 64; ++i) {
          if ((set >> i & 1) == 0) continue;
          ++a[i];
          ++b[i];
          ++written;
        }
      } else {
        const SharedSliceLock held(lock, set);
        for (std::size_t i = 0; i < 64; ++i) {
          if ((set >> i & 1) != 0 && a[i] != b[i]) ++torn;
        }
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t count : a) sum += count;
  EXPECT_EQ(sum, written);
  EXPECT_EQ(a, b);
  EXPECT_EQ(torn, 0);
}

TEST(SliceLock, ReadersOfTheSameSliceReadSideBySide) {
  SliceLock lock;
  const SharedSliceLock first(lock, 0b11);
  std::jthread([&] { const SharedSliceLock second(lock, 0b10); }).join();  // would hang otherwise
}

TEST(SliceLock, WritersOfOtherSlicesDoNotWait) {
  SliceLock lock;
  const SharedSliceLock reading(lock, 0b001);
  const UniqueSliceLock writing(lock, 0b010);
  std::jthread([&] { const UniqueSliceLock other(lock, 0b100); }).join();
}

}  // namespace
}  // namespace crawlsieve

#include "plugin/base/on_threads.h"

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

TEST(OnThreads, DoesEachPartOnceAndWaitsForAll) {
  for (const std::size_t parts : {0U, 1U, 2U, 9U}) {
    std::vector<std::atomic<int>> done(parts);
    OnThreads(parts, [&done](std::size_t part) { ++done[part]; });
    for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1);
  }
}

TEST(OnThreads, TheCallerIsOneOfThem) {
  std::thread::id first;
  OnThreads(3, [&first](std::size_t part) {
    if (part == 0) first = std::this_thread::get_id();
  });
  EXPECT_EQ(first, std::this_thread::get_id());
}

}  // namespace
}  // namespace crawlsieve

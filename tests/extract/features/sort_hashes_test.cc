#include "extract/features/sort_hashes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve::extract {
namespace {

TEST(SortByHash, SortsAsStdSortDoesHoweverHashesAreSpread) {
  constexpr unsigned kSeed = 5;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  std::vector<std::uint64_t> scratch;
  for (const std::size_t size : {0, 1, 2, 63, 64, 65, 1000, 50'000}) {
    for (const std::uint64_t mask :
         {~std::uint64_t{0}, std::uint64_t{0xFF}, std::uint64_t{7} << 61, std::uint64_t{0}}) {
      std::vector<std::uint64_t> hashes(size);
      for (std::uint64_t& hash : hashes) hash = random() & mask;
      std::vector<std::uint64_t> expected = hashes;
      std::sort(expected.begin(), expected.end());
      SortByHash(hashes, scratch, [](std::uint64_t hash) { return hash; });
      ASSERT_EQ(hashes, expected) << size << " " << mask;
    }
  }
}

}  // namespace
}  // namespace crawlsieve::extract

#include "plugin/schedule/path_pattern.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace crawlsieve::schedule {
namespace {

TEST(PathPattern, KeepsTwoSegmentsWithoutDigitsAndTheNamesOfParameters) {
  EXPECT_EQ(PathPattern("https://e/"), "/");
  EXPECT_EQ(PathPattern("https://e"), "/");
  EXPECT_EQ(PathPattern("https://e/wiki/Page"), "/wiki/Page");
  EXPECT_EQ(PathPattern("https://e/wiki/a/b/c"), "/wiki/a/*");
  EXPECT_EQ(PathPattern("https://e/wiki/a/"), "/wiki/a/*");
  EXPECT_EQ(PathPattern("https://e/2024/05/a/b?page=2&id=7"), "/N/N/*?id&page");
  EXPECT_EQ(PathPattern("https://e/item12x3.html"), "/itemNxN.html");
  EXPECT_EQ(PathPattern("https://e/a?z=1&b&z=2&=&&p9=1"), "/a?&b&pN&z");
  EXPECT_EQ(PathPattern("https://e?p=5"), "/?p");
  EXPECT_EQ(PathPattern("https://e/a#b/c/d"), "/a");
}

TEST(PathPattern, IsTheSameForPagesThatASiteMakesInOneWay) {
  EXPECT_EQ(PathPattern("https://e/shop/item-17?sort=up&page=3"),
            PathPattern("https://e/shop/item-4711?page=12&sort=down"));
  EXPECT_NE(PathPattern("https://e/shop/item-17"), PathPattern("https://e/shop/item-17?print=1"));
}

TEST(PathPattern, IsShortForAnyBytes) {
  std::mt19937_64 random(9);
  for (int i = 0; i < 2'000; ++i) {
    std::string url = "https://e/";
    for (std::uint64_t n = random() % 2'000; n > 0; --n) {
      constexpr char kBytes[] = "/?&=#%1a:\0\xff";
      url.push_back(kBytes[random() % (sizeof kBytes - 1)]);
    }
    EXPECT_LE(PathPattern(url).size(), kMaxPatternBytes);
  }
  EXPECT_LE(PathPattern(std::string(65'536, '/')).size(), kMaxPatternBytes);
  EXPECT_EQ(PathPattern(""), "/");
  EXPECT_EQ(PathPattern("mailto:a"), "/mailto:a");
}

}  // namespace
}  // namespace crawlsieve::schedule

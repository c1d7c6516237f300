#include "plugin/index/distribution.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

TEST(Distribution, CountsLeadingDifferencesIntervalsAndBuckets) {
  // 0 and 1 first differ in the last bit, 1 and 2^63 in the first; equal ones count once.
  const std::uint64_t top = std::uint64_t{1} << 63;
  const std::vector<IndexEntry> entries{{{0}, {1}}, {{1}, {2}}, {{top}, {3}}, {{top}, {4}}};
  Distribution distribution(16);  // four buckets
  distribution.Add(std::span(entries).first(1));
  distribution.Add(std::span(entries).subspan(1));
  EXPECT_EQ(distribution.fingerprints(), 3u);
  EXPECT_EQ(distribution.leading_differences()[63], 1u);
  EXPECT_EQ(distribution.leading_differences()[0], 1u);
  EXPECT_EQ(distribution.intervals()[0], 2u);
  EXPECT_EQ(distribution.intervals()[64], 1u);
  const Distribution::Occupancy occupancy = distribution.occupancy();
  EXPECT_EQ(occupancy.buckets, 4u);
  EXPECT_EQ(occupancy.fullest, 2u);
  EXPECT_EQ(occupancy.with[0], 2u);
  EXPECT_EQ(occupancy.with[1], 1u);
  EXPECT_EQ(occupancy.with[2], 1u);
}

TEST(Distribution, OfRandomFingerprintsIsEven) {
  std::mt19937_64 random(8);
  std::vector<IndexEntry> entries(1 << 16);
  for (IndexEntry& entry : entries) entry.fingerprint.bits = random();
  std::ranges::sort(entries);
  Distribution distribution(entries.size());
  distribution.Add(entries);
  for (const std::uint64_t interval : distribution.intervals())
    EXPECT_NEAR(static_cast<double>(interval), 512, 150);
  const auto& differences = distribution.leading_differences();
  // Half of all neighbours or more differ first in the bits that 2^16 numbers need.
  EXPECT_GT(std::accumulate(differences.begin() + 12, differences.begin() + 20, 0ull), 50'000u);
  EXPECT_EQ(std::accumulate(differences.begin(), differences.end(), 0ull), entries.size() - 1);
}

TEST(BarChartSvg, HasABarForEachValue) {
  const std::vector<std::uint64_t> values{1, 0, 4};
  const std::string svg = BarChartSvg("title", "axis", values);
  std::size_t bars = 0;
  for (std::size_t at = svg.find("<rect"); at != std::string::npos;
       at = svg.find("<rect", at + 1)) {
    ++bars;
  }
  EXPECT_EQ(bars, 3u);
  EXPECT_NE(svg.find("height=\"240\" fill"), std::string::npos);
  EXPECT_NE(svg.find("2: 4"), std::string::npos);
  EXPECT_NE(BarChartSvg("none", "", {}).find("</svg>"), std::string::npos);
}

}  // namespace
}  // namespace crawlsieve

#include "plugin/site/latest_pages.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

namespace crawlsieve::site {
namespace {

constexpr std::uint64_t kStart = 1'700'000'000;

PageObservation PageOf(std::string_view url, std::uint64_t i) {
  PageObservation page;
  page.url = url;
  page.time = kStart + i;
  page.novelty = i % 3 == 0 ? kWhole : static_cast<Share>(i % 7) * 1000;
  page.content = i / 2;
  page.simhash = i * 0x9e3779b97f4a7c15;
  page.first_fetch = i % 5 != 0;
  page.answer = i % 11 == 0 ? Answer::kError : Answer::kContent;
  return page;
}

std::string UrlOf(std::uint64_t i) {
  return "http://e.org/a" + std::to_string(i % 4) + "/" + std::to_string(i / 2) +
         "?v=" + std::to_string(i % 9);
}

/// As a fold does with a full row.
void Move(LatestPages& latest, Site& site) {
  ASSERT_TRUE(latest.AddTo(site).has_value());
  latest.Clear();
}

std::string BytesOf(LatestPages latest) { return std::move(latest).Encode(); }

TEST(LatestPages, ASiteThatTakesThemIsTheSiteThatTookEachPage) {
  Site each;
  Site moved;
  std::string row;
  for (std::uint64_t i = 0; i < 500; ++i) {
    const std::string url = UrlOf(i);
    const std::string target = "http://e.org/a" + std::to_string(i % 4);
    PageObservation page = PageOf(url, i);
    if (i % 6 == 0) page.stands_for = target;
    each.AddPage(page);
    LatestPages latest = LatestPages::Decode(std::move(row));
    latest.Add(page);
    if (latest.is_full()) Move(latest, moved);
    row = std::move(latest).Encode();
  }
  const LatestPages latest = LatestPages::Decode(row);
  EXPECT_GT(latest.size(), 0U);
  EXPECT_NE(moved.Encode(), each.Encode());
  ASSERT_TRUE(latest.AddTo(moved).has_value());
  EXPECT_EQ(moved.Encode(), each.Encode());
}

TEST(LatestPages, OfASiteWithOnePageTakeLessThan100Bytes) {
  LatestPages latest;
  latest.Add(PageOf("http://a-rather-long-name.example/docs/a-page-of-some-name.html", 1));
  EXPECT_LE(BytesOf(latest).size(), 100U);
}

TEST(LatestPages, StayWithinTheirBoundWhateverTheUrls) {
  const std::string huge = "http://e.org/" + std::string(65'536, 'a');
  const std::string target = "http://e.org/" + std::string(65'536, 'b');
  LatestPages latest;
  std::size_t most = 0;
  Site site;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const std::string small = UrlOf(i);
    PageObservation page = PageOf(i % 10 == 9 ? std::string_view(huge) : small, i);
    if (i % 10 == 9) page.stands_for = target;
    latest.Add(page);
    most = std::max(most, BytesOf(latest).size());
    if (latest.is_full()) Move(latest, site);
  }
  EXPECT_LE(most, LatestPages::kMaxEncodedBytes);
  EXPECT_GT(most, LatestPages::kFullBytes);
  EXPECT_LE(site.Encode().size() + most, 64U * 1024);
}

TEST(LatestPages, RefuseEveryCutOfTheirBytes) {
  LatestPages latest;
  for (std::uint64_t i = 0; i < 5; ++i) latest.Add(PageOf("http://e.org/a", i));
  const std::string bytes = BytesOf(latest);
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    Site site;
    const auto added = LatestPages::Decode(bytes.substr(0, size)).AddTo(site);
    ASSERT_FALSE(added.has_value()) << size;
    EXPECT_EQ(added.error().code, ErrorCode::kCorruption);
  }
  Site site;
  EXPECT_FALSE(LatestPages::Decode(bytes + "x").AddTo(site).has_value());
}

TEST(LatestPages, NeverFailOnDamagedBytes) {
  LatestPages latest;
  for (std::uint64_t i = 0; i < 5; ++i) latest.Add(PageOf("http://e.org/a?b=1", i));
  const std::string bytes = BytesOf(latest);
  int refused = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x81);
    Site site;
    refused += LatestPages::Decode(std::move(damaged)).AddTo(site).has_value() ? 0 : 1;
    EXPECT_LE(site.Encode().size(), Site::kMaxEncodedBytes);
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace crawlsieve::site

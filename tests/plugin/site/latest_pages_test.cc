#include "plugin/site/latest_pages.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

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

TEST(LatestPages, ASiteThatTakesThemIsTheSiteThatTookEachPage) {
  Site each;
  Site moved;
  std::string row = LatestPages().Encode();
  for (std::uint64_t i = 0; i < 500; ++i) {
    const std::string url = UrlOf(i);
    const std::string target = "http://e.org/a" + std::to_string(i % 4);
    PageObservation page = PageOf(url, i);
    if (i % 6 == 0) page.stands_for = target;
    each.AddPage(page);
    LatestPages latest = LatestPages::Decode(row).value();
    latest.Add(page);
    if (latest.is_full()) latest.MoveTo(moved);
    row = latest.Encode();
  }
  LatestPages latest = LatestPages::Decode(row).value();
  EXPECT_GT(latest.size(), 0U);
  EXPECT_NE(moved.Encode(), each.Encode());
  latest.AddTo(moved);
  EXPECT_EQ(moved.Encode(), each.Encode());
}

TEST(LatestPages, OfASiteWithOnePageTakeLessThan100Bytes) {
  LatestPages latest;
  latest.Add(PageOf("http://a-rather-long-name.example/docs/a-page-of-some-name.html", 1));
  EXPECT_LE(latest.Encode().size(), 100U);
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
    most = std::max(most, latest.Encode().size());
    if (latest.is_full()) latest.MoveTo(site);
  }
  EXPECT_LE(most, LatestPages::kMaxEncodedBytes);
  EXPECT_GT(most, LatestPages::kFullBytes);
  EXPECT_LE(site.Encode().size() + most, 64U * 1024);
}

TEST(LatestPages, RefuseEveryCutOfTheirBytes) {
  LatestPages latest;
  for (std::uint64_t i = 0; i < 5; ++i) latest.Add(PageOf("http://e.org/a", i));
  const std::string bytes = latest.Encode();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto decoded = LatestPages::Decode(std::string_view(bytes).substr(0, size));
    ASSERT_FALSE(decoded.has_value()) << size;
    EXPECT_EQ(decoded.error().code, ErrorCode::kCorruption);
  }
  EXPECT_FALSE(LatestPages::Decode(bytes + "x").has_value());
}

TEST(LatestPages, NeverFailOnDamagedBytes) {
  LatestPages latest;
  for (std::uint64_t i = 0; i < 5; ++i) latest.Add(PageOf("http://e.org/a?b=1", i));
  const std::string bytes = latest.Encode();
  int refused = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x81);
    auto decoded = LatestPages::Decode(damaged);
    refused += decoded.has_value() ? 0 : 1;
    if (!decoded) continue;
    Site site;
    decoded->MoveTo(site);
    EXPECT_LE(site.Encode().size(), Site::kMaxEncodedBytes);
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace crawlsieve::site

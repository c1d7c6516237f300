#include "plugin/site/latest_pages.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve::site {
namespace {

constexpr std::uint64_t kStart = 1'700'000'000;

constexpr std::string_view kHost = "e.org";

PageObservation PageOf(std::string_view url, std::uint64_t i) {
  PageObservation page;
  page.url = url;
  page.time = kStart + i * kHalfLifeSeconds / 100;
  page.novelty = i % 3 == 0 ? kWhole : static_cast<Share>(i % 7) * 1000;
  page.content = MarkOf(i / 2);
  page.simhash = i * 0x9e3779b97f4a7c15;
  if (i % 4 == 1) page.simhash_outside_forms = i % 8 == 1 ? 1 : ~page.simhash;
  page.title = static_cast<std::uint32_t>(i % kTitles);
  page.first_fetch = i % 5 != 0;
  page.answer = i % 11 == 0 ? Answer::kError : Answer::kContent;
  page.is_short = i % 13 == 0;
  page.has_known_words = i % 17 == 0;
  return page;
}

std::string UrlOf(std::uint64_t i) {
  return std::string(i % 7 == 0 ? "https" : "http") + "://e.org/a" + std::to_string(i % 4) + "/" +
         std::to_string(i / 2) + "?v=" + std::to_string(i % 9);
}

/// Whether the site took the pages.
bool Take(std::string_view pages, Site& site, std::string_view host = kHost) {
  std::vector<Brought> brought;
  const auto taken = AddPages(host, pages, site, brought);
  EXPECT_TRUE(taken.has_value()) << taken.error().message;
  return taken.has_value();
}

TEST(LatestPages, ASiteThatTakesThemIsTheSiteThatTookEachPage) {
  Site each;
  Site moved;
  std::string latest;
  const auto take = [&] {
    EXPECT_TRUE(Take(latest, moved));
    latest.clear();
  };
  for (std::uint64_t i = 0; i < 500; ++i) {
    const std::string url = UrlOf(i);
    const std::string target =
        (i % 12 == 0 ? "http://other.example/" : "http://e.org/a") + std::to_string(i % 4);
    PageObservation page = PageOf(url, i);
    if (i % 6 == 0) page.stands_for = target;
    page.is_alias = i % 24 == 0;
    each.AddPage(page);
    latest += EncodePage(kHost, page);
    if (i % 40 == 39) take();
  }
  EXPECT_FALSE(latest.empty());
  EXPECT_TRUE(each.patterns().has_aliases());
  EXPECT_NE(moved.Encode(), each.Encode());
  take();
  EXPECT_EQ(moved.Encode(), each.Encode());
}

TEST(LatestPages, HaveTheUrlWhateverTheNameOfTheirHost) {
  for (const char* url :
       {"http://e.org/a", "https://e.org/a", "http://e.org:8080/a", "http://e.org",
        "http://e.organic/a", "http://www.e.org/a", "ftp://e.org/a", "e.org"}) {
    for (const char* host : {"e.org", "www.e.org", "e.org:8080", ""}) {
      Site expected;
      PageObservation page = PageOf(url, 3);
      page.stands_for = url;
      expected.AddPage(page);
      Site site;
      ASSERT_TRUE(Take(EncodePage(host, page), site, host));
      EXPECT_EQ(site.Encode(), expected.Encode()) << url << " of " << host;
    }
  }
}

TEST(LatestPages, OfAShortUrlTakeLessThan60Bytes) {
  const PageObservation page = PageOf("http://e.org/docs/a-page-of-some-name.html", 1);
  EXPECT_LT(EncodePage(kHost, page).size(), 60U);
}

TEST(LatestPages, StayWithinTheirBoundWhateverTheUrls) {
  const std::string huge = "http://e.org/" + std::string(65'536, 'a');
  const std::string target = "http://e.org/" + std::string(65'536, 'b');
  for (const std::string_view url : {std::string_view(huge), std::string_view("http://e.org/a")}) {
    PageObservation page = PageOf(url, 1);
    page.stands_for = target;
    const std::string row = EncodePage(kHost, page);
    EXPECT_LE(row.size(), kMaxPageBytes);
    EXPECT_GT(row.size(), kMaxUrlBytes - 64);
    Site site;
    EXPECT_TRUE(Take(row, site));
  }
}

TEST(LatestPages, OfALongUrlAndItsTargetASiteSeesTheSame) {
  for (const std::size_t size : {500U, 1'000U, 1'100U, 2'000U, 2'100U}) {
    const std::string target = "http://e.org/" + std::string(size, 'a');
    const std::string url = target + "?session=1";
    PageObservation page = PageOf(url, 1);
    page.stands_for = target;
    Site each;
    each.AddPage(page);
    Site taken;
    ASSERT_TRUE(Take(EncodePage(kHost, page), taken));
    EXPECT_EQ(taken.Encode(), each.Encode()) << size;
  }
}

TEST(LatestPages, AnAliasWhoseTargetHasNoRoomIsNoneEitherWay) {
  const std::string url = "http://e.org/story?x=" + std::string(3000, 'x');
  PageObservation page = PageOf(url, 1);
  page.first_fetch = true;
  page.answer = Answer::kContent;
  page.stands_for = "http://e.org/story/1";
  page.is_alias = true;
  Site each;
  each.AddPage(page);
  Site moved;
  ASSERT_TRUE(Take(EncodePage(kHost, page), moved));
  EXPECT_EQ(moved.Encode(), each.Encode());
  EXPECT_FALSE(each.patterns().has_aliases());
}

TEST(LatestPages, AreFullByNumberOrByBytes) {
  for (const auto layout : {LatestLayout::kInHost, LatestLayout::kParts, LatestLayout::kPages}) {
    const std::size_t most = layout == LatestLayout::kPages ? 32 : 16;
    EXPECT_TRUE((LatestPages{most - 1, 2048}.HaveRoomFor(kMaxPageBytes, layout)));
    EXPECT_FALSE((LatestPages{most, 1000}.HaveRoomFor(1, layout)));
    EXPECT_FALSE((LatestPages{1, 2049}.HaveRoomFor(1, layout)));
    EXPECT_TRUE(LatestPages().HaveRoomFor(kMaxPageBytes, layout));
  }
}

TEST(LatestPages, AreExpectedToHaveAboutTheBytesThatTheyHave) {
  for (const std::uint64_t i : {1U, 2U, 3U, 21U}) {
    const std::string url = UrlOf(i);
    PageObservation page = PageOf(url, i);
    for (const std::string_view target : {"", "http://e.org/some/other/page.html"}) {
      page.stands_for = target;
      const std::size_t expected = ExpectedPageBytes(kHost, url, target);
      EXPECT_LE(EncodePage(kHost, page).size(), expected + 12) << i;
      EXPECT_GE(EncodePage(kHost, page).size() + 12, expected) << i;
    }
  }
  EXPECT_EQ(ExpectedPageBytes(kHost, std::string(9'000, 'a'), ""), kMaxPageBytes);
  EXPECT_LT(ExpectedPageBytes(kHost, "", ""), 64U);
}

TEST(LatestPages, WhereThereAreMoreThePageItselfMustFit) {
  constexpr auto kLayout = LatestLayout::kMorePages;
  EXPECT_TRUE((LatestPages{63, 3000}.HaveRoomFor(584, kLayout)));
  EXPECT_FALSE((LatestPages{63, 3000}.HaveRoomFor(585, kLayout)));
  EXPECT_FALSE((LatestPages{64, 3000}.HaveRoomFor(1, kLayout)));
  EXPECT_TRUE(LatestPages().HaveRoomFor(kMaxPageBytes, kLayout));
  // As rules of before may have left them.
  EXPECT_FALSE((LatestPages{32, 2048 + kMaxPageBytes}.HaveRoomFor(1, kLayout)));
}

TEST(LatestPages, RefuseEveryCutOfTheirBytes) {
  PageObservation page = PageOf("http://e.org/a", 4);
  page.stands_for = "http://e.org/b";
  const std::string bytes = EncodePage(kHost, page);
  Site site;
  std::vector<Brought> brought;
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    const auto added = AddPages(kHost, bytes.substr(0, size), site, brought);
    ASSERT_FALSE(added.has_value()) << size;
    EXPECT_EQ(added.error().code, ErrorCode::kCorruption);
  }
  EXPECT_EQ(site.Encode(), Site().Encode());
  EXPECT_FALSE(AddPages(kHost, bytes + "x", site, brought).has_value());
  site = Site();
  EXPECT_TRUE(AddPages(kHost, "", site, brought).has_value());
  EXPECT_EQ(site.Encode(), Site().Encode());
}

TEST(LatestPages, NeverFailOnDamagedBytes) {
  const std::string bytes = EncodePage(kHost, PageOf("http://e.org/a?b=1", 4));
  int refused = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ 1 << bit);
      Site site;
      std::vector<Brought> brought;
      refused += AddPages(kHost, damaged, site, brought).has_value() ? 0 : 1;
      EXPECT_LE(site.Encode().size(), Site::kMaxEncodedBytes);
    }
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace crawlsieve::site

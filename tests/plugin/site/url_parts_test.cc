#include "plugin/site/url_parts.h"

#include "plugin/site/url_patterns.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace crawlsieve::site {
namespace {

/// What is left of `url` without the part of this kind and name; "none" where there is no such
/// part.
std::string Without(std::string_view url, PartKind kind, std::string_view name = {}) {
  std::string without = "none";
  ForEachPartThatMayNotMatter(url, PartsOf(url), [&](const Part& part) {
    if (without == "none" && part.kind == kind && part.name == name) without = part.without;
  });
  return without;
}

std::size_t CountParts(std::string_view url) {
  std::size_t count = 0;
  ForEachPartThatMayNotMatter(url, PartsOf(url), [&](const Part&) { ++count; });
  return count;
}

TEST(UrlParts, OfAnUrlAreViewsIntoIt) {
  const UrlParts parts =
      PartsOf(std::string_view("https://user@www.e.org:8080/a/b.html?x=1&y&=2#z"));
  EXPECT_EQ(parts.scheme, "https");
  EXPECT_EQ(parts.host, "www.e.org:8080");
  EXPECT_EQ(parts.path, "/a/b.html");
  EXPECT_EQ(parts.segments, (std::vector<std::string_view>{"a", "b.html"}));
  ASSERT_EQ(parts.parameters.size(), 3U);
  EXPECT_EQ(parts.parameters[0].value(), "1");
  EXPECT_EQ(parts.parameters[1].value(), "");
  EXPECT_EQ(parts.parameters[1].name, "y");
  EXPECT_EQ(parts.parameters[2].name, "");
}

TEST(UrlParts, OfAnyTextAreBounded) {
  for (const std::string& text :
       {std::string(), std::string("?"), std::string("://"), std::string("data:x"),
        std::string(100'000, '/'), std::string(100'000, '&'),
        "https://h/?" + std::string(9'999, '&'), std::string("http://h"),
        std::string("\xff\x00?", 3)}) {
    const UrlParts parts = PartsOf(std::string_view(text));
    EXPECT_LE(parts.segments.size(), UrlParts::kMaxSegments);
    EXPECT_LE(parts.parameters.size(), UrlParts::kMaxParameters);
    EXPECT_LE(CountParts(text), 200U);
  }
}

TEST(SiteOf, IsTheHostWithoutWww) {
  EXPECT_EQ(SiteOf("https://www.e.org/x"), "e.org");
  EXPECT_EQ(SiteOf("http://e.org"), "e.org");
  EXPECT_EQ(SiteOf("http://e.org:81/"), "e.org:81");
  EXPECT_EQ(SiteOf("http://shop.e.org/"), "shop.e.org");
  EXPECT_EQ(SiteOf("http://e.org?to=http://other.org/@x"), "e.org");
  EXPECT_EQ(SiteOf("http://e.org#/?@other.org"), "e.org");
  EXPECT_EQ(SiteOf("http://a@b@e.org/@other.org"), "e.org");
  // "org" isn't somebody's.
  EXPECT_EQ(SiteOf("http://www.org/"), "www.org");
}

TEST(PartsThatMayNotMatter, AreMaskedOneAtATime) {
  constexpr std::string_view kUrl = "http://www.e.org/a/2024/p.html;s=1?sid=9&x=2";
  EXPECT_EQ(Without(kUrl, PartKind::kParameter, "sid"), "http://www.e.org/a/2024/p.html;s=1?x=2");
  EXPECT_EQ(Without(kUrl, PartKind::kParameterValue, "x=2"),
            "http://www.e.org/a/2024/p.html;s=1?sid=9");
  EXPECT_EQ(Without(kUrl, PartKind::kPathParameter, "s"),
            "http://www.e.org/a/2024/p.html?sid=9&x=2");
  EXPECT_EQ(Without(kUrl, PartKind::kNumber, "1"), "http://www.e.org/a/0/p.html;s=1?sid=9&x=2");
  EXPECT_EQ(Without(kUrl, PartKind::kWww), "http://e.org/a/2024/p.html;s=1?sid=9&x=2");
  EXPECT_EQ(Without(kUrl, PartKind::kScheme), "");
}

TEST(PartsThatMayNotMatter, OfParametersAreTheFirstEight) {
  std::string url = "http://e.org/";
  for (int i = 0; i < 20; ++i) url += fmt::format("{}p{}=1", i == 0 ? '?' : '&', i);
  EXPECT_NE(Without(url, PartKind::kParameter, "p7"), "none");
  EXPECT_EQ(Without(url, PartKind::kParameter, "p8"), "none");
}

TEST(PartsThatMayNotMatter, OfWwwAloneLeaveNoHost) {
  EXPECT_EQ(Without("http://www./a", PartKind::kWww), "http:///a");
  EXPECT_EQ(Without("http://e.org/a", PartKind::kWww), "");
}

TEST(PartsThatMayNotMatter, TheLastParameterLeavesNoQuestionMark) {
  EXPECT_EQ(Without("http://e.org/a?x=1", PartKind::kParameter, "x"), "http://e.org/a");
  EXPECT_EQ(Without("http://e.org/a?x=1&x=2", PartKind::kParameter, "x"), "http://e.org/a");
}

TEST(PartsThatMayNotMatter, EndOfThePath) {
  EXPECT_EQ(Without("http://e.org/a/index.html?q=1", PartKind::kLastSegment, "index.html"),
            "http://e.org/a/?q=1");
  EXPECT_EQ(Without("http://e.org/a/?q=1", PartKind::kTrailingSlash), "http://e.org/a?q=1");
  EXPECT_EQ(Without("http://e.org/a", PartKind::kTrailingSlash), "");
  EXPECT_EQ(Without("http://e.org/", PartKind::kTrailingSlash), "none");
}

TEST(PartsThatMayNotMatter, OfLongUrlsAndNamesAreNotLookedAt) {
  const std::string long_url = "http://e.org/" + std::string(kMaxUrlBytes, 'a');
  EXPECT_EQ(CountParts(long_url), 0U);
  const std::string name(UrlParts::kMaxNameBytes + 1, 'n');
  EXPECT_EQ(Without("http://e.org/?" + name + "=1", PartKind::kParameter, name), "none");
}

UrlPatterns PatternsOf(const PatternMaker& maker, std::string_view url) {
  return maker.PatternsOf(PartsOf(url));
}

TEST(PatternMaker, ShapeAndPattern) {
  PatternMaker maker;
  const UrlPatterns patterns = PatternsOf(maker, "http://e.org/tag2/x/index.html?b=1&a=2&b=3");
  EXPECT_EQ(patterns.shape, "/*/*/*.html?a&b");
  EXPECT_EQ(patterns.pattern, "/tagN/*/*.html?a&b");
  EXPECT_EQ(PatternsOf(maker, "http://e.org/slug").pattern, "/*");
  EXPECT_EQ(PatternsOf(maker, "http://e.org/").pattern, "/");
  EXPECT_EQ(PatternsOf(maker, "http://e.org/tag/").pattern, "/tag/");
}

TEST(PatternMaker, TheFolderNamesAllSegmentsButTheLast) {
  PatternMaker maker;
  EXPECT_EQ(PatternsOf(maker, "http://e.org/doc/de/mod2/a.html?v=1").folder,
            "/doc/de/modN/*.html?v");
  EXPECT_EQ(PatternsOf(maker, "http://e.org/doc/de/").folder, "/doc/de/");
  // Pages of a listing, or versions, are apart from others.
  EXPECT_EQ(PatternsOf(maker, "http://e.org/doc/de/a-12.html?v=1").folder, "/doc/de/*N.html?v");
  EXPECT_EQ(PatternsOf(maker, "http://e.org/doc/de/7").folder, "/doc/de/*N");
  EXPECT_EQ(PatternsOf(maker, "http://e.org/doc/de/a7.html").pattern, "/doc/*/*.html");
  // There is no more of it than the pattern says.
  EXPECT_EQ(PatternsOf(maker, "http://e.org/doc/a.html").folder, "");
  EXPECT_EQ(PatternsOf(maker, "http://e.org/").folder, "");
  std::string deep = "http://e.org";
  for (int i = 0; i < 200; ++i) deep += "/folder";
  const std::string other = deep + "s/a";
  deep += "/a";
  EXPECT_LE(PatternsOf(maker, deep).folder.size(), PatternMaker::kMaxPatternBytes);
  EXPECT_EQ(PatternsOf(maker, deep).folder, PatternsOf(maker, other).folder)
      << "segments beyond those that are looked at";
}

TEST(PartsThatMayNotMatter, AValueMayBeTheNameOfAPage) {
  EXPECT_EQ(Without("http://e.org/w/i.php?title=A_b&v=1", PartKind::kPath, "title"),
            "http://e.org/w/A_b");
  EXPECT_EQ(Without("http://e.org/w/i.php?title=A_b&v=1", PartKind::kPath, "v"),
            "http://e.org/w/1");
  EXPECT_EQ(Without("http://e.org/i.php?title=", PartKind::kPath, "title"), "none");
  // It never becomes part of the host.
  EXPECT_EQ(Without("http://e.org?title=.example", PartKind::kPath, "title"), "none");
  EXPECT_EQ(Without("http://e.org/?title=//f.org/", PartKind::kPath, "title"),
            "http://e.org///f.org/");
}

TEST(PatternMaker, KeepsValuesOfParametersThatHaveFew) {
  PatternMaker maker;
  for (int i = 0; i < 20; ++i) {
    const std::string url = "http://e.org/i.php?title=" + std::to_string(i) +
                            "&action=" + std::string(1, static_cast<char>('a' + i % 3));
    maker.Note(PartsOf(std::string_view(url)));
  }
  EXPECT_EQ(PatternsOf(maker, "http://e.org/i.php?title=5&action=a").pattern,
            "/*.php?action=a&title");
  EXPECT_EQ(maker.epoch(), 1U);
}

TEST(PatternMaker, LongQueriesStayApartAndBounded) {
  PatternMaker maker;
  const std::string names(200, 'n');
  const auto a = PatternsOf(maker, "http://e.org/?" + names + "a=1").pattern;
  const auto b = PatternsOf(maker, "http://e.org/?" + names + "b=1").pattern;
  EXPECT_LE(a.size(), PatternMaker::kMaxPatternBytes);
  EXPECT_NE(a, b);
}

}  // namespace
}  // namespace crawlsieve::site

#include "plugin/verdict/item.h"

#include <cstdint>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve {
namespace {

constexpr auto kNone = ItemEvidence::kNone;
constexpr auto kSame = ItemEvidence::kSame;
constexpr auto kOther = ItemEvidence::kOther;

TEST(ItemName, IsTheLastSegmentWithTheQuery) {
  EXPECT_EQ(NameOf("https://a.example/x/page.html"), (ItemName{"page.html", ""}));
  EXPECT_EQ(NameOf("https://a.example/x/page.html?id=3#top"), (ItemName{"page.html", "?id=3"}));
  EXPECT_EQ(NameOf("https://a.example/x/topic/"), (ItemName{"topic", ""}));
  EXPECT_EQ(NameOf("https://a.example/x/page?from=/home"), (ItemName{"page", "?from=/home"}));
  EXPECT_EQ(NameOf("page.html"), (ItemName{"page.html", ""}));
}

TEST(ItemName, PassesIndexPagesOver) {
  EXPECT_EQ(NameOf("https://a.example/topic/index.html"), (ItemName{"topic", ""}));
  EXPECT_EQ(NameOf("https://a.example/topic/index"), (ItemName{"topic", ""}));
  EXPECT_EQ(NameOf("https://a.example/indexes/"), (ItemName{"indexes", ""}));
  EXPECT_EQ(NameOf("https://a.example/index.php?id=3"), (ItemName{"", "?id=3"}));
}

TEST(ItemName, IsUnknownWhereTheUrlNamesNothing) {
  for (const char* url : {"https://a.example", "https://a.example/", "https://a.example//",
                          "https://a.example/index.html", "", "#top", "://"}) {
    EXPECT_FALSE(NameOf(url).is_known()) << url;
  }
}

TEST(TitleClass, IsNeverTheUnknownOneForATitle) {
  EXPECT_EQ(TitleClass(0), 0U);
  for (std::uint64_t hash = 1; hash < 1000; ++hash) {
    EXPECT_GE(TitleClass(hash), 1U);
    EXPECT_LE(TitleClass(hash), kTitleClasses);
  }
  EXPECT_GE(TitleClass(~std::uint64_t{0}), 1U);
}

/// Two pages and what they say; 0 is an unknown title.
struct Case {
  std::string_view a;
  std::uint32_t a_title;
  std::string_view b;
  std::uint32_t b_title;
  ItemEvidence evidence;
};

const std::vector<Case> kCases = {
    // One URL says nothing, whatever the titles.
    {"https://a.example/x", 1, "https://a.example/x", 1, kNone},
    {"https://a.example/x", 1, "https://a.example/x", 2, kNone},
    // One name on two hosts: with one title, one item.
    {"https://a.example/x.html", 1, "https://b.example/mirror/x.html", 1, kSame},
    {"https://a.example/x.html", 1, "https://b.example/mirror/x.html", 2, kNone},
    {"https://a.example/x.html", 0, "https://b.example/x.html", 0, kNone},
    {"https://a.example/x.html", 1, "https://b.example/x.html", 0, kNone},
    {"https://a.example:81/x.html", 1, "https://a.example:82/dir/x.html", 1, kSame},
    // One name on one host: one item where the folders differ in versions, or not at all.
    {"https://a.example/1.2/x.html", 1, "https://a.example/1.10/x.html", 1, kSame},
    {"http://a.example/x.html", 1, "https://a.example/x.html", 1, kSame},
    {"https://a.example/v1/x.html", 1, "https://a.example/v1.2/x.html", 1, kNone},
    {"https://a.example/red/x.html", 1, "https://a.example/blue/x.html", 1, kNone},
    {"https://a.example/item/117/view", 1, "https://a.example/item/118/view", 1, kNone},
    {"https://a.example/item/9/view", 1, "https://a.example/item/118/view", 1, kNone},
    {"https://a.example/1/x.html", 1, "https://a.example/1/1/x.html", 1, kNone},
    // Other names on one host: two items, though the title be the same.
    {"https://a.example/x.html", 1, "https://a.example/y.html", 1, kOther},
    {"https://a.example/x.html", 0, "https://a.example/y.html", 0, kOther},
    {"https://a.example/part-1.html", 1, "https://a.example/part-2.html", 1, kOther},
    {"https://a.example/x?id=1", 1, "https://a.example/x?id=2", 1, kOther},
    // On two hosts names are of their own; titles still tell.
    {"https://a.example/x.html", 1, "https://b.example/y.html", 1, kNone},
    {"https://a.example/x.html", 0, "https://b.example/y.html", 1, kNone},
    {"https://a.example/x.html", 1, "https://b.example/y.html", 2, kOther},
    // Without a name, or a host, that one host has given, only titles tell.
    {"https://a.example/", 1, "https://b.example/", 1, kNone},
    {"https://a.example/", 1, "https://b.example/", 2, kOther},
    {"https://a.example/", 1, "https://a.example/x.html", 1, kNone},
    {"file:///a/x.html", 1, "file:///a/y.html", 1, kNone},
    {"file:///a/x.html", 1, "file:///b/x.html", 1, kSame},
    {"x.html", 1, "y.html", 1, kNone},
};

TEST(CompareItems, FollowsTheTable) {
  for (const Case& c : kCases) {
    const ItemTraits a{c.a, c.a_title};
    const ItemTraits b{c.b, c.b_title};
    EXPECT_EQ(CompareItems(a, b), c.evidence) << c.a << " " << c.a_title << " " << c.b;
    EXPECT_EQ(CompareItems(b, a), c.evidence) << "the other way round: " << c.a << " " << c.b;
  }
}

}  // namespace
}  // namespace crawlsieve

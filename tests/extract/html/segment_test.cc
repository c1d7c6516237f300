#include "extract/html/segment.h"

#include <string>

#include <gtest/gtest.h>

namespace crawlsieve::extract {
namespace {

TEST(HintsOfNames, ReadsPartsOfNames) {
  for (const char* names :
       {"nav", "site-nav", "NavBar menu", "main_navigation", "nav2", "mainNav"}) {
    EXPECT_EQ(HintsOfNames(names), kNavigationHint) << names;
  }
  for (const char* names : {"footer", "page--footer", "relatedPosts", "x cookie-banner y", "ad"}) {
    EXPECT_EQ(HintsOfNames(names), kBoilerplateHint) << names;
  }
  EXPECT_EQ(HintsOfNames("nav footer"), kNavigationHint | kBoilerplateHint);
}

TEST(HintsOfNames, TakesNoPartOfAWordForTheWord) {
  for (const char* names : {"", "header", "loading", "canvas", "commentary", "advertisements2x",
                            "MENUS", "a d", "shared-knowledge", "Nobanner", "\xC3\xA4"}) {
    EXPECT_EQ(HintsOfNames(names), kNoHints) << names;
  }
  EXPECT_EQ(HintsOfNames(std::string(100'000, 'a') + "nav"), kNoHints);
}

TEST(HintsOfAriaRole, KnowsLandmarks) {
  EXPECT_EQ(HintsOfAriaRole("navigation"), kNavigationHint);
  EXPECT_EQ(HintsOfAriaRole(" ContentInfo "), kBoilerplateHint);
  EXPECT_EQ(HintsOfAriaRole("main"), kMainHint);
  EXPECT_EQ(HintsOfAriaRole("article"), kNoHints);
  EXPECT_EQ(HintsOfAriaRole(std::string(1000, 'x')), kNoHints);
}

TEST(EstimateWords, CountsRunsBetweenSpaces) {
  EXPECT_EQ(EstimateWords(""), 0U);
  EXPECT_EQ(EstimateWords(" one  two\n-- three "), 4U);
  EXPECT_EQ(EstimateWords("größer Пример συν 한국어를 مرحبا"), 5U);
}

TEST(EstimateWords, CountsCodePointsWhereThereAreNoSpaces) {
  EXPECT_EQ(EstimateWords("我们在北京大学学习"), 5U);     // 9 code points
  EXPECT_EQ(EstimateWords("日本語の文章 カタカナ"), 5U);  // 10
  EXPECT_EQ(EstimateWords("ภาษาไทยไม่มีช่องว่าง"), 5U);       // 20
  EXPECT_EQ(EstimateWords("在 Debian 上"), 2U);
}

TEST(RoleName, DiffersForEachRole) {
  EXPECT_EQ(RoleName(Role::kTitle), "title");
  EXPECT_EQ(RoleName(Role::kAltText), "alt_text");
  EXPECT_EQ(static_cast<std::size_t>(kAllRoles.back()) + 1, kRoleCount);
}

}  // namespace
}  // namespace crawlsieve::extract

#include "extract/html/roles.h"

#include "extract/html/html_text.h"
#include "extract/html/visible_text.h"

#include <chrono>
#include <map>
#include <string>

#include <gtest/gtest.h>

namespace crawlsieve::extract {
namespace {

const std::string kParagraph =
    "<p>A crawl reads the same words again and again, and most of what it reads it has seen before "
    "on another page of another site.</p>";

/// Roles of the segments of a page, by their text.
std::map<std::string, Role, std::less<>> RolesOf(std::string_view html) {
  VisibleText text;
  EXPECT_EQ(MakeGumboParser({})->Parse(html, text), ParseEnd::kDone);
  text.Finish();
  std::map<std::string, Role, std::less<>> roles;
  for (const Segment& segment : text.segments()) {
    roles.emplace(text.TextOf(segment), segment.role);
  }
  return roles;
}

Role RoleOf(std::string_view text, std::string_view html) {
  const auto roles = RolesOf(html);
  const auto found = roles.find(text);
  EXPECT_NE(found, roles.end()) << text << " is no segment of " << html;
  return found == roles.end() ? Role::kTitle : found->second;
}

std::string Repeat(const std::string& text, int count) {
  std::string repeated;
  for (int i = 0; i < count; ++i) repeated += text;
  return repeated;
}

TEST(RoleFinder, FindsTheArticleOfAPage) {
  const std::string page =
      "<div><ul><li><a href=a>Start</a><li><a href=b>About us</a></ul></div><div id=wrap><h1>A "
      "headline</h1>" +
      Repeat(kParagraph, 4) +
      "<h2>Below it</h2><ul><li>short item<li>and <a href=c>another</a> with a link</ul><p><a "
      "href=d>Only a link</a></div><div>Company, Street 5</div>";
  EXPECT_EQ(RoleOf("Start", page), Role::kNavigation);
  EXPECT_EQ(RoleOf("About us", page), Role::kNavigation);
  EXPECT_EQ(RoleOf("A headline", page), Role::kHeading);
  EXPECT_EQ(RoleOf("Below it", page), Role::kHeading);
  EXPECT_EQ(RoleOf("short item", page), Role::kMain);
  EXPECT_EQ(RoleOf("and another with a link", page), Role::kMain);
  EXPECT_EQ(RoleOf("Only a link", page), Role::kLinkText);
  EXPECT_EQ(RoleOf("Company, Street 5", page), Role::kBoilerplate);
}

TEST(RoleFinder, BelievesNamesAndTagsOfSmallParts) {
  for (const char* part :
       {"<footer>here</footer>", "<aside>here</aside>", "<div class=related-posts>here</div>",
        "<div id=cookieBanner><p>here</div>", "<div role=dialog>here</div>",
        "<button>here</button>", "<section class='comments'><div><p>here</div></section>",
        "<form><p>here</p></form>"}) {
    EXPECT_EQ(RoleOf("here", "<div>" + Repeat(kParagraph, 3) + part + kParagraph + "</div>"),
              Role::kBoilerplate)
        << part;
  }
  for (const char* part : {"<nav>here</nav>", "<div class='breadcrumb'>here</div>"}) {
    EXPECT_EQ(RoleOf("here", "<div>" + Repeat(kParagraph, 3) + part + kParagraph + "</div>"),
              Role::kNavigation)
        << part;
  }
}

TEST(RoleFinder, DoesNotBelieveANameThatTakesMostOfThePageAway) {
  for (const char* around : {"<body class='no-sidebar'>", "<form>", "<div class=modal>"}) {
    const std::string page = around + Repeat(kParagraph, 4) + "<p>short";
    EXPECT_EQ(RoleOf("short", page), Role::kMain) << around;
  }
}

TEST(RoleFinder, TakesAllOfAPageOfShortLinesForMainText) {
  EXPECT_EQ(RoleOf("one", "<p>one<p>two<p>three"), Role::kMain);
  EXPECT_EQ(RoleOf("one", "one"), Role::kMain);
}

TEST(RoleFinder, SplitsTextAtBlocksButNotAtLines) {
  const auto roles = RolesOf("a<br>b <a href=x>c</a><p>d<div>e<span>f</span></div>g");
  EXPECT_EQ(roles.size(), 4U);
  for (const char* text : {"a b c", "d", "ef", "g"}) EXPECT_EQ(roles.count(text), 1U) << text;
}

TEST(RoleFinder, CountsLinksThatGoThroughBlocks) {
  const std::string page = "<div>" + Repeat(kParagraph, 4) +
                           "<a href=x><div>first block</div><div>second block</div></a>" +
                           "<p><a href=y>one</a> two <a href=z>three</a></div>";
  EXPECT_EQ(RoleOf("first block", page), Role::kLinkText);
  EXPECT_EQ(RoleOf("second block", page), Role::kLinkText);
  EXPECT_EQ(RoleOf("one two three", page), Role::kMain);
}

TEST(RoleFinder, TakesLinearTime) {
  // Many elements in a line, then in each other, text in each.
  Limits limits;
  limits.parse_time_base = std::chrono::minutes(1);  // the parser's own time is no matter here
  for (const std::string& page : {Repeat("<p>a", 200'000), Repeat("<div>a ", 50'000),
                                  Repeat("<div><a>x</a> y</div>", 100'000)}) {
    VisibleText text;
    ASSERT_EQ(MakeGumboParser(limits)->Parse(page, text), ParseEnd::kDone);
    text.Finish();
    EXPECT_GE(text.segments().size(), 50'000U);
  }
}

}  // namespace
}  // namespace crawlsieve::extract

#include "extract/html/inline_style.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace crawlsieve::extract {
namespace {

using Display = InlineStyle::Display;
using Visibility = InlineStyle::Visibility;

Display DisplayOf(std::string_view style) { return ReadInlineStyle(style).display; }
Visibility VisibilityOf(std::string_view style) { return ReadInlineStyle(style).visibility; }

TEST(InlineStyle, SaysNothingWithoutADeclaration) {
  for (const char* style : {"", ";;", ":", "display", "color:red", "x-display:none", "y",
                            "--display:none", "display none", "opacity:0;overflow-y:hidden"}) {
    EXPECT_EQ(ReadInlineStyle(style), InlineStyle{}) << style;
  }
}

TEST(InlineStyle, TakesTheLastValidDeclaration) {
  EXPECT_EQ(DisplayOf("display:none"), Display::kNone);
  EXPECT_EQ(DisplayOf("display:none;display:block"), Display::kShown);
  EXPECT_EQ(DisplayOf("display:block;DISPLAY : None ;"), Display::kNone);
  EXPECT_EQ(DisplayOf("display:none;display:bogus"), Display::kNone);
  EXPECT_EQ(DisplayOf("display:none;display:"), Display::kNone);
  EXPECT_EQ(DisplayOf("display:none;display:inline flow-root list-item"), Display::kShown);
  EXPECT_EQ(DisplayOf("display:none;display:block none"), Display::kNone);
  EXPECT_EQ(DisplayOf("display:none;display:revert"), Display::kUnsaid);
  EXPECT_EQ(DisplayOf("display:none;display:unset"), Display::kShown);
  EXPECT_EQ(DisplayOf("display:none;display:var(--x)"), Display::kShown);
  EXPECT_EQ(VisibilityOf("visibility:hidden;visibility:visible"), Visibility::kVisible);
  EXPECT_EQ(VisibilityOf("visibility:collapse"), Visibility::kHidden);
  EXPECT_EQ(VisibilityOf("visibility:hidden;visibility:none"), Visibility::kHidden);
  EXPECT_EQ(VisibilityOf("visibility:hidden;visibility:inherit"), Visibility::kUnsaid);
}

TEST(InlineStyle, PrefersWhatIsImportant) {
  EXPECT_EQ(DisplayOf("display:none !important;display:block"), Display::kNone);
  EXPECT_EQ(DisplayOf("display:none!IMPORTANT;display:block ! /**/ important"), Display::kShown);
  EXPECT_EQ(DisplayOf("display:block;display:none !importent"), Display::kShown);
  EXPECT_EQ(VisibilityOf("visibility:visible!important;visibility:hidden"), Visibility::kVisible);
}

TEST(InlineStyle, PassesOverComments) {
  EXPECT_EQ(DisplayOf("/*a*/display/*;*/:/*:*/none/*b"), Display::kNone);
  EXPECT_EQ(DisplayOf("/*display:none*/color:red"), Display::kUnsaid);
  EXPECT_EQ(DisplayOf("dis/**/play:none"), Display::kUnsaid);
  EXPECT_EQ(DisplayOf("display:no/**/ne"), Display::kUnsaid);
  EXPECT_EQ(DisplayOf("color:red/*;display:none"), Display::kUnsaid);
}

TEST(InlineStyle, SeesNoDeclarationInStringsAndBrackets) {
  EXPECT_EQ(DisplayOf("content:';display:none;'"), Display::kUnsaid);
  EXPECT_EQ(DisplayOf("content:\"\\\";display:none\""), Display::kUnsaid);
  EXPECT_EQ(DisplayOf("background:url(data:image/png;display:none)"), Display::kUnsaid);
  EXPECT_EQ(DisplayOf("background:url(a'b);display:none"), Display::kNone);
  EXPECT_EQ(DisplayOf("background:url( 'a)' );display:none"), Display::kNone);
  EXPECT_EQ(DisplayOf("width:calc((1px;display:none"), Display::kUnsaid);
  EXPECT_EQ(DisplayOf("x:(a]);display:none"), Display::kNone);
  EXPECT_EQ(DisplayOf("x:'a\n;display:none"), Display::kNone);
}

TEST(InlineStyle, DecodesEscapes) {
  EXPECT_EQ(DisplayOf("d\\69splay:none"), Display::kNone);
  EXPECT_EQ(DisplayOf("d\\000069 splay:n\\6Fne"), Display::kNone);
  EXPECT_EQ(DisplayOf("d\\isplay:\\none"), Display::kNone);
  EXPECT_EQ(DisplayOf("display\\3a none"), Display::kUnsaid);
  EXPECT_EQ(DisplayOf("display:none\\3b display:block"), Display::kUnsaid);
  EXPECT_EQ(DisplayOf("display:none;\\"), Display::kNone);
}

TEST(InlineStyle, ReadsAnyStartOfAStyle) {
  const std::string style =
      "a:'b\\'c';/*d*/background:url(x\\)y);e:calc((1px))!important;d\\69 splay:none";
  for (std::size_t size = 0; size <= style.size(); ++size) {
    // A copy of its own, so that reading behind its end is seen.
    const std::string start(style, 0, size);
    EXPECT_EQ(DisplayOf(start) == Display::kNone, size == style.size()) << start;
  }
}

TEST(InlineStyle, PassesOverDeclarationsLongerThanAnyValidOne) {
  const std::string space(100'000, ' ');
  EXPECT_EQ(DisplayOf("display:" + space + "none"), Display::kNone);
  EXPECT_EQ(DisplayOf("display:block " + std::string(100'000, 'x') + ";visibility:hidden"),
            Display::kUnsaid);
  EXPECT_EQ(DisplayOf("x:" + std::string(100'000, '(') + ";display:none"), Display::kUnsaid);
}

}  // namespace
}  // namespace crawlsieve::extract

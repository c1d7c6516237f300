#include "extract/html/html_text.h"

#include "extract/html/fast_parser.h"
#include "extract/html/visible_text.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace crawlsieve::extract {
namespace {

using MakeParser = std::unique_ptr<HtmlParser> (*)(const Limits& limits);

std::unique_ptr<HtmlParser> MakeGumbo(const Limits& limits) { return MakeGumboParser(limits); }
std::unique_ptr<HtmlParser> MakeFast(const Limits& limits) { return MakeFastParser(limits); }

/// Both parsers show the same of a page.
class HtmlParsers : public ::testing::TestWithParam<MakeParser> {};

/// The one that the test that runs is about.
MakeParser Maker() { return HtmlParsers::GetParam(); }

struct Parsed {
  std::string title;
  std::string body;
  std::string language;
  std::uint32_t length = 0;
};

Parsed Parse(std::string_view html) {
  VisibleText text;
  EXPECT_EQ(Maker()({})->Parse(html, text), ParseEnd::kDone) << html;
  return {std::string(text.title()), std::string(text.body()), text.language(), text.length()};
}

std::string Body(std::string_view html) { return Parse(html).body; }

TEST_P(HtmlParsers, DoesNotSplitWordsAtInlineElements) {
  EXPECT_EQ(Body("foo<b>bar</b>"), "foobar");
  EXPECT_EQ(Body("a<span>b<i>c</i></span>d<wbr>e<custom-tag>f</custom-tag>"), "abcdef");
  EXPECT_EQ(Body("H<sub>2</sub>O"), "H2O");
  EXPECT_EQ(Body("so<script>x</script>me<!-- c -->th<style>y</style>ing"), "something");
}

TEST_P(HtmlParsers, SplitsWordsAtBlocksAndLines) {
  EXPECT_EQ(Body("a<br>b<p>c</p>d<div>e</div>f<hr>g"), "a b c d e f g");
  EXPECT_EQ(Body("<ul><li>a<li>b</ul><table><tr><td>c<td>d</table>"), "a b c d");
  EXPECT_EQ(Body("a<div></div>b"), "a b");
  EXPECT_EQ(Body("<select><option>a<option>b</select>"), "a b");
}

TEST_P(HtmlParsers, SplitsWordsAtThingsShownInTheirPlace) {
  EXPECT_EQ(Body("a<img src=x>b<iframe>c</iframe>d<canvas>e</canvas>f"), "a b d f");
  EXPECT_EQ(Body("a<object data=x>b</object>c<video>d</video>e<embed>f"), "a c e f");
}

TEST_P(HtmlParsers, CollapsesWhiteSpace) {
  EXPECT_EQ(Body("  a \n\t b\r\n<b> c </b> d  <pre>e\n  f</pre> "), "a b c d e f");
}

TEST_P(HtmlParsers, DecodesCharacterReferences) {
  EXPECT_EQ(Body("&lt;b&gt; &amp;amp; &auml;&#x20AC;&nbsp;x &unknown;"),
            "<b> &amp; ä€\u00A0x &unknown;");
}

// Numbers of which 32 bits keep something that isn't above U+10FFFF: bytes without a code point.
TEST_P(HtmlParsers, ReplacesCharacterReferencesThatOverflow) {
  const Parsed parsed = Parse("<title>a&#x88888888;b</title>c&#4294967177;d<p>e&#xE4;f&#x110000;g");
  EXPECT_EQ(parsed.title, "a\uFFFDb");
  EXPECT_EQ(parsed.body, "c\uFFFDd e\u00E4f\uFFFDg");
  VisibleText text(10);
  ASSERT_EQ(Maker()({})->Parse("<base href=x&#x88888888;><a href=y&#x88888888; "
                               "rel=z&#x88888888;>a</a><img alt=b&#x88888888;>",
                               text),
            ParseEnd::kDone);
  EXPECT_EQ(text.base(), "x\uFFFD");
  ASSERT_EQ(text.anchors().size(), 1u);
  EXPECT_EQ(text.anchors()[0].href, "y\uFFFD");
  EXPECT_EQ(text.anchors()[0].rel, "z\uFFFD");
  EXPECT_EQ(text.alt_text(), "b\uFFFD");
}

TEST_P(HtmlParsers, LeavesOutWhatNobodySees) {
  EXPECT_EQ(Body("<head><style>a</style><script>b</script><meta content=c></head>d"), "d");
  EXPECT_EQ(Body("<body><noscript>a</noscript><template>b<p>c</p></template>d"), "d");
  EXPECT_EQ(Body("<noframes>a</noframes><noembed>b</noembed><datalist><option>c</datalist>d"), "d");
  EXPECT_EQ(Body("<ruby>a<rp>(</rp><rt>b</rt></ruby>"), "a b");
}

TEST_P(HtmlParsers, LeavesOutHiddenElements) {
  EXPECT_EQ(Body("a<p hidden>b</p>c"), "ac");
  EXPECT_EQ(Body("a<p HIDDEN=until-found>b<b>x</b></p>c"), "ac");
  EXPECT_EQ(Body("<p style='display:none'>a</p>b"), "b");
  EXPECT_EQ(Body("<p style='color: red; DISPLAY : None !important;'>a</p>b"), "b");
  EXPECT_EQ(Body("<p style=visibility:hidden>a</p>b"), "b");
  EXPECT_EQ(Body("<dialog>a</dialog><dialog open>b</dialog>"), "b");
}

TEST_P(HtmlParsers, ShowsTheContentOfObjectsWithoutDataAndOfApplets) {
  EXPECT_EQ(Body("a<object>b</object>c"), "abc");
  EXPECT_EQ(Body("<object type=x><param name=y>a<object data=''>b</object></object>"), "ab");
  EXPECT_EQ(Body("a<object data=x>b<object>c</object></object>d"), "a d");
  EXPECT_EQ(Body("a<applet code=x><p>b</p></applet>c"), "a b c");
}

TEST_P(HtmlParsers, LeavesOutPopovers) {
  EXPECT_EQ(Body("a<div popover>b</div>c<p popover=manual>d"), "ac");
  EXPECT_EQ(Body("<dialog popover>a</dialog><dialog popover open>b</dialog>"), "b");
  EXPECT_EQ(Body("<div popover style='display:block'>a</div>"), "a");
}

// Readers open them without a script, and pages have all of their text in them.
TEST_P(HtmlParsers, ShowsWhatIsInClosedDetails) {
  EXPECT_EQ(Body("<details>a<summary>b</summary>c</details>d"), "a b c d");
  EXPECT_EQ(Body("<details open>a<summary>b</summary>c</details>d"), "a b c d");
}

TEST_P(HtmlParsers, ShowsTheHeadAloneOfAHiddenPage) {
  for (const char* html : {"<html hidden lang=de>", "<html style='display:none' lang=de>"}) {
    const Parsed parsed = Parse(std::string(html) + "<title>t</title>a<title>u</title><p>b");
    EXPECT_EQ(parsed.body, "") << html;
    EXPECT_EQ(parsed.title, "t") << html;
    EXPECT_EQ(parsed.language, "de") << html;
  }
  EXPECT_EQ(Body("<html hidden style='display:block'>a"), "a");
}

TEST_P(HtmlParsers, ShowsAgainWhatAnInlineStyleDisplays) {
  EXPECT_EQ(Body("<p hidden style='display:block'>a</p>b"), "a b");
  EXPECT_EQ(Body("<p hidden style='display:revert'>a</p>b"), "b");
  EXPECT_EQ(Body("<p hidden=until-found style='display:block'>a</p>b"), "b");
  EXPECT_EQ(Body("<dialog style='display:block'>a</dialog> b"), "a b");
  EXPECT_EQ(Body("<dialog open hidden>a</dialog>b"), "b");
  EXPECT_EQ(Body("<p style='display:none;display:block'>a</p>b"), "a b");
  EXPECT_EQ(Body("<p style='display:none'><b style='display:block'>a</b></p>b"), "b");
}

TEST_P(HtmlParsers, InheritsVisibility) {
  EXPECT_EQ(Body("<p style='visibility:hidden'>a<b style='visibility:visible'>b</b>c</p>d"), "b d");
  EXPECT_EQ(
      Body("<p style='visibility:collapse'>a<b>b<i style='visibility:inherit'>c</i></b></p>d"),
      "d");
  EXPECT_EQ(Body("<html style='visibility:hidden'>a<p style='visibility:visible'>b</p>c"), "b");
  EXPECT_EQ(Body("a<span style='visibility:hidden'>b<br>c</span>d"), "a d");
  VisibleText text(10);
  ASSERT_EQ(Maker()({})->Parse("<p style='visibility:hidden'><a href=x>a</a><img alt=b>"
                               "<a href=y style='visibility:visible'>c<img alt=d></a>",
                               text),
            ParseEnd::kDone);
  ASSERT_EQ(text.anchors().size(), 1U);
  EXPECT_EQ(text.anchors()[0].href, "y");
  EXPECT_EQ(text.alt_text(), "d");
}

TEST_P(HtmlParsers, DrawsTextOfSvgInTextElementsAlone) {
  EXPECT_EQ(Body("<svg>a<g>b<text>c<tspan>d</tspan><g>e</g><textPath>f</textPath></text>g</g>"
                 "<a>h</a><tspan>i</tspan></svg>j"),
            "cd f j");
  EXPECT_EQ(Body("<svg>a<foreignObject>b<p>c</p>d</foreignObject>e</svg>f"), "b c d f");
  EXPECT_EQ(Body("<svg><text>a<a>b</a></text></svg><math><mi>c</mi>d</math>"), "a b c d");
  EXPECT_EQ(Body("<text>a</text><textpath>b</textpath>"), "ab");
}

TEST_P(HtmlParsers, KeepsWhatOnlySoundsHidden) {
  EXPECT_EQ(Body("<p style='display:block'>a</p>"), "a");
  EXPECT_EQ(Body("<p style='x-display:none'>a</p>"), "a");
  EXPECT_EQ(Body("<p style='display'>a</p><p style=';;:;'>b</p>"), "a b");
  EXPECT_EQ(Body("<p data-hidden>a</p>"), "a");
  EXPECT_EQ(Body("<p aria-hidden=true>a</p>"), "a");
}

TEST_P(HtmlParsers, ShowsTheTextOfSvgAndMathButNotWhatDescribesIt) {
  EXPECT_EQ(Body("<svg><title>a</title><desc>b</desc><metadata>c</metadata><defs><text>d</text>"
                 "</defs><style>e</style><text>f<tspan>g</tspan></text></svg>h"),
            "fg h");
  EXPECT_EQ(Body("<math><mi>x</mi><mo>=</mo><annotation>y</annotation>"
                 "<annotation-xml>z</annotation-xml></math>"),
            "x =");
}

TEST_P(HtmlParsers, TakesTheFirstTitle) {
  EXPECT_EQ(Parse("<title> A\n page </title><title>other</title><body>x").title, "A page");
  EXPECT_EQ(Parse("<title> </title><title>b</title>").title, "b");
  EXPECT_EQ(Parse("<title>a &amp; <b>b</b></title>").title, "a & <b>b</b>");
  EXPECT_EQ(Parse("<p>text<title>late</title>more").title, "late");
  EXPECT_EQ(Parse("<svg><title>icon</title></svg>").title, "");
  EXPECT_EQ(Parse("<p>text<title>late</title>more").body, "textmore");
}

TEST_P(HtmlParsers, ReadsTheLanguage) {
  EXPECT_EQ(Parse("<html lang=de>").language, "de");
  EXPECT_EQ(Parse("<html LANG=' en-GB '>").language, "en-GB");
  EXPECT_EQ(Parse("<html xml:lang=fr>").language, "fr");
  EXPECT_EQ(Parse("<html lang=pt_BR>").language, "pt-BR");
  EXPECT_EQ(Parse("<p>x<html lang=nl>").language, "nl");
  EXPECT_EQ(Parse("<html><body lang=de>").language, "");
  for (const char* html : {"<html lang=''>", "<html lang=x>", "<html lang='{{lang}}'>",
                           "<html lang='de, en'>", "<html lang=12>"}) {
    EXPECT_EQ(Parse(html).language, "") << html;
  }
}

TEST_P(HtmlParsers, CountsCodePointsOfTitleAndBody) {
  EXPECT_EQ(Parse("<title>ä€</title> x  😀 ").length, 2U + 1 + 3);
  EXPECT_EQ(Parse("<title>ab</title>").length, 2U);
  EXPECT_EQ(Parse("").length, 0U);
}

TEST_P(HtmlParsers, ReadsFragmentsAndFramesets) {
  EXPECT_EQ(Body("just text"), "just text");
  EXPECT_EQ(Body("</p></b>x</html>y"), "xy");
  EXPECT_EQ(Body("<frameset><frame src=a><noframes>b</noframes></frameset>"), "");
}

TEST_P(HtmlParsers, ReadsTextOutOfTables) {
  EXPECT_EQ(Body("<table>a<tr>b<td>c</table>d"), "ab c d");
}

TEST_P(HtmlParsers, HandlesZeroBytes) {
  using namespace std::string_literals;
  EXPECT_EQ(Body("a\0b<p>c\0</p>"s), "ab c");
}

TEST_P(HtmlParsers, SaysNothingWhenItGivesUp) {
  Limits limits;
  limits.max_parse_allocations = 1000;
  const auto parser = Maker()(limits);
  std::string page = "<html lang=en><title>t</title>";
  for (int i = 0; i < 1000; ++i) page += "<p>x";
  VisibleText text;
  EXPECT_EQ(parser->Parse(page, text), ParseEnd::kNodes);
  EXPECT_EQ(std::string(text.title()).append(text.body()) + text.language(), "");
  EXPECT_EQ(parser->Parse("<p>next", text), ParseEnd::kDone);
  EXPECT_EQ(text.body(), "next");
}

INSTANTIATE_TEST_SUITE_P(Parsers, HtmlParsers, ::testing::Values(&MakeGumbo, &MakeFast),
                         [](const auto& parser) {
                           return parser.param == &MakeFast ? "Fast" : "Gumbo";
                         });

// The scheme id of logs that were begun with Gumbo has no other name for other rules.
TEST(GumboParser, ShowsByTheFirstRulesWhatItAlwaysDid) {
  const auto parser = MakeGumboParser({}, VisibleRules::kFirst);
  const auto body = [&](std::string_view html) {
    VisibleText text;
    EXPECT_EQ(parser->Parse(html, text), ParseEnd::kDone) << html;
    return std::string(text.body());
  };
  EXPECT_EQ(body("a<object>b</object>c<applet>d</applet>e"), "a c e");
  EXPECT_EQ(body("<p popover>a</p><details>b<summary>c</summary></details><svg>d</svg>"),
            "a b c d");
  EXPECT_EQ(body("<html hidden>a"), "a");
  EXPECT_EQ(body("<p hidden style='display:block'>a</p>b"), "b");
  EXPECT_EQ(body("<p style='display:none;display:block'>a</p>b"), "b");
  EXPECT_EQ(body("<p style='visibility:hidden'>a<b style='visibility:visible'>b</b></p>c"), "c");
  EXPECT_EQ(body("<dialog style='display:block'>a</dialog><dialog open>b</dialog>"), "b");
}

TEST(GumboParser, StopsAtItsMemory) {
  Limits limits;
  limits.max_parse_memory = 2 << 20;
  const auto parser = MakeGumboParser(limits);
  std::string page;
  for (int i = 0; i < 100'000; ++i) page += "<p>x";
  VisibleText text;
  EXPECT_EQ(parser->Parse(page, text), ParseEnd::kMemory);
  EXPECT_EQ(parser->Parse("<p>next", text), ParseEnd::kDone);
}

}  // namespace
}  // namespace crawlsieve::extract

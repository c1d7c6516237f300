#include "extract/html/html_text.h"

#include "extract/html/visible_text.h"

#include <string>

#include <gtest/gtest.h>

namespace crawlsieve::extract {
namespace {

struct Parsed {
  std::string title;
  std::string body;
  std::string language;
  std::uint32_t length = 0;
};

Parsed Parse(std::string_view html) {
  VisibleText text;
  EXPECT_EQ(MakeGumboParser({})->Parse(html, text), ParseEnd::kDone) << html;
  return {text.title(), text.body(), text.language(), text.length()};
}

std::string Body(std::string_view html) { return Parse(html).body; }

TEST(GumboParser, DoesNotSplitWordsAtInlineElements) {
  EXPECT_EQ(Body("foo<b>bar</b>"), "foobar");
  EXPECT_EQ(Body("a<span>b<i>c</i></span>d<wbr>e<custom-tag>f</custom-tag>"), "abcdef");
  EXPECT_EQ(Body("H<sub>2</sub>O"), "H2O");
  EXPECT_EQ(Body("so<script>x</script>me<!-- c -->th<style>y</style>ing"), "something");
}

TEST(GumboParser, SplitsWordsAtBlocksAndLines) {
  EXPECT_EQ(Body("a<br>b<p>c</p>d<div>e</div>f<hr>g"), "a b c d e f g");
  EXPECT_EQ(Body("<ul><li>a<li>b</ul><table><tr><td>c<td>d</table>"), "a b c d");
  EXPECT_EQ(Body("a<div></div>b"), "a b");
  EXPECT_EQ(Body("<select><option>a<option>b</select>"), "a b");
}

TEST(GumboParser, SplitsWordsAtThingsShownInTheirPlace) {
  EXPECT_EQ(Body("a<img src=x>b<iframe>c</iframe>d<canvas>e</canvas>f"), "a b d f");
  EXPECT_EQ(Body("a<object>b</object>c<video>d</video>e<embed>f"), "a c e f");
}

TEST(GumboParser, CollapsesWhiteSpace) {
  EXPECT_EQ(Body("  a \n\t b\r\n<b> c </b> d  <pre>e\n  f</pre> "), "a b c d e f");
}

TEST(GumboParser, DecodesCharacterReferences) {
  EXPECT_EQ(Body("&lt;b&gt; &amp;amp; &auml;&#x20AC;&nbsp;x &unknown;"),
            "<b> &amp; ä€\u00A0x &unknown;");
}

// Numbers of which 32 bits keep something that isn't above U+10FFFF: bytes without a code point.
TEST(GumboParser, ReplacesCharacterReferencesThatOverflow) {
  const Parsed parsed = Parse("<title>a&#x88888888;b</title>c&#4294967177;d<p>e&#xE4;f&#x110000;g");
  EXPECT_EQ(parsed.title, "a\uFFFDb");
  EXPECT_EQ(parsed.body, "c\uFFFDd e\u00E4f\uFFFDg");
  VisibleText text(10);
  ASSERT_EQ(MakeGumboParser({})->Parse("<base href=x&#x88888888;><a href=y&#x88888888; "
                                       "rel=z&#x88888888;>a</a><img alt=b&#x88888888;>",
                                       text),
            ParseEnd::kDone);
  EXPECT_EQ(text.base(), "x\uFFFD");
  ASSERT_EQ(text.anchors().size(), 1u);
  EXPECT_EQ(text.anchors()[0].href, "y\uFFFD");
  EXPECT_EQ(text.anchors()[0].rel, "z\uFFFD");
  EXPECT_EQ(text.alt_text(), "b\uFFFD");
}

TEST(GumboParser, LeavesOutWhatNobodySees) {
  EXPECT_EQ(Body("<head><style>a</style><script>b</script><meta content=c></head>d"), "d");
  EXPECT_EQ(Body("<body><noscript>a</noscript><template>b<p>c</p></template>d"), "d");
  EXPECT_EQ(Body("<noframes>a</noframes><noembed>b</noembed><datalist><option>c</datalist>d"), "d");
  EXPECT_EQ(Body("<ruby>a<rp>(</rp><rt>b</rt></ruby>"), "a b");
}

TEST(GumboParser, LeavesOutHiddenElements) {
  EXPECT_EQ(Body("a<p hidden>b</p>c"), "ac");
  EXPECT_EQ(Body("a<p HIDDEN=until-found>b<b>x</b></p>c"), "ac");
  EXPECT_EQ(Body("<p style='display:none'>a</p>b"), "b");
  EXPECT_EQ(Body("<p style='color: red; DISPLAY : None !important;'>a</p>b"), "b");
  EXPECT_EQ(Body("<p style=visibility:hidden>a</p>b"), "b");
  EXPECT_EQ(Body("<dialog>a</dialog><dialog open>b</dialog>"), "b");
}

TEST(GumboParser, KeepsWhatOnlySoundsHidden) {
  EXPECT_EQ(Body("<p style='display:block'>a</p>"), "a");
  EXPECT_EQ(Body("<p style='x-display:none'>a</p>"), "a");
  EXPECT_EQ(Body("<p style='display'>a</p><p style=';;:;'>b</p>"), "a b");
  EXPECT_EQ(Body("<p data-hidden>a</p>"), "a");
  EXPECT_EQ(Body("<p aria-hidden=true>a</p>"), "a");
}

TEST(GumboParser, ShowsTheTextOfSvgAndMathButNotWhatDescribesIt) {
  EXPECT_EQ(Body("<svg><title>a</title><desc>b</desc><metadata>c</metadata><defs><text>d</text>"
                 "</defs><style>e</style><text>f<tspan>g</tspan></text></svg>h"),
            "fg h");
  EXPECT_EQ(Body("<math><mi>x</mi><mo>=</mo><annotation>y</annotation>"
                 "<annotation-xml>z</annotation-xml></math>"),
            "x =");
}

TEST(GumboParser, TakesTheFirstTitle) {
  EXPECT_EQ(Parse("<title> A\n page </title><title>other</title><body>x").title, "A page");
  EXPECT_EQ(Parse("<title> </title><title>b</title>").title, "b");
  EXPECT_EQ(Parse("<title>a &amp; <b>b</b></title>").title, "a & <b>b</b>");
  EXPECT_EQ(Parse("<p>text<title>late</title>more").title, "late");
  EXPECT_EQ(Parse("<svg><title>icon</title></svg>").title, "");
  EXPECT_EQ(Parse("<p>text<title>late</title>more").body, "textmore");
}

TEST(GumboParser, ReadsTheLanguage) {
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

TEST(GumboParser, CountsCodePointsOfTitleAndBody) {
  EXPECT_EQ(Parse("<title>ä€</title> x  😀 ").length, 2U + 1 + 3);
  EXPECT_EQ(Parse("<title>ab</title>").length, 2U);
  EXPECT_EQ(Parse("").length, 0U);
}

TEST(GumboParser, ReadsFragmentsAndFramesets) {
  EXPECT_EQ(Body("just text"), "just text");
  EXPECT_EQ(Body("</p></b>x</html>y"), "xy");
  EXPECT_EQ(Body("<frameset><frame src=a><noframes>b</noframes></frameset>"), "");
}

TEST(GumboParser, ReadsTextOutOfTables) {
  EXPECT_EQ(Body("<table>a<tr>b<td>c</table>d"), "ab c d");
}

TEST(GumboParser, HandlesZeroBytes) {
  using namespace std::string_literals;
  EXPECT_EQ(Body("a\0b<p>c\0</p>"s), "ab c");
}

TEST(GumboParser, SaysNothingWhenItGivesUp) {
  Limits limits;
  limits.max_parse_allocations = 1000;
  const auto parser = MakeGumboParser(limits);
  std::string page = "<html lang=en><title>t</title>";
  for (int i = 0; i < 1000; ++i) page += "<p>x";
  VisibleText text;
  EXPECT_EQ(parser->Parse(page, text), ParseEnd::kNodes);
  EXPECT_EQ(text.title() + text.body() + text.language(), "");
  EXPECT_EQ(parser->Parse("<p>next", text), ParseEnd::kDone);
  EXPECT_EQ(text.body(), "next");
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

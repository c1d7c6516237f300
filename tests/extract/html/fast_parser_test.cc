// What the parser makes of markup that isn't as it should be, by the rule of the standard that
// applies. Pages as a whole are compared in tree_test.cc and with Gumbo.

#include "extract/html/fast_parser.h"

#include "tests/support/html/event_log.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace crawlsieve::extract {
namespace {

using namespace std::string_literals;

std::string Events(std::string_view html) {
  html_check::EventLog log;
  EXPECT_EQ(MakeFastParser({})->Parse(html, log), ParseEnd::kDone);
  return html_check::RenderShort(log.events());
}

/// The events within the body.
std::string Body(std::string_view html) {
  const std::string events = Events(html);
  EXPECT_TRUE(events.starts_with("[[") && events.ends_with("]]")) << events;
  return events.size() < 4 ? events : events.substr(2, events.size() - 4);
}

std::string Repeat(std::string_view unit, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += unit;
  return text;
}

TEST(FastParser, MakesHtmlHeadAndBodyOfNothing) { EXPECT_EQ(Events(""), "[[]]"); }

TEST(FastParser, ClosesParagraphsAtBlocks) {
  EXPECT_EQ(Body("<p>a<div>b</p>c"), "['a']['b'[]'c']");
  EXPECT_EQ(Body("<p>a<button><p>b</button>c<p>d"), "['a'[2:['b']]'c']['d']");
}

TEST(FastParser, LetsATableIntoAParagraphInQuirksModeAlone) {
  EXPECT_EQ(Body("<p>a<table>"), "['a'[]]");
  EXPECT_EQ(Body("<!DOCTYPE html><p>a<table>"), "['a'][]");
  EXPECT_EQ(Body("<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 3.2//EN'><p>a<table>"), "['a'[]]");
  EXPECT_EQ(Body("<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 4.01 Transitional//EN'><p>a<table>"),
            "['a'[]]");
  EXPECT_EQ(Body("<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 4.01 Transitional//EN' 'x'><p>a<table>"),
            "['a'][]");
  EXPECT_EQ(Body("<!DOCTYPE html SYSTEM 'about:legacy-compat'><p>a<table>"), "['a'][]");
  EXPECT_EQ(Body("<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN><p>a<table>"), "['a'[]]");
}

TEST(FastParser, ClosesItemsOfTheInnermostList) {
  EXPECT_EQ(Body("<ul><li>a<li>b<ul><li>c</ul><li>d"), "[['a']['b'[['c']]]['d']]");
  EXPECT_EQ(Body("<li><div><li>a<nav><li>b"), "[[]]['a'[1:['b']]]");
  EXPECT_EQ(Body("<dl><dt>a<dd>b<dt>c"), "[['a']['b']['c']]");
  EXPECT_EQ(Body("<dd>a<dt><address><dd>b"), "['a'][[]]['b']");
}

TEST(FastParser, MovesFormattingIntoBlocks) {
  // <a>, of which one sees in the events where it is.
  EXPECT_EQ(Body("<a href=x>1<p>2</a>3</p>4"), "(x:'1')[(x:'2')'3']'4'");
  EXPECT_EQ(Body("<a href=x>1<div>2<div>3</a>4"), "(x:'1')[(x:'2')[(x:'3')'4']]");
  EXPECT_EQ(Body("<a href=x>1<a href=y>2</a>3"), "(x:'1')(y:'2')'3'");
  EXPECT_EQ(Body("<p><a href=x>1<p>2"), "[(x:'1')][(x:'2')]");
  EXPECT_EQ(Body("<a href=x><b><i><u><s>1<div>2</a>3"), "(x:'1')[(x:'2')'3']");
}

TEST(FastParser, ReadsTheAttributesOfWhatIsOpenedAgainAlike) {
  EXPECT_EQ(Body("<p><a href=x&amp;y rel=z>1<p>2<p>3"),
            "[(x&y rel=z:'1')][(x&y rel=z:'2')][(x&y rel=z:'3')]");
  EXPECT_EQ(Body("<p><b style='display&colon;none'>1<p>2<p>3</b>4"), "[][]['4']");
  EXPECT_EQ(Body("<p><b style=color:red>1<p>2"), "['1']['2']");
}

TEST(FastParser, StillReadsAPageBehindMoreFormattingThanItOpensAgain) {
  // A cell's marker keeps the formatting in: without a bound, these few bytes would cost the page.
  std::string prologue = "<div hidden><table><td><p>";
  for (int i = 0; i < 190; ++i) prologue += "<b a" + std::to_string(i) + ">";
  prologue += Repeat("<p>x", 190) + "</b></b></table></div>";
  for (const std::size_t words : {1, 20'000, 200'000}) {
    const std::string text = Repeat("word ", words);
    EXPECT_EQ(Body(prologue + "<p>" + text), "['" + text + "']");
  }
}

TEST(FastParser, OpensNoMoreThanThreeAlikeAgain) {
  // Clones count as nodes, so a page of a thousand is within the limit where one of all isn't.
  const std::string page = Repeat("<b class=x>", 1000) + Repeat("<p>1</p>", 100);
  Limits limits;
  limits.max_parse_allocations = 2000;
  html_check::EventLog log;
  EXPECT_EQ(MakeFastParser(limits)->Parse(page, log), ParseEnd::kDone);
  std::string different;
  for (int i = 0; i < 1000; ++i) different += "<b class=" + std::to_string(i) + ">";
  EXPECT_EQ(MakeFastParser(limits)->Parse(different + Repeat("<p>1</p>", 100), log),
            ParseEnd::kDone);
  // Without a paragraph that closes them, nothing is opened again; with one, all of them are.
  EXPECT_EQ(MakeFastParser(limits)->Parse("<p>" + different + Repeat("</p><p>1", 100), log),
            ParseEnd::kNodes);
  EXPECT_EQ(MakeFastParser(limits)->Parse(
                "<p>" + Repeat("<b class=x>", 1000) + Repeat("</p><p>1", 100), log),
            ParseEnd::kDone);
}

TEST(FastParser, TakesWhatIsNoTableOutOfTables) {
  EXPECT_EQ(Body("<table>a<tr>b<td>c</table>d"), "'ab'[[[['c']]]]'d'");
  EXPECT_EQ(Body("<table><tr><p>a<td>b"), "['a'][[[['b']]]]");
  EXPECT_EQ(Body("<table> <tr> </table>"), "[' '[[' ']]]");
  EXPECT_EQ(Body("<table> x <tr>"), "' x '[[[]]]");
  EXPECT_EQ(Body("<table><input type=hidden><input>"), "[][[]]");
  EXPECT_EQ(Body("<a href=x><table>1</a>2"), "(x:'12'[])");
}

TEST(FastParser, ClosesCellsRowsAndBodies) {
  EXPECT_EQ(Body("<table><td>a<td>b<tr>c<th>d<tbody><td>e<caption>f<col><td>g"),
            "'c'[[[['a']['b']][['d']]][[['e']]]['f'][[]][[['g']]]]");
  EXPECT_EQ(Body("<table><td><table><td>a</table>b</table>c"), "[[[[[[[['a']]]]'b']]]]'c'");
}

TEST(FastParser, LetsASelectHoldOtherElements) {
  EXPECT_EQ(Body("<select><option>a<option>b<optgroup><option>c</select>d"),
            "[2:['a']['b'][['c']]]'d'");
  EXPECT_EQ(Body("<select><option><div>a</div><select>b"), "[2:[['a']]]'b'");
  EXPECT_EQ(Body("<select><option>a<hr>b<input>c"), "[2:['a'][]'b'][]'c'");
  EXPECT_EQ(Body("<table><td><select>a<td>b"), "[[[[[2:'a']]['b']]]]");
}

TEST(FastParser, ClosesDialogAndSearchAsBlocks) {
  EXPECT_EQ(Body("<p>a<search>b</p>c</search>d"), "['a']['b'[]'c']'d'");
  EXPECT_EQ(Body("<p>a<dialog open>b</dialog>c"), "['a']['b']'c'");
  EXPECT_EQ(Body("<p>a<dialog>b</dialog>c"), "['a']'c'");
}

TEST(FastParser, TellsUnknownElementsApart) {
  EXPECT_EQ(Body("<x-a><div>a</x-b>b</div></x-a>"), "['ab']");
  EXPECT_EQ(Body("<x-a hidden>a</x-b>b</X-A>c"), "'c'");
}

TEST(FastParser, LeavesSvgAndMathAtHtml) {
  EXPECT_EQ(Body("<svg><text>a<p>b"), "[['a']]['b']");
  EXPECT_EQ(Body("<svg><text>a</p>b"), "[['a']][]'b'");
  EXPECT_EQ(Body("<svg><font><text>a<font color=x>b"), "[[['a']]]'b'");
  EXPECT_EQ(Body("<svg><foreignObject><p>a</svg>b"), "[[['ab']]]");
  EXPECT_EQ(Body("<math><mi>a<p>b</mi>c"), "[['a'['bc']]]");
  EXPECT_EQ(Body("<math><annotation-xml encoding=Text/HTML><p>a</p></math><p>b"), "[]['b']");
  EXPECT_EQ(Body("<svg/>a<math/>b"), "[]'a'[]'b'");
  EXPECT_EQ(Body("<svg><g></G><text>a"), "[[]['a']]");
}

TEST(FastParser, ReadsCdataInForeignElementsAlone) {
  EXPECT_EQ(Body("<svg><text><![CDATA[a<b>&amp;]]>c"), "[['a<b>&amp;c']]");
  EXPECT_EQ(Body("<p><![CDATA[a]]>b"), "['b']");
  EXPECT_EQ(Body("<svg><text><![CDATA[a]]"), "[['a]]']]");
}

TEST(FastParser, ShowsNothingOfTemplates) {
  EXPECT_EQ(Body("a<template><tr><td>b</template>c"), "'ac'");
  EXPECT_EQ(Body("a<template><template>b</template>c"), "'a'");
  EXPECT_EQ(Events("<template>a"), "[[]]");
  EXPECT_EQ(Body("<table><template>a</template><td>b"), "[[[['b']]]]");
}

TEST(FastParser, ReadsNoscriptAsWithoutScriptsAndShowsNothingOfIt) {
  EXPECT_EQ(Body("a<noscript>b<p>c</noscript>d</p></noscript>e"), "'ae'");
  EXPECT_EQ(Body("<noscript><style></noscript>a<!--</style></noscript>-->b"), "'-->b'");
  EXPECT_EQ(Events("<noscript><link></noscript><link rel=canonical href=x>a"),
            "[canonical='x'['a']]");
  EXPECT_EQ(Events("<noscript><p></noscript><link rel=canonical href=x>a"), "[[['a']]]");
}

TEST(FastParser, DropsTheBodyForAFrameset) {
  EXPECT_EQ(Events("<frameset><frame></frameset>a"), "[[[]]]");
  EXPECT_EQ(Events("<span> </span><frameset>"), "[[]]");
  EXPECT_EQ(Events("a<frameset>"), "[['a']]");
}

TEST(FastParser, OpensFormattingAgainInSpaceBehindTheEndOfAFramesetsPage) {
  EXPECT_EQ(Events("<a href=x><frameset></frameset></html> "), "[[](x:' ')]");
  EXPECT_EQ(Events("<a href=x><frameset></frameset> </html>a"), "[[]' ']");
}

TEST(FastParser, PutsHeadElementsBehindTheHeadIntoIt) {
  EXPECT_EQ(Events("<head></head><title>a</title><base href=b>"), "[title='a'base='b'[]]");
  EXPECT_EQ(Events("<head></head><template></template><link rel=canonical href=c>"),
            "[canonical='c'[]]");
}

TEST(FastParser, ClosesAFormThatOthersAreOpenIn) {
  EXPECT_EQ(Body("<form><div>a</form>b</div>c<form>d"), "[34:['ab']]'c'[34:'d']");
  EXPECT_EQ(Body("<form>a<form>b</form>c"), "[34:'ab']'c'");
}

TEST(FastParser, MergesTheAttributesOfFurtherHtmlAndBodyTags) {
  EXPECT_EQ(Events("<html class=a><body><html lang=de><html lang=en>"), "lang='de'[[]]");
  EXPECT_EQ(Events("a<body hidden>"), "[]");
  EXPECT_EQ(Events("<body><body class=nav><body class=footer>"), "[[1:]]");
}

TEST(FastParser, ReadsWhatOnlyLooksLikeMarkup) {
  EXPECT_EQ(Body("a < b <= c <1 </ d>e<>f"), "'a < b <= c <1 e<>f'");
  EXPECT_EQ(Body("a<!x>b<?y>c</>d<!>e"), "'abcde'");
  EXPECT_EQ(Body("a<"), "'a<'");
  EXPECT_EQ(Body("a</"), "'a</'");
  EXPECT_EQ(Body("a<b"), "'a'");
  EXPECT_EQ(Body("a<!--b"), "'a'");
}

TEST(FastParser, TakesNoControlCharacterForASignOfAnAttributesName) {
  EXPECT_EQ(Events("<html xml:lang=de>"), "lang='de'[[]]");
  EXPECT_EQ(Events("<html xml\x1Alang=de>"), "[[]]");
  EXPECT_EQ(Events("<html xml\x1Alang=de XML:Lang=en>"), "lang='en'[[]]");
}

TEST(FastParser, DropsOrReplacesNul) {
  EXPECT_EQ(Body("a\0b"s), "'ab'");
  EXPECT_EQ(Body("<svg><text>a\0b"s), "[['a\uFFFDb']]");
  EXPECT_EQ(Body("<textarea>a\0b"s), "[2:'a\uFFFDb']");
  EXPECT_EQ(Body("<table>\0<tr>"s), "[[[]]]");
}

TEST(FastParser, TakesCarriageReturnsForLineEnds) {
  EXPECT_EQ(Body("a\r\nb\rc&#13;d"), Body("a\nb\nc&#13;d"));
  EXPECT_EQ(Body("<pre>\r\na"), "['a']");
  EXPECT_EQ(Body("<textarea>\n\na"), Body("<textarea>\r\n\ra"));
}

TEST(FastParser, EndsOnEveryStartOfAPage) {
  const std::string page =
      "<!DOCTYPE html><html lang=en><head><title>a&amp;b</title><script><!--<script></script>-->"
      "</script><style>p{}</style></head><body class='nav'><p>a<b id=1>b<table><tr>x<td>&eacute;"
      "<svg><![CDATA[c]]><title>t</title></svg></table><!-- d --><select><option>e</select>"
      "<math><annotation-xml encoding='text/html'><p>f</math><template><td>g</template>\0\r\n</p>"s;
  const auto parser = MakeFastParser({});
  for (std::size_t size = 0; size <= page.size(); ++size) {
    // A copy of its own, so that reading behind its end is seen.
    const std::string start(page, 0, size);
    html_check::EventLog log;
    EXPECT_EQ(parser->Parse(start, log), ParseEnd::kDone) << size;
    int open = 0;
    for (const html_check::Event& event : log.events()) {
      open += event.kind == html_check::EventKind::kBlockBegin ? 1 : 0;
      open -= event.kind == html_check::EventKind::kBlockEnd ? 1 : 0;
    }
    EXPECT_EQ(open, 0) << size;
  }
}

TEST(FastParser, ReportsTheSameFromAParserThatHasReadOtherPages) {
  const auto parser = MakeFastParser({});
  const std::string page = "<b class=1><b class=2><x-y><p>a</b>b<table>c<td>d</x-y>";
  html_check::EventLog first;
  ASSERT_EQ(parser->Parse(page, first), ParseEnd::kDone);
  const std::uint64_t work = parser->work();
  for (const std::string& other :
       {Repeat("<x-z><b><svg><g>", 5000), "<frameset>"s, Repeat("<b id=1><td>", 70'000), ""s}) {
    html_check::EventLog log;
    static_cast<void>(parser->Parse(other, log));
    html_check::EventLog again;
    ASSERT_EQ(parser->Parse(page, again), ParseEnd::kDone);
    EXPECT_EQ(again.events(), first.events());
    EXPECT_EQ(parser->work(), work);
  }
}

/// Counts bytes of text and events.
class Counter final : public HtmlEvents {
 public:
  void OnLanguage(std::string_view) override { ++events; }
  void OnTitle(std::string_view) override { ++events; }
  void OnText(std::string_view text) override { bytes += text.size(); }
  void OnBreak() override { ++events; }
  void OnBlockBegin(Hints) override { ++events; }
  void OnBlockEnd() override { ++events; }
  void OnLinkBegin(const LinkTarget&) override { ++events; }
  void OnLinkEnd() override { ++events; }
  void OnBase(std::string_view) override { ++events; }
  void OnCanonical(std::string_view) override { ++events; }
  void OnRefresh(std::string_view) override { ++events; }
  void OnRobots(std::string_view) override { ++events; }
  void OnAltText(std::string_view) override { ++events; }

  std::size_t bytes = 0;
  std::size_t events = 0;
};

TEST(FastParser, EndsAPageOf128MebibytesWithItsMemory) {
  constexpr std::size_t kTooLarge = std::size_t{128} << 20;
  std::string page(kTooLarge, 'a');
  const auto parser = MakeFastParser({});
  for (int again = 0; again < 2; ++again) {
    Counter counter;
    EXPECT_EQ(parser->Parse(page, counter), ParseEnd::kMemory);
    EXPECT_EQ(counter.bytes + counter.events, 0U);
  }
  page.pop_back();
  Counter counter;
  EXPECT_EQ(parser->Parse(page, counter), ParseEnd::kDone);
  EXPECT_EQ(counter.bytes, page.size());
}

// Each of these has few nodes and much else.
TEST(FastParser, CountsAttributesSignaturesMarkersAndBitmapsToTheMemoryOfAPage) {
  Limits limits;
  limits.max_parse_memory = 1 << 20;
  const auto end_of = [&](const std::string& page) {
    Counter counter;
    return MakeFastParser(limits)->Parse(page, counter);
  };
  const auto tags = [](std::size_t count) {
    return Repeat("<i id=a alt=b rel=c href=d type=e role=f lang=g size=h face=i class=j>", count);
  };
  EXPECT_EQ(end_of(tags(4'000)), ParseEnd::kDone);
  EXPECT_EQ(end_of(tags(12'000)), ParseEnd::kNodes);
  EXPECT_EQ(end_of(Repeat("<i>", 12'000)), ParseEnd::kDone);
  EXPECT_EQ(end_of(Repeat("<div>", 12'000)), ParseEnd::kDone);
  EXPECT_EQ(end_of(Repeat("<template>", 12'000)), ParseEnd::kNodes) << "markers";

  std::string many;
  for (int i = 0; i < 40'000; ++i) many += " a" + std::to_string(i);
  EXPECT_EQ(end_of("<i" + many + "><p>x"), ParseEnd::kDone);
  EXPECT_EQ(end_of("<i><i><i><i" + many + "><p>x"), ParseEnd::kNodes);

  EXPECT_EQ(end_of(std::string(1 << 20, 'a')), ParseEnd::kDone);
  EXPECT_EQ(end_of(std::string(2 << 20, 'a')), ParseEnd::kNodes);
}

TEST(FastParser, SaysNothingOfAPageWithTooManyNodes) {
  html_check::EventLog log;
  const auto parser = MakeFastParser({});
  EXPECT_EQ(parser->Parse("<title>t</title>" + Repeat("<i>", 400'000), log), ParseEnd::kNodes);
  EXPECT_TRUE(log.events().empty());
  Limits limits;
  limits.max_parse_memory = 64 << 10;
  EXPECT_EQ(MakeFastParser(limits)->Parse(Repeat("<i>", 4000), log), ParseEnd::kNodes);
  EXPECT_TRUE(log.events().empty());
}

}  // namespace
}  // namespace crawlsieve::extract

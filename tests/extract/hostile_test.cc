// Pages made to break the parser: each family costs Gumbo alone quadratic time, gigabytes or its
// stack. What counts here is that extraction ends within its limits, whatever it makes of the page.

#include "extract/extractor.h"

#undef NDEBUG  // <cassert> declares __assert_fail only without it
#include <cassert>
#include <chrono>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <time.h>

namespace crawlsieve::extract {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

std::string Repeat(std::string_view unit, std::size_t bytes) {
  std::string text;
  text.reserve(bytes + unit.size());
  while (text.size() < bytes) text += unit;
  return text;
}

/// Calls `unit` with 0, 1, 2, ... until `bytes` are there.
std::string Enumerate(std::size_t bytes, const std::function<std::string(int)>& unit) {
  std::string text;
  for (int i = 0; text.size() < bytes; ++i) text += unit(i);
  return text;
}

/// Tags, attributes and text in any order; the same for each seed.
std::string TagSoup(std::size_t bytes, unsigned seed) {
  constexpr std::array kTags = {"div",
                                "b",
                                "i",
                                "p",
                                "a",
                                "table",
                                "tr",
                                "td",
                                "svg",
                                "math",
                                "template",
                                "select",
                                "option",
                                "button",
                                "font",
                                "nobr",
                                "form",
                                "frameset",
                                "foreignObject",
                                "mi",
                                "li",
                                "h1",
                                "title",
                                "caption",
                                "colgroup",
                                "textarea",
                                "script",
                                "style",
                                "isindex",
                                "ruby",
                                "rt"};
  std::mt19937 random(seed);
  return Enumerate(bytes, [&](int) -> std::string {
    const char* const tag = kTags[random() % kTags.size()];
    switch (random() % 6) {
      case 0:
        return fmt::format("</{}>", tag);
      case 1:
        return "x &amp; y ";
      case 2:
        return fmt::format("<{} a{}='&lt;'>", tag, random() % 100);
      default:
        return fmt::format("<{}>", tag);
    }
  });
}

struct HostilePage {
  const char* name;
  std::function<std::string()> make;
};

constexpr std::size_t kKiB = 1 << 10;
constexpr std::size_t kMiB = 1 << 20;

const std::vector<HostilePage>& HostilePages() {
  static const std::vector<HostilePage> pages = {
      {"NestedDiv", [] { return Repeat("<div>", kMiB); }},
      {"NestedDivWithText", [] { return Repeat("<div>", 100 * kKiB) + Repeat("x", kMiB); }},
      {"FormattingWithAttributes",
       [] {
         return Enumerate(kMiB, [](int i) { return fmt::format("<b {}>", i); }) +
                Enumerate(kMiB, [](int i) { return fmt::format("<i {}>", i); }) + "x";
       }},
      {"NestedLinksInParagraphs",
       [] { return Repeat("<p><a href=" + std::string(100, 'x') + "><p>a", kMiB); }},
      {"ManyAttributes",
       [] { return "<p " + Enumerate(kMiB, [](int i) { return fmt::format("a{} ", i); }) + ">"; }},
      {"NestedSvg", [] { return Repeat("<svg>", 4 * kMiB); }},
      {"NestedTemplate", [] { return Repeat("<template>", 4 * kMiB); }},
      {"NestedMath", [] { return Repeat("<math><mi>", kMiB); }},
      {"NestedTables", [] { return Repeat("<table><tr><td>", kMiB); }},
      {"NestedTablesFostering", [] { return Repeat("<table><div>x", kMiB); }},
      {"TextInTables", [] { return "<table>" + Repeat("x<tr>", kMiB); }},
      {"NestedButtons", [] { return Repeat("<button>", kMiB); }},
      {"NestedFonts", [] { return Repeat("<font size=1><p>", kMiB); }},
      {"Misnested", [] { return Repeat("<b><p>", kMiB / 2) + Repeat("</b>", kMiB / 2); }},
      {"NestedNobr", [] { return Repeat("<nobr>", kMiB); }},
      {"NestedSelect", [] { return Repeat("<select><option>", kMiB); }},
      {"NestedForeignObject", [] { return Repeat("<svg><foreignObject>", kMiB); }},
      // No memory is asked for while the letters come.
      {"LettersInDeepFormatting",
       [] { return Repeat("<span>", 120 * kKiB) + "<b>" + Repeat("x", kMiB); }},
      {"EndTagsOfNothing",
       [] { return Repeat("<span>", 512 * kKiB) + Repeat("</x>", 512 * kKiB); }},
      // The parser frees the body, by recursion.
      {"FramesetBehindDeepBody", [] { return Repeat("<span>", 4 * kMiB) + "<frameset>"; }},
      {"FramesetBehindSvg", [] { return Repeat("<svg>", kMiB) + "<p><frameset>"; }},
      {"OpenComment", [] { return "<!--" + Repeat("-", 4 * kMiB); }},
      {"Comments", [] { return Repeat("<!-->", 4 * kMiB); }},
      {"OpenTag", [] { return "<p " + Repeat("x", 4 * kMiB); }},
      {"OpenAttribute", [] { return "<p a='" + Repeat("&lt;", 4 * kMiB); }},
      {"OpenDoctype", [] { return "<!DOCTYPE " + Repeat("x", 4 * kMiB); }},
      {"OpenTitle", [] { return "<title>" + Repeat("x &", 4 * kMiB); }},
      {"OpenScript", [] { return "<script><!--<script>" + Repeat("</scrip>", 4 * kMiB); }},
      {"OpenCdata", [] { return "<svg><![CDATA[" + Repeat("]]", 4 * kMiB); }},
      {"LessThan", [] { return Repeat("<", 4 * kMiB); }},
      {"EndTagOpen", [] { return Repeat("</", 4 * kMiB); }},
      {"Ampersands", [] { return Repeat("&#", 4 * kMiB); }},
      {"LongestReference", [] { return Repeat("&CounterClockwiseContourIntegral", 4 * kMiB); }},
      {"Zeros", [] { return "<p>" + std::string(4 * kMiB, '\0'); }},
      {"Marks", [] { return Repeat("\u0300\u0316", 4 * kMiB); }},
      {"ExpandingLetters", [] { return Repeat("\uFDFA", 4 * kMiB); }},
      {"OneLongWord", [] { return Repeat("x", 4 * kMiB); }},
      {"OneLongHanWord", [] { return Repeat("龘", 4 * kMiB); }},
      {"OneLongThaiWord", [] { return Repeat("ภาษ", 4 * kMiB); }},
      {"TagSoup1", [] { return TagSoup(kMiB, 1); }},
      {"TagSoup2", [] { return TagSoup(kMiB, 2); }},
      {"TagSoup3", [] { return TagSoup(kMiB, 3); }},
  };
  return pages;
}

milliseconds ThreadCpuTime() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) +
         std::chrono::duration_cast<milliseconds>(std::chrono::nanoseconds(time.tv_nsec));
}

/// Largest memory of the process so far.
std::size_t PeakMemory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

Page HtmlPage(std::string body) {
  Page page;
  page.url = "https://example.org/";
  page.content_type = "text/html; charset=utf-8";
  page.body = std::move(body);
  return page;
}

ExtractOptions With(ParserKind parser) {
  ExtractOptions options;
  options.parser = parser;
  return options;
}

const auto kParsers = ::testing::Values(ParserKind::kFast, ParserKind::kGumbo);

template <typename Family>
std::string NameOf(const ::testing::TestParamInfo<std::tuple<Family, ParserKind>>& info) {
  const auto& [family, parser] = info.param;
  return std::string(family.name) + (parser == ParserKind::kGumbo ? "ByGumbo" : "");
}

class HostileHtml : public ::testing::TestWithParam<std::tuple<HostilePage, ParserKind>> {};

TEST_P(HostileHtml, EndsWithinItsLimits) {
  const auto& [family, parser] = GetParam();
  ExtractOptions options = With(parser);
  options.limits.parse_time_base = 60ms;  // the same in less of the tester's time
  options.limits.parse_time_per_mib = 30ms;
  const Page page = HtmlPage(family.make());
  const auto mib = static_cast<int>(page.body.size() / kMiB) + 1;
  Extractor extractor(options, FeatureHasher("key"));

  const std::size_t memory_before = PeakMemory();
  const milliseconds start = ThreadCpuTime();
  const Document document = extractor.Extract(page);
  const milliseconds spent = ThreadCpuTime() - start;

  EXPECT_TRUE(document.outcome == Outcome::kText || document.outcome == Outcome::kNotEvaluated);
  EXPECT_EQ(document.outcome == Outcome::kText, document.detail.empty()) << document.detail;
  EXPECT_TRUE(parser == ParserKind::kGumbo || document.detail != "parse_time");
  // The parse within its deadline, and half a second for a megabyte of everything else (with
  // sanitizers, beside other work).
  EXPECT_LT(spent,
            options.limits.parse_time_base + mib * (options.limits.parse_time_per_mib + 500ms))
      << document.detail;
  EXPECT_LT(PeakMemory() - memory_before, options.limits.max_parse_memory + 24 * page.body.size())
      << document.detail;

  // And the next page is as if nothing had been.
  EXPECT_EQ(extractor.Extract(HtmlPage("<p>next page")).normalized_text, "next page");
}

INSTANTIATE_TEST_SUITE_P(Families, HostileHtml,
                         ::testing::Combine(::testing::ValuesIn(HostilePages()), kParsers),
                         NameOf<HostilePage>);

Document ExtractByGumbo(std::string body) {
  return Extractor(With(ParserKind::kGumbo), FeatureHasher("key"))
      .Extract(HtmlPage(std::move(body)));
}

TEST(HostileHtmlByGumbo, DeepBodyInFrontOfAFramesetIsNotEvaluated) {
  const Document document = ExtractByGumbo(Repeat("<span>", 2 * kMiB) + "<frameset>");
  EXPECT_EQ(document.outcome, Outcome::kNotEvaluated);
  EXPECT_EQ(document.detail, "parse_depth");
}

TEST(HostileHtmlByGumbo, QuadraticTextIsStoppedByTheClock) {
  const Document document =
      ExtractByGumbo(Repeat("<span>", 300 * kKiB) + "<b>" + Repeat("x", kMiB));
  EXPECT_EQ(document.detail, "parse_time");
}

/// Pages on which an assertion of Gumbo fails: it takes a cell or <select> of MathML or SVG for one
/// of HTML when a <select> makes it look for its insertion mode.
const std::vector<std::string_view>& PagesThatBreakTheParser() {
  static const std::vector<std::string_view> pages = {
      "<table><math><th><mo><select></table>",
      "<table><math><td><mi><select></table>",
      "<table><svg><td><desc><select></table>",
      "<table><svg><th><foreignObject><select></table>",
      "<p>some text<table><math><select><mi><select></table>",
  };
  return pages;
}

TEST(HostileHtmlByGumbo, PageOnWhichTheParserContradictsItselfIsNotEvaluated) {
  for (const std::string_view body : PagesThatBreakTheParser()) {
    const Document document = ExtractByGumbo(std::string(body));
    EXPECT_EQ(document.outcome, Outcome::kNotEvaluated) << body;
    EXPECT_EQ(document.detail, "parser_error") << body;
    EXPECT_EQ(document.normalized_text, "") << body;
  }
}

TEST(HostileHtml, PagesThatBreakGumboAreReadByTheFastParser) {
  for (const std::string_view body : PagesThatBreakTheParser()) {
    const Document document = Extractor(With(ParserKind::kFast), FeatureHasher("key"))
                                  .Extract(HtmlPage(std::string(body)));
    EXPECT_EQ(document.outcome, Outcome::kText) << body;
  }
}

TEST(HostileHtmlByGumbo, PagesAmongThoseThatBreakTheParserComeOutAsAlone) {
  Extractor extractor(With(ParserKind::kGumbo), FeatureHasher("key"));
  for (int i = 0; i < 1000; ++i) {
    const std::string honest =
        fmt::format("<title>Page {0}</title><table><tr><td>cell {0}<select><option>{0}</table>", i);
    const Document expected = ExtractByGumbo(honest);
    const auto& pages = PagesThatBreakTheParser();
    const Document broken =
        extractor.Extract(HtmlPage(std::string(pages[static_cast<std::size_t>(i) % pages.size()])));
    ASSERT_EQ(broken.detail, "parser_error");
    const Document document = extractor.Extract(HtmlPage(honest));
    ASSERT_EQ(document.outcome, Outcome::kText);
    ASSERT_EQ(document.title, expected.title);
    ASSERT_EQ(document.normalized_text, expected.normalized_text);
    ASSERT_EQ(document.features, expected.features);
  }
}

TEST(HostileHtmlByGumbo, ParserErrorOnOneThreadLeavesTheOthersAlone) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      Extractor extractor(With(ParserKind::kGumbo), FeatureHasher("key"));
      for (int i = 0; i < 200; ++i) {
        const bool broken = (i + t) % 2 == 0;
        const Document document = extractor.Extract(HtmlPage(
            broken ? std::string(PagesThatBreakTheParser().front()) : "<p>a fine page</p>"));
        EXPECT_EQ(document.detail, broken ? "parser_error" : "");
        EXPECT_EQ(document.normalized_text, broken ? "" : "a fine page");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(HostileHtmlDeathTest, AssertionOutsideOfAParseEndsTheProcessWithItsMessage) {
  Extractor extractor(With(ParserKind::kGumbo), FeatureHasher("key"));
  const auto fail_after_a_parse = [&] {
    static_cast<void>(extractor.Extract(HtmlPage(std::string(PagesThatBreakTheParser().front()))));
    __assert_fail("one == two", "file.cc", 17, "Function");
  };
  EXPECT_DEATH(fail_after_a_parse(), "file.cc:17: Function: Assertion `one == two' failed");
}

struct HonestPage {
  const char* name;
  std::string_view head;
  std::string_view unit;
  std::string_view first_words;
};

class HonestHtml : public ::testing::TestWithParam<std::tuple<HonestPage, ParserKind>> {};

TEST_P(HonestHtml, OfFourMebibytesIsStillJudged) {
  const auto& [param, parser] = GetParam();
  ExtractOptions options = With(parser);
  // Counting limits as they are; the clock is set for sanitizers on a busy machine.
  options.limits.parse_time_base = 20s;
  const Document document =
      Extractor(options, FeatureHasher("key"))
          .Extract(HtmlPage(std::string(param.head) + Repeat(param.unit, 4 * kMiB)));
  EXPECT_EQ(document.outcome, Outcome::kText) << document.detail;
  EXPECT_TRUE(document.normalized_text.starts_with(param.first_words))
      << document.normalized_text.substr(0, 80);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, HonestHtml,
    ::testing::Combine(
        ::testing::Values(
            HonestPage{"Table", "<table>", "<tr><td>1234</td><td>word</td><td>12.5</td></tr>\n",
                       "1234 word 12.5 1234"},
            HonestPage{"TerseTable", "<table>", "<tr><td>alpha<td>beta", "alpha beta alpha"},
            HonestPage{"List", "<ul>", "<li>some item</li>\n", "some item some"},
            HonestPage{"Links", "<ul>", "<li><a href=\"/a/b?c=d\">some link</a></li>\n",
                       "some link some"},
            HonestPage{"Paragraphs", "", "<p>A sentence of a <b>few</b> words.</p>\n",
                       "a sentence of a few words a"},
            HonestPage{"Preformatted", "<pre>", "A line of an ordinary long text file\n",
                       "a line of an ordinary"},
            HonestPage{"Lines", "", "one line<br>\n", "one line one"}),
        kParsers),
    NameOf<HonestPage>);

}  // namespace
}  // namespace crawlsieve::extract

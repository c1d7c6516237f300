#include "tests/support/html/hostile_pages.h"

#include <array>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace crawlsieve::html_check {
namespace {

std::size_t Share(std::size_t bytes, std::size_t percent) { return bytes / 100 * percent; }

/// `unit` as often as it takes.
std::string Repeat(std::string_view unit, std::size_t bytes) {
  std::string text;
  text.reserve(bytes + unit.size());
  while (text.size() < bytes) text += unit;
  return text;
}

/// `unit` with 0, 1, 2, ... in place of {}.
std::string Enumerate(std::string_view unit, std::size_t bytes) {
  std::string text;
  for (int i = 0; text.size() < bytes; ++i) text += fmt::format(fmt::runtime(unit), i);
  return text;
}

/// The same, from the last number down.
std::string EnumerateDown(std::string_view unit, std::size_t bytes) {
  std::vector<std::string> units;
  for (std::size_t size = 0; size < bytes; size += units.back().size()) {
    units.push_back(fmt::format(fmt::runtime(unit), units.size()));
  }
  std::string text;
  for (auto last = units.rbegin(); last != units.rend(); ++last) text += *last;
  return text;
}

/// Tags, attributes and text in any order; the same for each seed. The same block again and again,
/// so that a larger page is more of the same.
std::string TagSoup(std::size_t bytes, unsigned seed) {
  constexpr std::size_t kBlock = 4096;
  constexpr std::array<std::string_view, 32> kTags = {
      "div",   "b",      "i",      "p",        "a",        "table",  "tr",
      "td",    "svg",    "math",   "template", "select",   "option", "button",
      "font",  "nobr",   "form",   "frameset", "li",       "h1",     "foreignObject",
      "mi",    "dd",     "object", "caption",  "colgroup", "ruby",   "rt",
      "tbody", "x-card", "span",   "dialog"};
  std::mt19937 random(seed);
  std::string text;
  while (text.size() < kBlock) {
    const std::string_view tag = kTags[random() % kTags.size()];
    switch (random() % 6) {
      case 0:
        text += fmt::format("</{}>", tag);
        break;
      case 1:
        text += "x &amp; y ";
        break;
      case 2:
        text += fmt::format("<{} a{}='&lt;'>", tag, random() % 100);
        break;
      default:
        text += fmt::format("<{}>", tag);
        break;
    }
  }
  return Repeat(text, bytes);
}

// Each is made of units that are repeated up to a share of the page, in percent.
const std::vector<HostileFamily>& Families() {
  static const std::vector<HostileFamily> families = {
    {"NestedDiv", [](std::size_t bytes) { return Repeat("<div>", Share(bytes, 100)); }},
    {"NestedDivWithText", [](std::size_t bytes) { return Repeat("<div>", Share(bytes, 10)) + Repeat("x", Share(bytes, 90)); }},
    {"FormattingWithAttributes", [](std::size_t bytes) { return Enumerate("<b {}>", Share(bytes, 50)) + Enumerate("<i {}>", Share(bytes, 50)) + std::string("x"); }},
    {"NestedLinksInParagraphs", [](std::size_t bytes) { return Repeat("<p><a href=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx><p>a", Share(bytes, 100)); }},
    {"ManyAttributes", [](std::size_t bytes) { return std::string("<p ") + Enumerate("a{} ", Share(bytes, 100)) + std::string(">"); }},
    {"NestedSvg", [](std::size_t bytes) { return Repeat("<svg>", Share(bytes, 100)); }},
    {"NestedTemplate", [](std::size_t bytes) { return Repeat("<template>", Share(bytes, 100)); }},
    {"NestedMath", [](std::size_t bytes) { return Repeat("<math><mi>", Share(bytes, 100)); }},
    {"NestedTables", [](std::size_t bytes) { return Repeat("<table><tr><td>", Share(bytes, 100)); }},
    {"NestedTablesFostering", [](std::size_t bytes) { return Repeat("<table><div>x", Share(bytes, 100)); }},
    {"TextInTables", [](std::size_t bytes) { return std::string("<table>") + Repeat("x<tr>", Share(bytes, 100)); }},
    {"NestedButtons", [](std::size_t bytes) { return Repeat("<button>", Share(bytes, 100)); }},
    {"NestedFonts", [](std::size_t bytes) { return Repeat("<font size=1><p>", Share(bytes, 100)); }},
    {"Misnested", [](std::size_t bytes) { return Repeat("<b><p>", Share(bytes, 50)) + Repeat("</b>", Share(bytes, 50)); }},
    {"NestedNobr", [](std::size_t bytes) { return Repeat("<nobr>", Share(bytes, 100)); }},
    {"NestedSelect", [](std::size_t bytes) { return Repeat("<select><option>", Share(bytes, 100)); }},
    {"NestedForeignObject", [](std::size_t bytes) { return Repeat("<svg><foreignObject>", Share(bytes, 100)); }},
    {"LettersInDeepFormatting", [](std::size_t bytes) { return Repeat("<span>", Share(bytes, 10)) + std::string("<b>") + Repeat("x", Share(bytes, 90)); }},
    {"EndTagsOfNothing", [](std::size_t bytes) { return Repeat("<span>", Share(bytes, 50)) + Repeat("</x>", Share(bytes, 50)); }},
    {"FramesetBehindDeepBody", [](std::size_t bytes) { return Repeat("<span>", Share(bytes, 100)) + std::string("<frameset>"); }},
    {"FramesetBehindSvg", [](std::size_t bytes) { return Repeat("<svg>", Share(bytes, 100)) + std::string("<p><frameset>"); }},
    {"OpenComment", [](std::size_t bytes) { return std::string("<!--") + Repeat("-", Share(bytes, 100)); }},
    {"Comments", [](std::size_t bytes) { return Repeat("<!-->", Share(bytes, 100)); }},
    {"OpenTag", [](std::size_t bytes) { return std::string("<p ") + Repeat("x", Share(bytes, 100)); }},
    {"OpenAttribute", [](std::size_t bytes) { return std::string("<p a='") + Repeat("&lt;", Share(bytes, 100)); }},
    {"OpenDoctype", [](std::size_t bytes) { return std::string("<!DOCTYPE ") + Repeat("x", Share(bytes, 100)); }},
    {"OpenTitle", [](std::size_t bytes) { return std::string("<title>") + Repeat("x &", Share(bytes, 100)); }},
    {"OpenScript", [](std::size_t bytes) { return std::string("<script><!--<script>") + Repeat("</scrip>", Share(bytes, 100)); }},
    {"OpenCdata", [](std::size_t bytes) { return std::string("<svg><![CDATA[") + Repeat("]]", Share(bytes, 100)); }},
    {"LessThan", [](std::size_t bytes) { return Repeat("<", Share(bytes, 100)); }},
    {"EndTagOpen", [](std::size_t bytes) { return Repeat("</", Share(bytes, 100)); }},
    {"Ampersands", [](std::size_t bytes) { return Repeat("&#", Share(bytes, 100)); }},
    {"LongestReference", [](std::size_t bytes) { return Repeat("&CounterClockwiseContourIntegral", Share(bytes, 100)); }},
    {"Zeros", [](std::size_t bytes) { return std::string("<p>") + std::string(Share(bytes, 100), '\0'); }},
    {"OneLongWord", [](std::size_t bytes) { return Repeat("x", Share(bytes, 100)); }},
    {"FormattingWithDifferentAttributes", [](std::size_t bytes) { return Enumerate("<b a={}>", Share(bytes, 100)); }},
    {"FormattingWithDifferentAttributesAndParagraphs", [](std::size_t bytes) { return Enumerate("<b a={}>", Share(bytes, 70)) + Repeat("<p>x", Share(bytes, 30)); }},
    {"WrongEndTagsUnderSvg", [](std::size_t bytes) { return Repeat("<svg>", Share(bytes, 50)) + Repeat("</x>", Share(bytes, 50)); }},
    {"WrongEndTagsOfManyNamesUnderSvg", [](std::size_t bytes) { return std::string("<svg>") + Enumerate("<a{}>", Share(bytes, 50)) + Enumerate("</b{}>", Share(bytes, 50)); }},
    {"WrongEndTagsUnderMathInSvg", [](std::size_t bytes) { return Repeat("<svg><g><foreignObject><math><mi>", Share(bytes, 50)) + Repeat("</g>", Share(bytes, 50)); }},
    {"HeadlessAttributes", [](std::size_t bytes) { return Repeat("<p a b c d e f g h>", Share(bytes, 100)); }},
    {"RepeatedAttributes", [](std::size_t bytes) { return std::string("<p ") + Repeat("class=a ", Share(bytes, 100)) + std::string(">"); }},
    {"AttributesOfBody", [](std::size_t bytes) { return Enumerate("<body a{}>", Share(bytes, 100)); }},
    {"AttributesOfHtml", [](std::size_t bytes) { return Enumerate("<html a{}=b>", Share(bytes, 100)); }},
    {"AttributesOfFormatting", [](std::size_t bytes) { return std::string("<b ") + Enumerate("a{} ", Share(bytes, 50)) + std::string(">") + Repeat("<p>x", Share(bytes, 50)); }},
    {"LongHrefOpenedAgain", [](std::size_t bytes) { return std::string("<p><a href=\"") + Repeat("&amp;", Share(bytes, 50)) + std::string("\">") + Repeat("<p>x", Share(bytes, 50)); }},
    {"LongPlainHrefOpenedAgain", [](std::size_t bytes) { return std::string("<p><a href=\"") + Repeat("abcd", Share(bytes, 50)) + std::string("\">") + Repeat("<p>x", Share(bytes, 50)); }},
    {"LongStyleOpenedAgain", [](std::size_t bytes) { return std::string("<p><b style=\"") + Repeat("a:b;", Share(bytes, 50)) + std::string("\">") + Repeat("<p>x", Share(bytes, 50)); }},
    {"ScriptsThatEndEscaped", [](std::size_t bytes) { return Repeat("<script><!--</script>", Share(bytes, 100)); }},
    {"LongHrefInParagraphs", [](std::size_t bytes) { return std::string("<a href=\"") + Repeat("&amp;", Share(bytes, 50)) + std::string("\">") + Repeat("<p>x", Share(bytes, 50)); }},
    {"LongStyleInParagraphs", [](std::size_t bytes) { return std::string("<b style=\"") + Repeat("a:b;", Share(bytes, 50)) + std::string("\">") + Repeat("<p>x", Share(bytes, 50)); }},
    {"LongClassOfLinkInParagraphs", [](std::size_t bytes) { return std::string("<a class=\"") + Repeat("nav ", Share(bytes, 50)) + std::string("\">") + Repeat("<p>x", Share(bytes, 50)); }},
    {"LongAttributesOfThree", [](std::size_t bytes) { return Repeat("<b title=\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\">", Share(bytes, 100)); }},
    {"ParagraphsBelowSpans", [](std::size_t bytes) { return Repeat("<span>", Share(bytes, 50)) + Repeat("<p>", Share(bytes, 50)); }},
    {"EndParagraphsBelowSpans", [](std::size_t bytes) { return Repeat("<span>", Share(bytes, 50)) + Repeat("</p>", Share(bytes, 50)); }},
    {"HeadingsBelowSpans", [](std::size_t bytes) { return Repeat("<span>", Share(bytes, 50)) + Repeat("<h1>", Share(bytes, 50)); }},
    {"EndHeadingsBelowSpans", [](std::size_t bytes) { return Repeat("<span>", Share(bytes, 50)) + Repeat("</h2>", Share(bytes, 50)); }},
    {"ItemsBelowDivs", [](std::size_t bytes) { return Repeat("<div>", Share(bytes, 50)) + Repeat("<li>", Share(bytes, 50)); }},
    {"ItemsInDivs", [](std::size_t bytes) { return Repeat("<li><div>", Share(bytes, 100)); }},
    {"ItemsBelowItemDivs", [](std::size_t bytes) { return std::string("<li>") + Repeat("<div>", Share(bytes, 50)) + Repeat("<li></li>", Share(bytes, 50)); }},
    {"TermsBelowDivs", [](std::size_t bytes) { return std::string("<dl><dt>") + Repeat("<div>", Share(bytes, 50)) + Repeat("<dd><dt>", Share(bytes, 50)); }},
    {"ButtonsBelowSpans", [](std::size_t bytes) { return Repeat("<span>", Share(bytes, 50)) + Repeat("<button></button>", Share(bytes, 50)); }},
    {"FormsBelowSpans", [](std::size_t bytes) { return Repeat("<span>", Share(bytes, 50)) + Repeat("<form></form>", Share(bytes, 50)); }},
    {"EndFormsBelowSpans", [](std::size_t bytes) { return std::string("<form>") + Repeat("<span>", Share(bytes, 50)) + Repeat("</form><form>", Share(bytes, 50)); }},
    {"LinksBelowFormatting", [](std::size_t bytes) { return Enumerate("<b {}>", Share(bytes, 50)) + Repeat("<a>", Share(bytes, 50)); }},
    {"LinksInDivs", [](std::size_t bytes) { return Repeat("<a><div>", Share(bytes, 50)) + Repeat("</a>", Share(bytes, 50)); }},
    {"NobrWithAttributes", [](std::size_t bytes) { return Enumerate("<nobr {}>", Share(bytes, 100)); }},
    {"NobrInDivs", [](std::size_t bytes) { return Repeat("<nobr><div>", Share(bytes, 100)); }},
    {"AdoptionOfManyBlocks", [](std::size_t bytes) { return Repeat("<b>", Share(bytes, 30)) + Repeat("<div>", Share(bytes, 30)) + Repeat("</b>", Share(bytes, 40)); }},
    {"AdoptionOfManyKinds", [](std::size_t bytes) { return Repeat("<b><i><u><s>", Share(bytes, 40)) + std::string("<div>") + Repeat("</b></i></u></s>", Share(bytes, 60)); }},
    {"AdoptionOfManyChildren", [](std::size_t bytes) { return Repeat("<b>", Share(bytes, 20)) + std::string("<div>") + Repeat("x<br>", Share(bytes, 60)) + Repeat("</b>", Share(bytes, 20)); }},
    {"AdoptionInTables", [](std::size_t bytes) { return Repeat("<table><b><tr><i>", Share(bytes, 50)) + Repeat("</b></i>", Share(bytes, 50)); }},
    {"EndTagsOfFormattingThatIsNotOpen", [](std::size_t bytes) { return Repeat("<b>", Share(bytes, 50)) + Repeat("</i>", Share(bytes, 50)); }},
    {"FormattingClosedByCells", [](std::size_t bytes) { return Repeat("<table><tr><td><b><i>", Share(bytes, 50)) + Repeat("</table>", Share(bytes, 50)); }},
    {"MarkersInFormatting", [](std::size_t bytes) { return Repeat("<object><b>", Share(bytes, 50)) + Repeat("</object>", Share(bytes, 50)); }},
    {"ReconstructedInEveryParagraph", [](std::size_t bytes) { return Enumerate("<font size={}>", Share(bytes, 5)) + Repeat("</p>x<p>", Share(bytes, 95)); }},
    {"ReconstructedBehindCells", [](std::size_t bytes) { return std::string("<table><tr>") + Repeat("<td><b><i><u>", Share(bytes, 100)); }},
    {"TemplatesBelowSpans", [](std::size_t bytes) { return Repeat("<span>", Share(bytes, 50)) + Repeat("<template></template>", Share(bytes, 50)); }},
    {"EndTemplatesBelowSpans", [](std::size_t bytes) { return std::string("<template>") + Repeat("<span>", Share(bytes, 50)) + Repeat("</template>", Share(bytes, 50)); }},
    {"TemplatesInTables", [](std::size_t bytes) { return Repeat("<template><table><tr>", Share(bytes, 100)); }},
    {"SelectsBelowSpans", [](std::size_t bytes) { return Repeat("<span>", Share(bytes, 50)) + Repeat("<select></select>", Share(bytes, 50)); }},
    {"OptionsBelowSpans", [](std::size_t bytes) { return std::string("<select>") + Repeat("<span>", Share(bytes, 50)) + Repeat("<option>", Share(bytes, 50)); }},
    {"InputsInSelects", [](std::size_t bytes) { return Repeat("<select><input>", Share(bytes, 100)); }},
    {"OptgroupsInDivs", [](std::size_t bytes) { return std::string("<select>") + Repeat("<optgroup><div>", Share(bytes, 100)); }},
    {"TablesBelowSpans", [](std::size_t bytes) { return Repeat("<span>", Share(bytes, 50)) + Repeat("<table></table>", Share(bytes, 50)); }},
    {"EndTablesBelowSpans", [](std::size_t bytes) { return Repeat("<span>", Share(bytes, 50)) + Repeat("</table>", Share(bytes, 50)); }},
    {"SpansInTable", [](std::size_t bytes) { return std::string("<table>") + Repeat("<span>x", Share(bytes, 100)); }},
    {"FosteredTextBetweenRows", [](std::size_t bytes) { return std::string("<table>") + Repeat("<tr>x</tr>y", Share(bytes, 100)); }},
    {"SpaceInTable", [](std::size_t bytes) { return std::string("<table>") + Repeat(" ", Share(bytes, 100)) + std::string("x"); }},
    {"CaptionsInTables", [](std::size_t bytes) { return Repeat("<table><caption>", Share(bytes, 100)); }},
    {"CellsBelowSpans", [](std::size_t bytes) { return std::string("<table><tr><td>") + Repeat("<span>", Share(bytes, 50)) + Repeat("</th>", Share(bytes, 50)); }},
    {"RowsBelowSpans", [](std::size_t bytes) { return std::string("<table><tr><td>") + Repeat("<span>", Share(bytes, 50)) + Repeat("<tr>", Share(bytes, 50)); }},
    {"ColsInTables", [](std::size_t bytes) { return std::string("<table>") + Repeat("<col><colgroup>", Share(bytes, 100)); }},
    {"NestedRuby", [](std::size_t bytes) { return Repeat("<ruby><rt>", Share(bytes, 100)); }},
    {"RubyBelowSpans", [](std::size_t bytes) { return std::string("<ruby>") + Repeat("<span>", Share(bytes, 50)) + Repeat("<rt>", Share(bytes, 50)); }},
    {"BreakoutsOfSvg", [](std::size_t bytes) { return Repeat("<svg><g>", Share(bytes, 50)) + Repeat("<p>", Share(bytes, 50)); }},
    {"BreakoutsOfEverySvg", [](std::size_t bytes) { return Repeat("<svg><g><g><g><p>", Share(bytes, 100)); }},
    {"EndBreakoutsOfSvg", [](std::size_t bytes) { return Repeat("<svg><foreignObject><svg>", Share(bytes, 50)) + Repeat("</p></br>", Share(bytes, 50)); }},
    {"SvgClosedInOrder", [](std::size_t bytes) { return Repeat("<svg>", Share(bytes, 45)) + Repeat("</svg>", Share(bytes, 55)); }},
    {"SvgDescInSpans", [](std::size_t bytes) { return Repeat("<svg><desc><span>", Share(bytes, 60)) + Repeat("</desc>", Share(bytes, 40)); }},
    {"ManyNamesOpened", [](std::size_t bytes) { return Enumerate("<x{}>", Share(bytes, 50)) + Enumerate("</y{}>", Share(bytes, 50)); }},
    {"ManyNamesClosedInOrder", [](std::size_t bytes) { return Enumerate("<x{}>", Share(bytes, 50)) + EnumerateDown("</x{}>", Share(bytes, 50)); }},
    {"UnknownEndTagsUnderDivs", [](std::size_t bytes) { return Repeat("<div></x>", Share(bytes, 100)); }},
    {"UnknownEndTagsUnderUnknown", [](std::size_t bytes) { return Repeat("<y>", Share(bytes, 50)) + Repeat("</x>", Share(bytes, 50)); }},
    {"AnnotationsInMath", [](std::size_t bytes) { return Repeat("<math><annotation-xml encoding=text/html>", Share(bytes, 100)); }},
    {"Framesets", [](std::size_t bytes) { return Repeat("<frameset>", Share(bytes, 100)); }},
    {"FramesetEnds", [](std::size_t bytes) { return Repeat("<frameset>", Share(bytes, 50)) + Repeat("</frameset>", Share(bytes, 50)); }},
    {"HeadElementsBehindHead", [](std::size_t bytes) { return std::string("</head>") + Repeat("<meta><link><base>", Share(bytes, 100)); }},
    {"Titles", [](std::size_t bytes) { return Repeat("<title>x</title>", Share(bytes, 100)); }},
    {"OpenTitles", [](std::size_t bytes) { return Repeat("<title>", Share(bytes, 100)); }},
    {"CommentStarts", [](std::size_t bytes) { return Repeat("<!--", Share(bytes, 100)); }},
    {"CommentBangs", [](std::size_t bytes) { return std::string("<!--") + Repeat("--!", Share(bytes, 100)); }},
    {"BogusComments", [](std::size_t bytes) { return Repeat("<!", Share(bytes, 100)); }},
    {"ProcessingInstructions", [](std::size_t bytes) { return Repeat("<?", Share(bytes, 100)); }},
    {"BogusEndTags", [](std::size_t bytes) { return Repeat("</ >", Share(bytes, 100)); }},
    {"CdataStarts", [](std::size_t bytes) { return std::string("<svg>") + Repeat("<![CDATA[", Share(bytes, 100)); }},
    {"CdataSections", [](std::size_t bytes) { return std::string("<svg>") + Repeat("<![CDATA[x]]>", Share(bytes, 100)); }},
    {"ScriptEscapes", [](std::size_t bytes) { return std::string("<script>") + Repeat("<!--<script>", Share(bytes, 100)); }},
    {"ScriptEscapeEnds", [](std::size_t bytes) { return std::string("<script>") + Repeat("<!--<script></script>-->", Share(bytes, 100)); }},
    {"AlmostEndTitle", [](std::size_t bytes) { return std::string("<title>") + Repeat("</titl", Share(bytes, 100)); }},
    {"AlmostEndTextarea", [](std::size_t bytes) { return std::string("<textarea>") + Repeat("</textarea-", Share(bytes, 100)); }},
    {"Plaintext", [](std::size_t bytes) { return std::string("<plaintext>") + Repeat("</plaintext>", Share(bytes, 100)); }},
    {"OpenQuotes", [](std::size_t bytes) { return Repeat("<p a=\"<p b='", Share(bytes, 100)); }},
    {"QuotesWithoutEnd", [](std::size_t bytes) { return Repeat("<p a=\">", Share(bytes, 100)); }},
    {"SlashesInTag", [](std::size_t bytes) { return std::string("<p") + Repeat("/", Share(bytes, 100)); }},
    {"EqualsInTag", [](std::size_t bytes) { return std::string("<p ") + Repeat("=", Share(bytes, 100)); }},
    {"SpaceInTag", [](std::size_t bytes) { return std::string("<p") + Repeat(" ", Share(bytes, 100)); }},
    {"OpenTags", [](std::size_t bytes) { return Repeat("<p", Share(bytes, 100)); }},
    {"LongTagName", [](std::size_t bytes) { return std::string("<") + Repeat("x", Share(bytes, 100)) + std::string(">"); }},
    {"LongNamesOpened", [](std::size_t bytes) { return Enumerate("<xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx{}>", Share(bytes, 100)); }},
    {"DigitsOfReference", [](std::size_t bytes) { return std::string("&#") + Repeat("1", Share(bytes, 100)); }},
    {"HexDigitsOfReference", [](std::size_t bytes) { return std::string("&#x") + Repeat("0", Share(bytes, 100)); }},
    {"LettersOfReference", [](std::size_t bytes) { return std::string("&") + Repeat("a", Share(bytes, 100)); }},
    {"ReferencesInAttribute", [](std::size_t bytes) { return std::string("<a href=\"") + Repeat("&not=&lt", Share(bytes, 100)) + std::string("\">x"); }},
    {"ExpandingReferences", [](std::size_t bytes) { return Repeat("&#0", Share(bytes, 100)); }},
    {"CarriageReturns", [](std::size_t bytes) { return Repeat("\r", Share(bytes, 100)); }},
    {"ControlCharacters", [](std::size_t bytes) { return Repeat("\x01\xC2\x80", Share(bytes, 100)); }},
    {"Noncharacters", [](std::size_t bytes) { return Repeat("\xEF\xBF\xBF\xEF\xB7\x90", Share(bytes, 100)); }},
    {"ZerosInSvg", [](std::size_t bytes) { return std::string("<svg>") + std::string(Share(bytes, 100), '\0'); }},
    {"ZerosInTag", [](std::size_t bytes) { return std::string("<p ") + std::string(Share(bytes, 100), '\0'); }},
    {"SpaceOnly", [](std::size_t bytes) { return Repeat(" \n", Share(bytes, 100)); }},
    {"LongClasses", [](std::size_t bytes) { return std::string("<div class=\"") + Repeat("a-b_cD ", Share(bytes, 100)) + std::string("\">"); }},
    {"ManyClasses", [](std::size_t bytes) { return Repeat("<div class=\"nav header\">", Share(bytes, 100)); }},
    {"LongStyle", [](std::size_t bytes) { return std::string("<p style=\"") + Repeat(";:!", Share(bytes, 100)) + std::string("\">x"); }},
    {"Images", [](std::size_t bytes) { return Repeat("<img alt=x>", Share(bytes, 100)); }},
    {"Brs", [](std::size_t bytes) { return Repeat("<br>", Share(bytes, 100)); }},
    {"EndBrs", [](std::size_t bytes) { return Repeat("</br>", Share(bytes, 100)); }},
    {"EndPs", [](std::size_t bytes) { return Repeat("</p>", Share(bytes, 100)); }},
    {"BodyEnds", [](std::size_t bytes) { return Repeat("x</body></html>", Share(bytes, 100)); }},
    {"TagSoup1", [](std::size_t bytes) { return TagSoup(bytes, 1); }},
    {"TagSoup2", [](std::size_t bytes) { return TagSoup(bytes, 2); }},
    {"TagSoup3", [](std::size_t bytes) { return TagSoup(bytes, 3); }},
  };
  return families;
}

}  // namespace

void PrintTo(const HostileFamily& family, std::ostream* out) { *out << family.name; }

std::span<const HostileFamily> HostileFamilies() { return Families(); }

}  // namespace crawlsieve::html_check

// Each name of the list of known differences stands for one: a minimal document shows what the
// standard makes of it and what Gumbo does, and the explanation finds that name and no other.

#include "tests/support/html/known_differences.h"

#include "tests/support/html/event_log.h"
#include "tests/support/html/oracle_process.h"
#include "tests/support/html/parsers.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::html_check {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class KnownDifferenceOf : public ::testing::TestWithParam<KnownDifference> {};

TEST_P(KnownDifferenceOf, ItsExampleIsAsStated) {
  const KnownDifference& known = GetParam();
  for (const std::string& kernel : KernelNames()) {
    const auto parser = MakeParser(WideLimits(), kernel);
    EXPECT_EQ(RenderShort(ParseLog(*parser, known.example).log.events()), known.standard_events);
  }
  const auto gumbo = extract::MakeGumboParser(WideLimits());
  EXPECT_EQ(RenderShort(ParseLog(*gumbo, known.example).log.events()), known.other_events);
}

TEST_P(KnownDifferenceOf, ItsExampleIsExplainedByItAlone) {
  const auto parser = MakeParser(WideLimits(), KernelNames().front());
  const auto gumbo = extract::MakeGumboParser(WideLimits());
  const ComparedPage compared = ComparePage(*parser, *gumbo, GetParam().example);
  EXPECT_TRUE(compared.differs);
  EXPECT_THAT(compared.explanation, ElementsAre(GetParam().name));
}

INSTANTIATE_TEST_SUITE_P(List, KnownDifferenceOf,
                         ::testing::ValuesIn(KnownDifferences().begin(), KnownDifferences().end()),
                         [](const auto& known) {
                           std::string name(known.param.name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(KnownOracleDifference, EachExampleIsExplainedByItsName) {
  const char* const program = std::getenv("CRAWLSIEVE_HTML_ORACLE");
  ASSERT_NE(program, nullptr) << "CRAWLSIEVE_HTML_ORACLE names what script/html_oracle builds";
  OracleProcess oracle(program);
  const auto parser = MakeParser(WideLimits(), KernelNames().front());
  for (const KnownDifference& known : KnownOracleDifferences()) {
    EXPECT_EQ(RenderShort(ParseLog(*parser, known.example).log.events()), known.standard_events);
    EXPECT_EQ(RenderShort(ParseLog(oracle, known.example).log.events()), known.other_events);
    const ComparedPage compared =
        ComparePage(*parser, oracle, known.example, KnownOracleDifferences());
    EXPECT_THAT(compared.explanation, ElementsAre(known.name));
  }
}

TEST(KnownOracleDifference, OracleAgreesOnTheExamplesOfGumbosDifferences) {
  const char* const program = std::getenv("CRAWLSIEVE_HTML_ORACLE");
  ASSERT_NE(program, nullptr) << "CRAWLSIEVE_HTML_ORACLE names what script/html_oracle builds";
  OracleProcess oracle(program);
  const auto parser = MakeParser(WideLimits(), KernelNames().front());
  for (const KnownDifference& known : KnownDifferences()) {
    const ComparedPage compared =
        ComparePage(*parser, oracle, known.example, KnownOracleDifferences());
    EXPECT_TRUE(!compared.differs || !compared.explanation.empty())
        << known.name << ": " << compared.first_difference;
  }
}

/// Reports what another parser does, and one text more.
class TextMore final : public extract::HtmlParser {
 public:
  explicit TextMore(extract::HtmlParser& parser) : parser_(parser) {}
  [[nodiscard]] extract::ParseEnd Parse(std::string_view html,
                                        extract::HtmlEvents& events) override {
    const extract::ParseEnd end = parser_.Parse(html, events);
    events.OnText("more");
    return end;
  }

 private:
  extract::HtmlParser& parser_;
};

TEST(ComparePage, DifferenceThatNoConstructMakesIsUnexplained) {
  const auto gumbo = extract::MakeGumboParser(WideLimits());
  const auto other = extract::MakeGumboParser(WideLimits());
  TextMore wrong(*other);
  // Of all constructs of the list, none is to blame.
  std::string page;
  for (const KnownDifference& known : KnownDifferences()) page += known.example;
  const ComparedPage compared = ComparePage(wrong, *gumbo, page);
  EXPECT_TRUE(compared.differs);
  EXPECT_THAT(compared.explanation, IsEmpty());
}

// What stands behind an end tag that ends nothing is still in SVG. A predicate that took it for
// HTML would miss the construct.
TEST(ComparePage, DifferenceBehindAnEndTagThatEndsNothingIsExplained) {
  const auto gumbo = extract::MakeGumboParser(WideLimits());
  const auto parser = MakeParser(WideLimits(), KernelNames().front());
  const auto explanation = [&](std::string_view page) {
    const ComparedPage compared = ComparePage(*parser, *gumbo, page);
    EXPECT_TRUE(compared.differs) << page;
    return compared.explanation;
  };
  EXPECT_THAT(explanation("<cite><dt><svg></cite><title><dt>a"), ElementsAre("svg-title"));
  EXPECT_THAT(explanation("<li><cite><li><svg></cite><title><li>a"), ElementsAre("svg-title"));
  EXPECT_THAT(explanation("<body><svg></body><iframe><p><select><a href=x>b"),
              ElementsAre("select-content"));
}

TEST(ComparePage, WhiteSpaceIsToldFromOtherDifferences) {
  EventLog one;
  one.OnBlockBegin(extract::kNoHints);
  one.OnText(" a \n b ");
  one.OnBlockEnd();
  EventLog other;
  other.OnBlockBegin(extract::kNoHints);
  other.OnText("a b");
  other.OnBlockEnd();
  EXPECT_NE(one.events(), other.events());
  EXPECT_EQ(one.Normalized({.ignore_white_space = true}), other.events());

  EventLog joined;
  joined.OnBlockBegin(extract::kNoHints);
  joined.OnText("ab");
  joined.OnBlockEnd();
  EXPECT_NE(joined.Normalized({.ignore_white_space = true}), other.events());
}

TEST(ComparePage, PageOnWhichGumboAssertsHasAName) {
  const auto gumbo = extract::MakeGumboParser(WideLimits());
  const auto parser = MakeParser(WideLimits(), KernelNames().front());
  const ComparedPage compared =
      ComparePage(*parser, *gumbo, "<table><math><th><mo><select></table>");
  EXPECT_TRUE(compared.differs);
  EXPECT_THAT(compared.explanation, ElementsAre(kGumboAssertion));
}

}  // namespace
}  // namespace crawlsieve::html_check

#include "evaluation/html.h"

#include "consumer/observability/html_escape.h"

#include <array>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(EscapeHtml, LeavesNoMarkup) {
  EXPECT_EQ(EscapeHtml("<a href=\"x\" id='y'>&"),
            "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;");
}

TEST(DifferenceTable, MarksTheWordsOfOneSideAndEscapesThem) {
  const std::string table = DifferenceTable("<a>", "same x<y same", "b", "same z same");
  EXPECT_THAT(table, HasSubstr("<td>same <mark>x&lt;y </mark>same </td>"));
  EXPECT_THAT(table, HasSubstr("<td>same <mark>z </mark>same </td>"));
  EXPECT_THAT(table, HasSubstr("<th>&lt;a&gt;</th>"));
}

TEST(DifferenceTable, CutsLongRuns) {
  std::string same;
  for (int i = 0; i < 100; ++i) same += "w" + std::to_string(i) + ' ';
  const std::string table = DifferenceTable("a", same + "x", "b", same + "y");
  EXPECT_THAT(table, HasSubstr("w7 &hellip; w92 "));
  EXPECT_THAT(table, Not(HasSubstr("w50")));
}

TEST(LineChart, PlacesPointsBetweenLowAndOne) {
  const std::vector<ChartLine> lines{{"recall", {{0, 0.5}, {1, 1}, {2, 0.1}}}};
  const std::string svg = LineChart("title", "k", 0.5, lines);
  // 45 to 625 across, 215 (low) to 30 (one) down; what is below low stays on the frame.
  EXPECT_THAT(svg, HasSubstr("points='45.0,215.0 335.0,30.0 625.0,215.0 '"));
}

TEST(TwoBarChart, DrawsSharesNotCounts) {
  const std::array<std::uint64_t, 2> a{1, 1};
  const std::array<std::uint64_t, 2> b{0, 500};
  const std::string svg = TwoBarChart("title", "x", 1, "a", a, "b", b);
  EXPECT_THAT(svg, HasSubstr("height='185.0'"));  // all of b
  EXPECT_THAT(svg, HasSubstr("height='92.5'"));   // half of a
  EXPECT_THAT(TwoBarChart("title", "x", 1, "a", {}, "b", {}), Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace crawlsieve::consumer

#include "consumer/html/charts.h"

#include <array>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// The plot goes from 48 to 464 across and from 246 (low) to 48 (high) down.

TEST(LineChart, PlacesPointsBetweenTheEndsOfTheAxes) {
  const std::vector<ChartLine> lines{{"recall", {{0, 0.5}, {1, 1, "k"}, {2, 0.1}}}};
  const std::string svg = LineChart("title", {"k", 0, 2}, {"y", 0.5, 1}, lines);
  EXPECT_THAT(svg, HasSubstr("points=\"48.0,246.0 256.0,48.0 464.0,246.0 \""))
      << "what is below "
         "stays on the frame";
  EXPECT_THAT(svg, HasSubstr(">k</text>"));
}

TEST(LineChart, ShowsNamesAsText) {
  const std::vector<ChartLine> lines{{"<b>", {{0, 0, "<i>"}}}};
  const std::string svg = LineChart("<h1>", {"<x>", 0, 0}, {"<y>", 0, 0}, lines);
  for (const char* name : {"<b>", "<i>", "<h1>", "<x>", "<y>"}) {
    EXPECT_THAT(svg, Not(HasSubstr(name)));
  }
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(BarChart, IsAsHighAsItsHighestBarOrAsIsAsked) {
  const std::array series{BarSeries{"a", {0.5, 0.5}}, BarSeries{"b", {0, 1}}};
  EXPECT_THAT(BarChart("title", "x", 1, 0, series),
              AllOf(HasSubstr("height=\"198.0\""), HasSubstr("height=\"99.0\"")));
  EXPECT_THAT(BarChart("title", "x", 1, 2, series),
              AllOf(HasSubstr("height=\"99.0\""), HasSubstr("height=\"49.5\"")));
  EXPECT_THAT(BarChart("title", "x", 1, 0, {}), Not(HasSubstr("nan")));
}

TEST(Shares, AddUpToOneOrAreNothing) {
  EXPECT_THAT(Shares(std::array<std::uint64_t, 3>{1, 0, 3}), ElementsAre(0.25, 0, 0.75));
  EXPECT_THAT(Shares(std::array<std::uint64_t, 2>{0, 0}), ElementsAre(0, 0));
}

TEST(StepChart, DrawsKeptPagesOverDroppedOnes) {
  const std::vector<ChartStep> steps{{.from = 0, .width = 10, .dropped = 1, .kept = 3},
                                     {.from = 10, .width = 10, .dropped = 2, .kept = 0}};
  const std::string svg = StepChart("id", "label", 20, 2, steps);
  EXPECT_THAT(svg, HasSubstr("class=\"drop\" d=\"M0 135.0h10V180h-10zM10 90.0h10V180h-10z\""));
  EXPECT_THAT(svg, HasSubstr("class=\"keep\" d=\"M0 0.0h10V135.0h-10z\""));
  EXPECT_EQ(HighestStep(steps), 4U);
  EXPECT_EQ(HighestStep({}), 1U);
}

TEST(Bar, IsAShareOfItsWidth) {
  EXPECT_THAT(Bar(1, 4, true), HasSubstr("class=\"keep\" width=\"25.00\""));
  EXPECT_THAT(Bar(5, 4, false), HasSubstr("class=\"drop\" width=\"100.00\""));
  EXPECT_THAT(Bar(1, 0, false), HasSubstr("width=\"0.00\""));
}

}  // namespace
}  // namespace crawlsieve::consumer

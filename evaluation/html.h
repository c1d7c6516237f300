#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace crawlsieve::consumer {

/// A line of a chart: a name and points from left to right.
struct ChartLine {
  std::string name;
  std::vector<std::pair<double, double>> points;
};

/// An SVG element: lines over a shared x axis; the y axis goes from `y_low` to 1.
[[nodiscard]] std::string LineChart(std::string_view title, std::string_view x_name, double y_low,
                                    std::span<const ChartLine> lines);

/// An SVG element: two bars for each value of x, as high as the share of their series.
[[nodiscard]] std::string TwoBarChart(std::string_view title, std::string_view x_name,
                                      double x_step, std::string_view a_name,
                                      std::span<const std::uint64_t> a, std::string_view b_name,
                                      std::span<const std::uint64_t> b);

/// Two texts side by side, words of only one of them marked, long common runs cut down.
[[nodiscard]] std::string DifferenceTable(std::string_view a_name, std::string_view a_text,
                                          std::string_view b_name, std::string_view b_text);

/// A whole page without external resources.
[[nodiscard]] std::string HtmlPage(std::string_view title, std::string_view body);

}  // namespace crawlsieve::consumer

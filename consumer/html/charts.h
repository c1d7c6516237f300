#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::consumer {

// Charts as elements of SVG, in the colours of the design. Names are text.

/// A part of a whole as a bar, in the colour of kept or dropped pages.
[[nodiscard]] std::string Bar(double part, double whole, bool is_kept);

/// Kept and dropped pages of one step of an axis.
struct ChartStep {
  double from = 0;  ///< on the axis
  double width = 0;
  std::uint64_t dropped = 0;
  std::uint64_t kept = 0;
};

/// Kept pages over dropped ones, from 0 to `width` on an axis of time or order, with `grid` equal
/// parts. It has no text, so it is drawn as wide as there is room.
[[nodiscard]] std::string StepChart(std::string_view id, std::string_view label, double width,
                                    int grid, std::span<const ChartStep> steps);

/// The most pages of one step, at least 1: the height of StepChart.
[[nodiscard]] std::uint64_t HighestStep(std::span<const ChartStep> steps);

struct ChartAxis {
  std::string_view name;
  double low = 0;
  double high = 1;
};

struct ChartPoint {
  double x = 0;
  double y = 0;
  std::string label{};  ///< shown beside the point; empty: none
};

/// A line of a chart: a name, and points in the order in which they are joined.
struct ChartLine {
  std::string name;
  std::vector<ChartPoint> points;
};

/// Up to three lines. Points outside the axes are drawn on the frame.
[[nodiscard]] std::string LineChart(std::string_view title, const ChartAxis& x, const ChartAxis& y,
                                    std::span<const ChartLine> lines);

/// The bars of one colour: a value for each step of the x axis.
struct BarSeries {
  std::string_view name;
  std::vector<double> values;
};

/// Up to three bars beside each other at each step. `y_high` 0: as high as the highest bar.
[[nodiscard]] std::string BarChart(std::string_view title, std::string_view x_name, double x_step,
                                   double y_high, std::span<const BarSeries> series);

/// What share of their sum each of `counts` is.
[[nodiscard]] std::vector<double> Shares(std::span<const std::uint64_t> counts);

}  // namespace crawlsieve::consumer

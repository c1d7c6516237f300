#include "consumer/html/charts.h"

#include "consumer/observability/html_escape.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

constexpr double kWidth = 480;
constexpr double kHeight = 290;
constexpr double kLeft = 48;
constexpr double kTop = 48;
constexpr double kPlotWidth = kWidth - kLeft - 16;
constexpr double kPlotHeight = kHeight - kTop - 44;
constexpr std::size_t kColours = 3;

std::string Text(double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>", x, y, anchor,
                     EscapeHtml(text));
}

/// Where something lies between the ends of an axis, 0 to 1.
double Place(double value, double low, double high) {
  return high > low ? std::clamp((value - low) / (high - low), 0.0, 1.0) : 0.0;
}

double PlaceY(double value, double low, double high) {
  return kTop + kPlotHeight * (1 - Place(value, low, high));
}

/// Element, title and names of axis and series, and lines at five heights.
std::string Frame(std::string_view title, std::string_view x_name, double low, double high,
                  std::span<const std::string_view> names, bool is_lines) {
  std::string svg = fmt::format(
      "<figure><figcaption>{}</figcaption>\n<svg class=\"chart\" viewBox=\"0 0 {} {}\" "
      "role=\"img\" aria-label=\"{}\">",
      EscapeHtml(title), kWidth, kHeight, EscapeHtml(title));
  svg += Text(kLeft + kPlotWidth / 2, kHeight - 6, "middle", x_name);
  for (int i = 0; i <= 4; ++i) {
    const double y = kTop + kPlotHeight * (1 - i / 4.0);
    svg += fmt::format("<path class=\"axis\" d=\"M{:.1f} {:.1f}h{:.1f}\"/>", kLeft, y, kPlotWidth);
    svg += Text(kLeft - 6, y + 4, "end", fmt::format("{:.3g}", low + (high - low) * i / 4));
  }
  double x = kLeft;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::size_t colour = i % kColours;
    svg += is_lines ? fmt::format("<path class=\"line s{}\" d=\"M{:.1f} 14h24\"/>", colour, x)
                    : fmt::format(
                          "<rect class=\"f{}\" x=\"{:.1f}\" y=\"7\" width=\"24\" "
                          "height=\"12\"/>",
                          colour, x);
    svg += Text(x + 29, 18, "start", names[i]);
    x += 44 + 7.2 * static_cast<double>(names[i].size());
  }
  return svg;
}

constexpr std::string_view kEnd = "</svg></figure>\n";

}  // namespace

std::string Bar(double part, double whole, bool is_kept) {
  const double width = whole > 0 ? std::clamp(100 * part / whole, 0.0, 100.0) : 0.0;
  return fmt::format(R"(<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" )"
                     R"(aria-hidden="true"><rect class="{}" width="{:.2f}" height="10"/></svg>)",
                     is_kept ? "keep" : "drop", width);
}

std::uint64_t HighestStep(std::span<const ChartStep> steps) {
  std::uint64_t most = 1;
  for (const ChartStep& step : steps) most = std::max(most, step.kept + step.dropped);
  return most;
}

std::string StepChart(std::string_view id, std::string_view label, double width, int grid,
                      std::span<const ChartStep> steps) {
  constexpr double kStepHeight = 180;
  const auto most = static_cast<double>(HighestStep(steps));
  const auto y = [&](std::uint64_t count) {
    return kStepHeight * (1 - static_cast<double>(count) / most);
  };
  std::string dropped;
  std::string kept;
  for (const ChartStep& step : steps) {
    const std::uint64_t high = step.dropped + step.kept;
    if (step.dropped > 0) {
      dropped += fmt::format("M{:.0f} {:.1f}h{:.0f}V{:.0f}h-{:.0f}z", step.from, y(step.dropped),
                             step.width, kStepHeight, step.width);
    }
    if (step.kept > 0) {
      kept += fmt::format("M{:.0f} {:.1f}h{:.0f}V{:.1f}h-{:.0f}z", step.from, y(high), step.width,
                          y(step.dropped), step.width);
    }
  }
  std::string svg = fmt::format(
      R"(<svg id="{0}" viewBox="0 0 {1:.0f} {2:.0f}" preserveAspectRatio="none" height="{2:.0f}" )"
      R"(role="img" aria-label="{3}"><path class="axis" d="M0 {2:.0f}H{1:.0f}M0 0H{1:.0f}" )"
      R"(vector-effect="non-scaling-stroke"/>)",
      EscapeHtml(id), width, kStepHeight, EscapeHtml(label));
  for (int i = 0; i <= grid; ++i) {
    svg += fmt::format(
        R"(<path class="axis" d="M{:.0f} 0V{:.0f}" vector-effect="non-scaling-stroke"/>)",
        width * i / std::max(grid, 1), kStepHeight);
  }
  return svg + fmt::format(R"(<path class="keep" d="{}"/><path class="drop" d="{}"/></svg>)", kept,
                           dropped);
}

std::string LineChart(std::string_view title, const ChartAxis& x, const ChartAxis& y,
                      std::span<const ChartLine> lines) {
  std::vector<std::string_view> names;
  names.reserve(lines.size());
  for (const ChartLine& line : lines) names.push_back(line.name);
  std::string svg = Frame(title, x.name, y.low, y.high, names, /*is_lines=*/true);
  svg += Text(kLeft, kTop - 8, "start", y.name);
  const auto place_x = [&](double value) {
    return kLeft + kPlotWidth * Place(value, x.low, x.high);
  };
  for (int i = 0; i <= 4; ++i) {
    const double value = x.low + (x.high - x.low) * i / 4;
    svg += Text(place_x(value), kTop + kPlotHeight + 18, "middle", fmt::format("{:.3g}", value));
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string points;
    std::string labels;
    for (const ChartPoint& point : lines[i].points) {
      const double at_x = place_x(point.x);
      const double at_y = PlaceY(point.y, y.low, y.high);
      points += fmt::format("{:.1f},{:.1f} ", at_x, at_y);
      if (point.label.empty()) continue;
      labels += fmt::format("<circle class=\"f{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"/>",
                            i % kColours, at_x, at_y);
      labels += Text(at_x - 5, at_y + 15, "end", point.label);
    }
    svg +=
        fmt::format("<polyline class=\"line s{}\" points=\"{}\"/>{}", i % kColours, points, labels);
  }
  return svg.append(kEnd);
}

std::string BarChart(std::string_view title, std::string_view x_name, double x_step, double y_high,
                     std::span<const BarSeries> series) {
  std::vector<std::string_view> names;
  std::size_t count = 0;
  double highest = 0;
  for (const BarSeries& bars : series) {
    names.push_back(bars.name);
    count = std::max(count, bars.values.size());
    for (const double value : bars.values) highest = std::max(highest, value);
  }
  if (y_high > 0) highest = y_high;
  if (highest <= 0) highest = 1;
  std::string svg = Frame(title, x_name, 0, highest, names, /*is_lines=*/false);
  const double slot = kPlotWidth / static_cast<double>(std::max<std::size_t>(count, 1));
  const double width = 0.9 * slot / static_cast<double>(std::max<std::size_t>(series.size(), 1));
  const std::size_t every = std::max<std::size_t>((count + 11) / 12, 1);
  for (std::size_t i = 0; i < count; ++i) {
    const double x = kLeft + slot * static_cast<double>(i);
    for (std::size_t side = 0; side < series.size(); ++side) {
      const double value = i < series[side].values.size() ? series[side].values[i] : 0;
      if (value <= 0) continue;
      const double height = kPlotHeight * Place(value, 0, highest);
      svg += fmt::format(
          "<rect class=\"f{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>",
          side % kColours, x + 0.05 * slot + width * static_cast<double>(side),
          kTop + kPlotHeight - height, width, height);
    }
    if (i % every == 0) {
      svg += Text(x + slot / 2, kTop + kPlotHeight + 18, "middle",
                  fmt::format("{:.3g}", x_step * static_cast<double>(i)));
    }
  }
  return svg.append(kEnd);
}

std::vector<double> Shares(std::span<const std::uint64_t> counts) {
  const auto sum =
      static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
  std::vector<double> shares;
  shares.reserve(counts.size());
  for (const std::uint64_t count : counts) {
    shares.push_back(sum > 0 ? static_cast<double>(count) / sum : 0.0);
  }
  return shares;
}

}  // namespace crawlsieve::consumer

#include "evaluation/html.h"

#include "consumer/observability/html_escape.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "evaluation/difference.h"
#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

constexpr double kWidth = 640;
constexpr double kHeight = 260;
constexpr double kLeft = 45;
constexpr double kTop = 30;
constexpr double kPlotWidth = kWidth - kLeft - 15;
constexpr double kPlotHeight = kHeight - kTop - 45;
constexpr std::array<std::string_view, 4> kColours{"#1b6ca8", "#c8553d", "#4a7c59", "#8a6fb0"};

std::string Text(double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='{}'>{}</text>", x, y, anchor,
                     EscapeHtml(text));
}

/// Frame, title, names of axis and series, and lines at five heights from `low` to `high`.
std::string Frame(std::string_view title, std::string_view x_name, double low, double high,
                  std::span<const std::string_view> names) {
  std::string svg =
      fmt::format("<svg viewBox='0 0 {} {}' width='{}' height='{}' role='img'><title>{}</title>",
                  kWidth, kHeight, kWidth, kHeight, EscapeHtml(title));
  svg += Text(kLeft, 14, "start", title);
  svg += Text(kLeft + kPlotWidth / 2, kHeight - 6, "middle", x_name);
  for (int i = 0; i <= 4; ++i) {
    const double y = kTop + kPlotHeight * (1 - i / 4.0);
    svg += fmt::format("<line x1='{}' y1='{:.1f}' x2='{}' y2='{:.1f}' stroke='#ddd'/>", kLeft, y,
                       kLeft + kPlotWidth, y);
    svg += Text(kLeft - 5, y + 4, "end", fmt::format("{:.3g}", low + (high - low) * i / 4));
  }
  double x = kLeft + kPlotWidth;
  for (std::size_t i = names.size(); i-- > 0;) {
    svg += fmt::format("<g fill='{}'>{}</g>", kColours[i % kColours.size()],
                       Text(x, 14, "end", names[i]));
    x -= 8.0 * static_cast<double>(names[i].size()) + 12;
  }
  return svg;
}

}  // namespace

std::string LineChart(std::string_view title, std::string_view x_name, double y_low,
                      std::span<const ChartLine> lines) {
  std::vector<std::string_view> names;
  double x_high = 0;
  for (const ChartLine& line : lines) {
    names.push_back(line.name);
    for (const auto& [x, y] : line.points) x_high = std::max(x_high, x);
  }
  if (x_high == 0) x_high = 1;
  std::string svg = Frame(title, x_name, y_low, 1, names);
  const auto place_x = [&](double x) { return kLeft + kPlotWidth * x / x_high; };
  const auto place_y = [&](double y) {
    return kTop + kPlotHeight * (1 - (std::clamp(y, y_low, 1.0) - y_low) / (1 - y_low));
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string points;
    for (const auto& [x, y] : lines[i].points) {
      points += fmt::format("{:.1f},{:.1f} ", place_x(x), place_y(y));
    }
    svg += fmt::format("<polyline fill='none' stroke='{}' stroke-width='2' points='{}'/>",
                       kColours[i % kColours.size()], points);
  }
  if (!lines.empty()) {
    for (const auto& [x, y] : lines.front().points) {
      svg += Text(place_x(x), kTop + kPlotHeight + 16, "middle", fmt::format("{:.3g}", x));
    }
  }
  return svg + "</svg>\n";
}

std::string TwoBarChart(std::string_view title, std::string_view x_name, double x_step,
                        std::string_view a_name, std::span<const std::uint64_t> a,
                        std::string_view b_name, std::span<const std::uint64_t> b) {
  const auto share = [](std::span<const std::uint64_t> series, std::size_t i) {
    const auto sum = std::accumulate(series.begin(), series.end(), std::uint64_t{0});
    return sum == 0 || i >= series.size()
               ? 0.0
               : static_cast<double>(series[i]) / static_cast<double>(sum);
  };
  const std::size_t count = std::max(a.size(), b.size());
  double highest = 0;
  for (std::size_t i = 0; i < count; ++i) highest = std::max({highest, share(a, i), share(b, i)});
  if (highest == 0) highest = 1;
  const std::array names{a_name, b_name};
  std::string svg = Frame(title, x_name, 0, highest, names);
  const double slot = kPlotWidth / static_cast<double>(std::max<std::size_t>(count, 1));
  for (std::size_t i = 0; i < count; ++i) {
    const double x = kLeft + slot * static_cast<double>(i);
    for (std::size_t side = 0; side < 2; ++side) {
      const double height = kPlotHeight * share(side == 0 ? a : b, i) / highest;
      svg += fmt::format("<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='{}'/>",
                         x + slot * (side == 0 ? 0.05 : 0.5), kTop + kPlotHeight - height,
                         slot * 0.45, height, kColours[side]);
    }
    if (i % std::max<std::size_t>(count / 16, 1) == 0) {
      svg += Text(x + slot / 2, kTop + kPlotHeight + 16, "middle",
                  fmt::format("{:.3g}", x_step * static_cast<double>(i)));
    }
  }
  return svg + "</svg>\n";
}

std::string DifferenceTable(std::string_view a_name, std::string_view a_text,
                            std::string_view b_name, std::string_view b_text) {
  constexpr std::size_t kContext = 8;
  constexpr std::size_t kMaxRun = 60;
  constexpr std::size_t kMaxParts = 80;
  std::string a;
  std::string b;
  // At most `count` words of the part's beginning, or of its end.
  const auto words = [](const DifferencePart& part, std::size_t count, bool at_end) {
    const std::size_t first = at_end ? part.words.size() - count : 0;
    std::string text;
    for (std::size_t i = first; i < first + count; ++i) text += EscapeHtml(part.words[i]) + ' ';
    return text;
  };
  const auto parts = DiffWords(a_text, b_text);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i == kMaxParts) {
      a += "&hellip;";
      b += "&hellip;";
      break;
    }
    const DifferencePart& part = parts[i];
    std::string text;
    if (part.kind != DifferencePart::Kind::kBoth) {
      text = words(part, std::min(part.words.size(), kMaxRun), false);
      if (part.words.size() > kMaxRun) text += "&hellip; ";
      (part.kind == DifferencePart::Kind::kOnlyA ? a : b) += "<mark>" + text + "</mark>";
      continue;
    }
    if (part.words.size() <= 2 * kContext) {
      text = words(part, part.words.size(), false);
    } else {
      text = words(part, kContext, false) + "&hellip; " + words(part, kContext, true);
    }
    a += text;
    b += text;
  }
  return fmt::format(
      "<table><tr><th>{}</th><th>{}</th></tr><tr><td>{}</td><td>{}</td></tr></table>\n",
      EscapeHtml(a_name), EscapeHtml(b_name), a, b);
}

std::string HtmlPage(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>\n"
      "<style>\n"
      "body {{ font: 15px/1.45 sans-serif; max-width: 75em; margin: 2em auto; padding: 0 1em }}\n"
      "svg {{ font-size: 11px; display: block; margin: 1em 0; max-width: 100% }}\n"
      "table {{ border-collapse: collapse; margin: .5em 0 1.5em; width: 100% }}\n"
      "th, td {{ border: 1px solid #ccc; padding: .3em .6em; text-align: left; "
      "vertical-align: top; width: 50%; overflow-wrap: anywhere }}\n"
      "mark {{ background: #ffd54d }} pre {{ overflow-x: auto }}\n"
      "</style></head><body>\n<h1>{0}</h1>\n{1}</body></html>\n",
      EscapeHtml(title), body);
}

}  // namespace crawlsieve::consumer

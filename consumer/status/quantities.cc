#include "consumer/status/quantities.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

/// Three digits of a number below 1000.
std::string ThreeDigits(double value) {
  if (value < 9.995) return fmt::format("{:.2f}", value);
  if (value < 99.95) return fmt::format("{:.1f}", value);
  return fmt::format("{:.0f}", value);
}

std::string Scaled(double value, double step, std::span<const std::string_view> units) {
  std::size_t unit = 0;
  while (unit + 1 < units.size() && value >= 999.5) {
    value /= step;
    ++unit;
  }
  const std::string digits = unit == 0 ? fmt::format("{:.0f}", value) : ThreeDigits(value);
  return units[unit].empty() ? digits : fmt::format("{} {}", digits, units[unit]);
}

double NotNegative(double value) { return value > 0 ? value : 0.0; }

}  // namespace

std::string ShortCount(std::uint64_t count) {
  constexpr std::array<std::string_view, 5> kUnits{"", "k", "M", "G", "T"};
  return Scaled(static_cast<double>(count), 1000, kUnits);
}

std::string LongCount(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

std::string RateText(double a_second) {
  a_second = NotNegative(a_second);
  if (a_second == 0) return "0";
  if (a_second < 999.5) return ThreeDigits(a_second);
  return LongCount(static_cast<std::uint64_t>(std::llround(std::min(a_second, 1e15))));
}

std::string BytesText(double bytes) {
  constexpr std::array<std::string_view, 6> kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  return Scaled(NotNegative(bytes), 1024, kUnits);
}

std::string DurationText(double seconds) {
  seconds = NotNegative(seconds);
  if (seconds == 0) return "0 s";
  if (seconds < 0.00995) return fmt::format("{:.2g} ms", seconds * 1000);
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", seconds * 1000);
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::uint64_t>(std::llround(std::min(seconds, 1e12)));
  if (whole < 60) return fmt::format("{} s", whole);
  const auto two = [](std::uint64_t large, std::string_view large_unit, std::uint64_t small,
                      std::string_view small_unit) {
    return small == 0 ? fmt::format("{} {}", large, large_unit)
                      : fmt::format("{} {} {} {}", large, large_unit, small, small_unit);
  };
  if (whole < 3600) return two(whole / 60, "min", whole % 60, "s");
  if (whole < 86'400) return two(whole / 3600, "h", whole % 3600 / 60, "min");
  return two(whole / 86'400, "d", whole % 86'400 / 3600, "h");
}

std::string ShareText(double part, double whole) {
  if (whole <= 0) return "-";
  const double percent = 100 * part / whole;
  if (percent > 0 && percent < 0.95) return fmt::format("{:.1f} %", percent);
  return fmt::format("{:.0f} %", percent);
}

std::optional<double> SecondsLeft(double done, double left, double seconds) {
  if (done <= 0 || seconds < 2) return std::nullopt;
  return std::max(0.0, left) * seconds / done;
}

}  // namespace crawlsieve::consumer

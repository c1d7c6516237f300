#include "config/values.h"

#include <array>
#include <charconv>
#include <limits>
#include <span>

#include <fmt/format.h>

namespace crawlsieve::config {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

// Largest first: the first one that divides a value writes it.
constexpr std::array<Unit, 4> kSizeUnits{
    {{"GiB", 1U << 30}, {"MiB", 1U << 20}, {"KiB", 1U << 10}, {"B", 1}}};
constexpr std::array<Unit, 5> kTimeUnits{
    {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1000}, {"ms", 1}}};

Parsed<std::uint64_t> ParseWithUnit(std::string_view text, std::span<const Unit> units,
                                    std::string_view what, std::string_view example) {
  std::uint64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) return tl::unexpected(std::string("is too large"));
  const std::string_view unit_name(rest,
                                   static_cast<std::size_t>(text.data() + text.size() - rest));
  if (error == std::errc()) {
    for (const Unit& unit : units) {
      if (unit.name != unit_name) continue;
      if (number > std::numeric_limits<std::int64_t>::max() / unit.factor) {
        return tl::unexpected(std::string("is too large"));
      }
      return number * unit.factor;
    }
    if (unit_name.empty()) {
      return tl::unexpected(fmt::format("has no unit; write a {} such as {}", what, example));
    }
  }
  return tl::unexpected(
      fmt::format("is not a {}; write a whole number and a unit, such as {}", what, example));
}

std::string FormatWithUnit(std::uint64_t value, std::span<const Unit> units,
                           std::string_view unit_of_zero) {
  if (value == 0) return fmt::format("0{}", unit_of_zero);
  for (const Unit& unit : units) {
    if (value % unit.factor == 0) return fmt::format("{}{}", value / unit.factor, unit.name);
  }
  return {};  // the last factor is 1, which divides everything
}

}  // namespace

Parsed<std::uint64_t> ParseInteger(std::string_view text) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc::result_out_of_range) return tl::unexpected(std::string("is too large"));
  if (error != std::errc() || rest != end) {
    return tl::unexpected(std::string("is not a whole number"));
  }
  return number;
}

Parsed<std::uint32_t> ParseFraction(std::string_view text) {
  constexpr std::uint32_t kOne = 10'000;
  std::uint32_t value = 0;
  std::uint32_t unit = kOne;  // of the next digit
  bool valid = !text.empty() && text.size() <= 6;
  for (std::size_t i = 0; valid && i < text.size(); ++i) {
    if (i == 1) {
      valid = text[i] == '.' && text.size() > 2;
      continue;
    }
    valid = text[i] >= '0' && text[i] <= '9';
    value += static_cast<std::uint32_t>(text[i] - '0') * unit;
    unit /= 10;
  }
  if (!valid) {
    return tl::unexpected(
        std::string("is not a fraction; write 0, 1 or up to four digits such as 0.75"));
  }
  if (value > kOne) return tl::unexpected(std::string("must be 0 to 1"));
  return value;
}

Parsed<std::uint64_t> ParseSize(std::string_view text) {
  return ParseWithUnit(text, kSizeUnits, "size in B, KiB, MiB or GiB", "64MiB");
}

Parsed<std::chrono::milliseconds> ParseDuration(std::string_view text) {
  return ParseWithUnit(text, kTimeUnits, "duration in ms, s, m, h or d", "10s")
      .map([](std::uint64_t count) {
        return std::chrono::milliseconds(static_cast<std::int64_t>(count));
      });
}

Parsed<bool> ParseBoolean(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return tl::unexpected(std::string("is neither true nor false"));
}

std::string FormatFraction(std::uint32_t ten_thousandths) {
  std::string text = fmt::format("{}.{:04}", ten_thousandths / 10'000, ten_thousandths % 10'000);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string FormatSize(std::uint64_t bytes) { return FormatWithUnit(bytes, kSizeUnits, "B"); }

std::string FormatDuration(std::chrono::milliseconds duration) {
  return FormatWithUnit(static_cast<std::uint64_t>(duration.count()), kTimeUnits, "s");
}

}  // namespace crawlsieve::config

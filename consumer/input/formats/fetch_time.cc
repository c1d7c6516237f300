#include "consumer/input/formats/fetch_time.h"

#include "consumer/input/formats/header_block.h"

#include <chrono>
#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace crawlsieve::consumer {
namespace {

std::optional<Timestamp> ParseEpoch(std::uint64_t number) {
  constexpr std::uint64_t kFirstMilliseconds = 100'000'000'000;
  constexpr std::uint64_t kEndOf9999 = 253'402'300'800'000;
  if (number == 0) return std::nullopt;  // crawlers write it for "never"
  const std::uint64_t milliseconds = number < kFirstMilliseconds ? number * 1000 : number;
  if (milliseconds >= kEndOf9999) return std::nullopt;
  return Timestamp(std::chrono::milliseconds(static_cast<std::int64_t>(milliseconds)));
}

/// "Sun Mar 01 12:30:05 UTC 2026".
std::optional<Timestamp> ParseJavaDate(std::string_view text) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  constexpr std::size_t kSize = 28;
  if (text.size() != kSize) return std::nullopt;
  const std::size_t month = kMonths.find(text.substr(4, 3));
  const std::string_view zone = text.substr(19, 5);
  if (month == std::string_view::npos || month % 3 != 0 || (zone != " UTC " && zone != " GMT ")) {
    return std::nullopt;
  }
  return ParseRfc3339(fmt::format("{}-{:02}-{}T{}Z", text.substr(24), month / 3 + 1,
                                  text.substr(8, 2), text.substr(11, 8)));
}

}  // namespace

std::optional<Timestamp> ParseFetchTime(std::string_view text) {
  if (const auto time = ParseRfc3339(text)) return time;
  if (const auto number = ParseNumber(text)) return ParseEpoch(*number);
  if (const auto time = ParseRfc3339(std::string(text) + "Z")) return time;
  constexpr std::size_t kOffsetBytes = 5;
  if (text.size() > kOffsetBytes) {
    std::string with_colon(text);
    with_colon.insert(text.size() - 2, ":");
    if (const auto time = ParseRfc3339(with_colon)) return time;
  }
  return ParseJavaDate(text);
}

std::optional<Timestamp> ParseCompactTime(std::string_view text) {
  constexpr std::size_t kDigits = 14;
  if (text.size() != kDigits || !ParseNumber(text)) return std::nullopt;
  return ParseRfc3339(fmt::format("{}-{}-{}T{}:{}:{}Z", text.substr(0, 4), text.substr(4, 2),
                                  text.substr(6, 2), text.substr(8, 2), text.substr(10, 2),
                                  text.substr(12, 2)));
}

}  // namespace crawlsieve::consumer

#include "plugin/base/http_date.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace crawlsieve {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/// The words of `text`, at most 7: more than any form has.
std::vector<std::string_view> Words(std::string_view text) {
  std::vector<std::string_view> words;
  while (words.size() < 7) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (text.empty()) break;
    const std::size_t end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

/// A number of one digit to four; -1: it is none.
int Number(std::string_view digits) {
  if (digits.empty() || digits.size() > 4) return -1;
  int value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return -1;
    value = value * 10 + (c - '0');
  }
  return value;
}

std::optional<Timestamp> Moment(std::string_view day, std::string_view month, std::string_view year,
                                std::string_view clock) {
  unsigned month_number = 0;
  for (unsigned i = 0; i < kMonths.size(); ++i) {
    if (kMonths[i] == month) month_number = i + 1;
  }
  int year_number = Number(year);
  if (year.size() == 2 && year_number >= 0) year_number += year_number < 70 ? 2000 : 1900;
  const int day_number = Number(day);
  if (year_number < 1000 || day_number < 1) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year_number),
                                         std::chrono::month(month_number),
                                         std::chrono::day(static_cast<unsigned>(day_number))};
  if (!date.ok() || clock.size() != 8 || clock[2] != ':' || clock[5] != ':') return std::nullopt;
  const int hour = Number(clock.substr(0, 2));
  const int minute = Number(clock.substr(3, 2));
  const int second = Number(clock.substr(6, 2));
  // 60 is a leap second.
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) {
    return std::nullopt;
  }
  return Timestamp(std::chrono::sys_days(date)) + std::chrono::hours(hour) +
         std::chrono::minutes(minute) + std::chrono::seconds(second);
}

}  // namespace

std::optional<Timestamp> ParseHttpDate(std::string_view text) {
  const std::vector<std::string_view> words = Words(text);
  if (words.size() == 6 && words[5] == "GMT") return Moment(words[1], words[2], words[3], words[4]);
  if (words.size() == 4 && words[3] == "GMT") {
    const std::string_view date = words[1];
    if (date.size() != 9 || date[2] != '-' || date[6] != '-') return std::nullopt;
    return Moment(date.substr(0, 2), date.substr(3, 3), date.substr(7), words[2]);
  }
  if (words.size() == 5) return Moment(words[2], words[1], words[4], words[3]);
  return std::nullopt;
}

}  // namespace crawlsieve

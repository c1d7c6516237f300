#include "plugin/base/timestamp.h"

#include <fmt/format.h>

namespace crawlsieve {
namespace {

/// Takes digits off a text, piece by piece; any mismatch makes the whole parse fail.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool Literal(char expected) {
    if (text_.empty() || text_.front() != expected) return false;
    text_.remove_prefix(1);
    return true;
  }

  bool Digits(int count, int& value) {
    if (text_.size() < static_cast<std::size_t>(count)) return false;
    value = 0;
    for (int i = 0; i < count; ++i) {
      const char c = text_[static_cast<std::size_t>(i)];
      if (c < '0' || c > '9') return false;
      value = value * 10 + (c - '0');
    }
    text_.remove_prefix(static_cast<std::size_t>(count));
    return true;
  }

  [[nodiscard]] char Peek() const { return text_.empty() ? '\0' : text_.front(); }
  [[nodiscard]] bool AtEnd() const { return text_.empty(); }

 private:
  std::string_view text_;
};

}  // namespace

std::string FormatRfc3339(Timestamp time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  std::string text =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  clock.hours().count(), clock.minutes().count(), clock.seconds().count());
  if (clock.subseconds().count() != 0) text += fmt::format(".{:03}", clock.subseconds().count());
  text += 'Z';
  return text;
}

std::optional<Timestamp> ParseRfc3339(std::string_view text) {
  Cursor cursor(text);
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  if (!cursor.Digits(4, year) || !cursor.Literal('-') || !cursor.Digits(2, month) ||
      !cursor.Literal('-') || !cursor.Digits(2, day)) {
    return std::nullopt;
  }
  if (!cursor.Literal('T') && !cursor.Literal('t') && !cursor.Literal(' ')) return std::nullopt;
  if (!cursor.Digits(2, hour) || !cursor.Literal(':') || !cursor.Digits(2, minute) ||
      !cursor.Literal(':') || !cursor.Digits(2, second)) {
    return std::nullopt;
  }
  int millisecond = 0;
  if (cursor.Literal('.')) {
    int digit = 0;
    int count = 0;
    for (; cursor.Digits(1, digit); ++count) {
      if (count < 3) millisecond = millisecond * 10 + digit;
    }
    if (count == 0) return std::nullopt;
    for (; count < 3; ++count) millisecond *= 10;
  }
  std::chrono::minutes offset{0};
  if (!cursor.Literal('Z') && !cursor.Literal('z')) {
    const char sign = cursor.Peek();
    int offset_hours = 0, offset_minutes = 0;
    if ((sign != '+' && sign != '-') || !cursor.Literal(sign) || !cursor.Digits(2, offset_hours) ||
        !cursor.Literal(':') || !cursor.Digits(2, offset_minutes) || offset_hours > 23 ||
        offset_minutes > 59) {
      return std::nullopt;
    }
    offset = std::chrono::hours(offset_hours) + std::chrono::minutes(offset_minutes);
    if (sign == '-') offset = -offset;
  }
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  // 60 is a leap second; POSIX time has none, so it falls on the next second.
  if (!cursor.AtEnd() || !date.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
         std::chrono::seconds(second) + std::chrono::milliseconds(millisecond) - offset;
}

}  // namespace crawlsieve

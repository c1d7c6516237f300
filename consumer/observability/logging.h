#pragma once

#include "consumer/process_options.h"

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <variant>

namespace crawlsieve::consumer {

enum class LogLevel { kTrace, kDebug, kInfo, kWarn, kError };

/// One name with its value, for the length of a call to Log: it keeps views of both.
struct LogField {
  using Value = std::variant<bool, std::int64_t, std::uint64_t, double, std::string_view>;

  LogField(std::string_view field, bool flag) : name(field), value(flag) {}
  LogField(std::string_view field, std::signed_integral auto number)
      : name(field), value(static_cast<std::int64_t>(number)) {}
  LogField(std::string_view field, std::unsigned_integral auto number)
      : name(field), value(static_cast<std::uint64_t>(number)) {}
  LogField(std::string_view field, double number) : name(field), value(number) {}
  LogField(std::string_view field, std::string_view text) : name(field), value(text) {}
  /// A literal would rather become a bool than a view.
  LogField(std::string_view field, const char* text) : LogField(field, std::string_view(text)) {}

  std::string_view name;
  Value value;
};

/// Sets level and format of all that is logged from now on; before the first call they are the
/// defaults of LogOptions. An unknown level counts as "info". Thread-safe.
void ConfigureLogging(const LogOptions& options);

/// Whether events of this level are logged: for fields that are dear to compute. Thread-safe.
[[nodiscard]] bool LogEnabled(LogLevel level);

/// Writes one line about an event to standard error. Text:
///
///     2026-03-01T12:30:05.250Z info  judge.assigned partition=0 topic="crawl pages"
///
/// JSON: an object with `time`, `level`, `event` and the fields. Fields must not take these three
/// names. Whatever the bytes of a value, it stays one line of ASCII; bytes that aren't UTF-8 become
/// U+FFFD. Values of fields named like a secret (`password`, `secret`, `jaas`, `oauth`, `token` in
/// the name) are masked; whoever logs is to leave secrets out all the same.
///
/// Thread-safe; lines never mix. Costs one comparison when the level is off. Never throws: an event
/// that can't be written is lost.
void Log(LogLevel level, std::string_view event,
         std::initializer_list<LogField> fields = {}) noexcept;

/// As Log, for trouble that comes again and again for as long as something is down. Lines of one
/// event and stage whose `trouble` is the same, but for numbers in it, are summed up (Outages): the
/// first is written as it is, now and then one with `times` and `for_seconds`, and behind the last
/// a line `outage.ended`, which says how often it came and for how long. Those between are only
/// counted, by RecentProblems too. Thread-safe. Never throws.
void LogRepeating(LogLevel level, std::string_view event, std::string_view stage,
                  std::string_view trouble, std::initializer_list<LogField> fields) noexcept;

/// Writes the lines `outage.ended` that are due; with `all`, of outages that go on, too. To be
/// called every few seconds, and at the end with `all`. Thread-safe. Never throws.
void EndOutages(bool all = false) noexcept;

}  // namespace crawlsieve::consumer

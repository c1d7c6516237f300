#pragma once

#include "extract/text/options.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace crawlsieve::extract {

/// What is wrong with a regular expression for VolatileOptions::patterns; empty: nothing.
[[nodiscard]] std::string PatternProblem(const std::string& pattern);

/// Takes volatile text out of pages: dates and times in ISO 8601 and in the spellings of 16
/// languages (names of months and days from ICU), "3 hours ago", "1,234 views", session ids,
/// "(c) 2026", "generated in 0.2 s".
///
/// All of these have a digit in them, but for IsVolatile. So only the surroundings of digits go
/// through the regular expressions, which are RE2's (linear time, no backtracking) and of bounded
/// length; user patterns are tried on pieces of at most kMaxPiece bytes. Time is linear in the text
/// for both. Thread-compatible.
class VolatileText {
 public:
  static constexpr std::size_t kMaxPiece = 4 << 10;

  /// Wrong patterns are passed over; whoever takes them from a user asks PatternProblem.
  explicit VolatileText(const VolatileOptions& options);
  ~VolatileText();
  VolatileText(const VolatileText&) = delete;
  VolatileText& operator=(const VolatileText&) = delete;

  /// `text`, valid UTF-8, with a space in the place of what is volatile: `text` itself where
  /// nothing is, else a view of `buffer`.
  [[nodiscard]] std::string_view Remove(std::string_view text, std::string& buffer) const;

  /// Whether all of a block of text is volatile though there is no digit in it: "an hour ago".
  [[nodiscard]] bool IsVolatile(std::string_view block) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Everything that decides what is taken out, for the scheme.
[[nodiscard]] std::string DescribeVolatileText(const VolatileOptions& options);

}  // namespace crawlsieve::extract

#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace crawlsieve::extract {

/// White space as HTML has it: space, tab, line feed, form feed, carriage return.
[[nodiscard]] constexpr bool IsAsciiSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

[[nodiscard]] constexpr bool IsAsciiUpper(char c) { return c >= 'A' && c <= 'Z'; }
[[nodiscard]] constexpr bool IsAsciiLower(char c) { return c >= 'a' && c <= 'z'; }
[[nodiscard]] constexpr bool IsAsciiAlpha(char c) { return IsAsciiUpper(c) || IsAsciiLower(c); }
[[nodiscard]] constexpr bool IsAsciiDigit(char c) { return c >= '0' && c <= '9'; }

[[nodiscard]] constexpr char AsciiLower(char c) {
  return IsAsciiUpper(c) ? static_cast<char>(c + ('a' - 'A')) : c;
}

[[nodiscard]] inline std::string AsciiLower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return AsciiLower(c); });
  return lower;
}

[[nodiscard]] constexpr std::string_view TrimAscii(std::string_view text) {
  while (!text.empty() && IsAsciiSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsAsciiSpace(text.back())) text.remove_suffix(1);
  return text;
}

/// Whether `text` starts with `prefix`, letter case aside. `prefix` is in lower case.
[[nodiscard]] constexpr bool StartsWithNoCase(std::string_view text, std::string_view prefix) {
  if (text.size() < prefix.size()) return false;
  for (std::size_t i = 0; i < prefix.size(); ++i) {
    if (AsciiLower(text[i]) != prefix[i]) return false;
  }
  return true;
}

/// Whether `text` is `lower`, letter case aside. `lower` is in lower case.
[[nodiscard]] constexpr bool EqualsNoCase(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() && StartsWithNoCase(text, lower);
}

}  // namespace crawlsieve::extract

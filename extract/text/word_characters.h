#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <unicode/umachine.h>

namespace crawlsieve::extract {

/// The code point that begins at `at`, which goes on behind it. There is one.
UChar32 Next(std::string_view text, std::size_t& at);

/// The code point that ends before `at`, which goes back to where it begins. `at` isn't 0.
UChar32 Previous(std::string_view text, std::size_t& at);

/// Letters of scripts that have spaces between words and prefixes that aren't glued to them, and
/// the digits of all scripts here.
[[nodiscard]] bool IsWordCharacter(UChar32 c);

/// Folds letter case as RE2 does: code point by code point.
[[nodiscard]] std::string FoldCase(std::string_view word);

/// Calls `use` for each run of word characters in `text`.
template <typename Use>
void ForEachWord(std::string_view text, Use use) {
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t character = at;
    if (IsWordCharacter(Next(text, at))) continue;
    if (character != begin) use(text.substr(begin, character - begin));
    begin = at;
  }
  if (begin != text.size()) use(text.substr(begin));
}

/// Calls `use` for each part of `text` between `separator`s.
template <typename Use>
void ForEachPart(std::string_view text, char separator, Use use) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    use(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// Whether a decimal digit of ASCII, Arabic, Devanagari, Thai or of full width begins at `i`, which
/// is in `text`.
[[nodiscard]] bool DigitAt(std::string_view text, std::size_t i);

/// The first place at or behind `from` where a digit begins; the end of `text` if there is none.
[[nodiscard]] std::size_t FindDigit(std::string_view text, std::size_t from);

/// Whether a word or a number goes on over `at`: letters of Latin, Greek or Cyrillic or digits
/// stand on both sides.
[[nodiscard]] bool InWord(std::string_view text, std::size_t at);

}  // namespace crawlsieve::extract

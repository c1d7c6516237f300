#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace crawlsieve::extract {

/// U+FFFD, which stands for what could not be decoded.
inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

[[nodiscard]] constexpr bool IsUtf8Continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// Length of the longest start of `text` that is at most `max_bytes` long and ends at a code point
/// of valid UTF-8.
[[nodiscard]] constexpr std::size_t CutAtCodePoint(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text.size();
  while (max_bytes > 0 && IsUtf8Continuation(text[max_bytes])) --max_bytes;
  return max_bytes;
}

/// Code points of valid UTF-8.
[[nodiscard]] constexpr std::size_t CountCodePoints(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += IsUtf8Continuation(c) ? 0 : 1;
  return count;
}

/// Length of the run of ASCII that `text` starts with.
[[nodiscard]] inline std::size_t AsciiPrefix(std::string_view text) {
  std::size_t i = 0;
  for (; i + sizeof(std::uint64_t) <= text.size(); i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + i, sizeof(word));
    if ((word & 0x8080808080808080U) != 0) break;
  }
  while (i < text.size() && static_cast<unsigned char>(text[i]) < 0x80) ++i;
  return i;
}

/// Appends UTF-16 as UTF-8; a surrogate without its partner becomes U+FFFD.
void AppendUtf8(std::u16string_view utf16, std::string& utf8);

/// Appends what is valid UTF-8 of `bytes`, with U+FFFD for each sequence that isn't.
void AppendRepaired(std::string_view bytes, std::string& utf8);

}  // namespace crawlsieve::extract

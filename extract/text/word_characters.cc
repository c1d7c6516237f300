#include "extract/text/word_characters.h"

#include "extract/text/ascii.h"
#include "extract/text/sixteen_bytes.h"
#include "extract/text/unicode_data.h"
#include "extract/text/utf8.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/utf8.h>

namespace crawlsieve::extract {

UChar32 Next(std::string_view text, std::size_t& at) {
  UChar32 code_point = 0;
  U8_NEXT_OR_FFFD(reinterpret_cast<const std::uint8_t*>(text.data()), at, text.size(), code_point);
  return code_point;
}

UChar32 Previous(std::string_view text, std::size_t& at) {
  --at;
  if (static_cast<unsigned char>(text[at]) < 0x80) return text[at];
  while (at > 0 && IsUtf8Continuation(text[at])) --at;
  std::size_t behind = at;
  return Next(text, behind);
}

bool IsWordCharacter(UChar32 c) {
  if (c < 0x80) return IsAsciiAlpha(static_cast<char>(c)) || IsAsciiDigit(static_cast<char>(c));
  c = KnownCharacter(c);
  if (u_isdigit(c)) return true;
  if (!IsAlphabetic(c)) return false;
  UErrorCode error = U_ZERO_ERROR;
  const UScriptCode script = uscript_getScript(c, &error);
  return script == USCRIPT_LATIN || script == USCRIPT_GREEK || script == USCRIPT_CYRILLIC ||
         script == USCRIPT_INHERITED;
}

std::string FoldCase(std::string_view word) {
  if (AsciiPrefix(word) == word.size()) return AsciiLower(word);
  std::string folded;
  for (std::size_t at = 0; at < word.size();) {
    if (static_cast<unsigned char>(word[at]) < 0x80) {
      folded.push_back(AsciiLower(word[at++]));
      continue;
    }
    std::array<char, U8_MAX_LENGTH> bytes{};
    std::size_t size = 0;
    U8_APPEND_UNSAFE(bytes.data(), size, FoldCase(Next(word, at)));
    folded.append(bytes.data(), size);
  }
  return folded;
}

bool DigitAt(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) {
    return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0U;
  };
  switch (byte(0)) {
    case 0xD9:
      return byte(1) >= 0xA0 && byte(1) <= 0xA9;
    case 0xDB:
      return byte(1) >= 0xB0 && byte(1) <= 0xB9;
    case 0xE0:
      return (byte(1) == 0xA5 && byte(2) >= 0xA6 && byte(2) <= 0xAF) ||
             (byte(1) == 0xB9 && byte(2) >= 0x90 && byte(2) <= 0x99);
    case 0xEF:
      return byte(1) == 0xBC && byte(2) >= 0x90 && byte(2) <= 0x99;
    default:
      return IsAsciiDigit(text[i]);
  }
}

std::size_t FindDigit(std::string_view text, std::size_t from) {
  while (from < text.size()) {
    // Eight bytes at a time, as long as they are ASCII and none is a digit.
    constexpr std::uint64_t kOnes = 0x0101010101010101;
    for (std::uint64_t eight = 0; text.size() - from >= 8; from += 8) {
      std::memcpy(&eight, text.data() + from, 8);
      const std::uint64_t no_digits = (eight ^ ('0' * kOnes)) + (0x80 - 10) * kOnes;
      if ((eight & (0x80 * kOnes)) != 0 || (~no_digits & (0x80 * kOnes)) != 0) break;
    }
    if (from == text.size()) break;
    const std::size_t size = std::min(text.size() - from, SixteenBytes::kSize);
    const SixteenBytes block = size == SixteenBytes::kSize
                                   ? SixteenBytes::Load(text.data() + from)
                                   : SixteenBytes::LoadFirst(text.data() + from, size);
    // ASCII digits, and the bytes that those of other scripts begin with.
    std::uint32_t candidates = block.Between('0', '9') | block.Equal('\xD9') | block.Equal('\xDB') |
                               block.Equal('\xE0') | block.Equal('\xEF');
    for (; candidates != 0; candidates &= candidates - 1) {
      const std::size_t at = from + static_cast<std::size_t>(std::countr_zero(candidates));
      if (DigitAt(text, at)) return at;
    }
    from += size;
  }
  return text.size();
}

bool InWord(std::string_view text, std::size_t at) {
  if (at == 0 || at >= text.size()) return false;
  std::size_t begin = at;
  return IsWordCharacter(Previous(text, begin)) && IsWordCharacter(Next(text, at));
}

}  // namespace crawlsieve::extract

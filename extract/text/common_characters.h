#pragma once

#include "extract/text/utf8.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include <unicode/umachine.h>
#include <unicode/unorm2.h>

namespace crawlsieve::extract {

/// What a character of folded text does to words: the Word_Break classes of UAX #29, those that
/// act alike taken together.
enum class WordBreak : std::uint8_t {
  kOther,
  kLetter,
  kNumeric,
  kExtend,     ///< '_' and its like, which join to all words
  kMidBoth,    ///< between two letters or two digits: part of the word
  kMidLetter,  ///< between two letters
  kMidNumeric,
  kUnknown,  ///< only ICU knows
};

inline bool IsWordClass(WordBreak c) {
  return c == WordBreak::kLetter || c == WordBreak::kNumeric || c == WordBreak::kExtend;
}

/// What folding and word boundaries need to know of the code points of the Latin, Greek, Cyrillic
/// and Armenian scripts, of general punctuation and symbols, worked out from ICU's properties once.
/// Immutable.
class CommonCharacters {
 public:
  struct Entry {
    WordBreak word_break = WordBreak::kUnknown;  ///< of the code point itself
    bool letter_or_digit = false;
    std::uint8_t folded_size = 0;  ///< 0: only ICU knows
    std::array<char, 5> folded{};  ///< NFKC_Casefold
  };

  static const CommonCharacters& Get() {
    static const CommonCharacters instance;
    return instance;
  }

  /// The entry of the character of two or three bytes that begins at `at`, and its length. None:
  /// it isn't among those here, or not valid.
  [[nodiscard]] const Entry* Find(const char* at, const char* end, std::size_t& length) const {
    const auto lead = static_cast<unsigned char>(*at);
    if (lead < 0xD7 && end - at >= 2 && IsUtf8Continuation(at[1])) {
      length = 2;
      const std::size_t code_point = (lead & 0x1FU) << 6U | Low(at[1]);
      return lead >= 0xC2 && code_point < kLetters ? &letters_[code_point] : nullptr;
    }
    if (lead == 0xE2 && end - at >= 3 && IsUtf8Continuation(at[1]) && IsUtf8Continuation(at[2])) {
      length = 3;
      const std::size_t symbol = Low(at[1]) << 6U | Low(at[2]);
      return symbol < kSymbols ? &symbols_[symbol] : nullptr;
    }
    return nullptr;
  }

  /// The entry of a code point; nullptr: it isn't among those here.
  [[nodiscard]] const Entry* Find(char16_t c) const {
    if (c < kLetters) return &letters_[c];
    return Has(c) ? &symbols_[c - kFirstSymbol] : nullptr;
  }

  [[nodiscard]] const Entry& Ascii(char c) const { return letters_[static_cast<unsigned char>(c)]; }

  // The same of ASCII in bits; none of them for the bytes of other characters.
  static constexpr std::uint8_t kInWord = 1;
  static constexpr std::uint8_t kLetterOrDigit = 2;
  static constexpr std::uint8_t kEndsWord = 4;  ///< whatever stands around it
  [[nodiscard]] std::uint8_t AsciiKind(char c) const {
    return ascii_kinds_[static_cast<unsigned char>(c)];
  }

 private:
  static constexpr std::size_t kLetters = 0x590;
  static constexpr UChar32 kFirstSymbol = 0x2000;
  static constexpr std::size_t kSymbols = 0xC00;

  CommonCharacters();

  static std::size_t Low(char c) { return static_cast<unsigned char>(c) & 0x3FU; }

  static bool Has(UChar32 code_point) {
    return (code_point >= 0 && code_point < static_cast<UChar32>(kLetters)) ||
           (code_point >= kFirstSymbol &&
            code_point < kFirstSymbol + static_cast<UChar32>(kSymbols));
  }

  static Entry Describe(UChar32 code_point);
  static bool CanBeTakenAlone(UChar32 code_point);

  std::array<Entry, kLetters> letters_;
  std::array<Entry, kSymbols> symbols_;
  std::array<std::uint8_t, 256> ascii_kinds_{};
};

/// NFKC_Casefold.
[[nodiscard]] const UNormalizer2& Normalizer();

/// ICU fails here only for lack of memory or of its own data: neither is the page's doing. Throws
/// std::bad_alloc then.
void RequireSuccess(UErrorCode error);

}  // namespace crawlsieve::extract

#include "extract/text/common_characters.h"

#include "extract/text/unicode_data.h"

#include <new>
#include <string>

#include <unicode/uchar.h>
#include <unicode/utf16.h>

namespace crawlsieve::extract {
namespace {

/// Class of a code point in ICU's word rules of the root locale. Unknown where a rule looks at more
/// than the neighbours, as with marks, or a dictionary decides.
WordBreak ClassOf(UChar32 code_point) {
  switch (WordBreakProperty(code_point)) {
    case U_WB_ALETTER:
      return WordBreak::kLetter;
    case U_WB_NUMERIC:
      return WordBreak::kNumeric;
    case U_WB_EXTENDNUMLET:
      return WordBreak::kExtend;
    case U_WB_SINGLE_QUOTE:
    case U_WB_MIDNUMLET:
      return WordBreak::kMidBoth;
    case U_WB_MIDLETTER:
      return WordBreak::kMidLetter;
    case U_WB_MIDNUM:
      return WordBreak::kMidNumeric;
    case U_WB_OTHER:
      // A letter that is in no word class belongs to a dictionary's script.
      return IsLetterOrDigit(code_point) ? WordBreak::kUnknown : WordBreak::kOther;
    case U_WB_CR:
    case U_WB_LF:
    case U_WB_NEWLINE:
    case U_WB_WSEGSPACE:
    case U_WB_DOUBLE_QUOTE:  // counts beside Hebrew letters, which aren't among ours
      return WordBreak::kOther;
    default:
      return WordBreak::kUnknown;
  }
}

}  // namespace

void RequireSuccess(UErrorCode error) {
  if (U_FAILURE(error)) throw std::bad_alloc();
}

const UNormalizer2& Normalizer() {
  UErrorCode error = U_ZERO_ERROR;
  const UNormalizer2* normalizer = unorm2_getNFKCCasefoldInstance(&error);
  RequireSuccess(error);
  return *normalizer;
}

CommonCharacters::CommonCharacters() {
  for (std::size_t c = 0; c < kLetters; ++c) letters_[c] = Describe(static_cast<UChar32>(c));
  for (std::size_t c = 0; c < kSymbols; ++c) {
    symbols_[c] = Describe(kFirstSymbol + static_cast<UChar32>(c));
  }
  for (std::size_t c = 0; c < 0x80; ++c) {
    const Entry& entry = letters_[c];
    if (IsWordClass(entry.word_break)) ascii_kinds_[c] |= kInWord;
    if (entry.letter_or_digit) ascii_kinds_[c] |= kLetterOrDigit;
    if (entry.word_break == WordBreak::kOther) ascii_kinds_[c] |= kEndsWord;
  }
}

CommonCharacters::Entry CommonCharacters::Describe(UChar32 code_point) {
  Entry entry;
  entry.word_break = ClassOf(code_point);
  entry.letter_or_digit = IsLetterOrDigit(code_point);
  // Characters that never combine with what stands before them can be folded one by one.
  std::array<char16_t, 2> source{};
  std::int32_t source_length = 0;
  U16_APPEND_UNSAFE(source.data(), source_length, code_point);
  std::array<char16_t, 8> folded{};
  UErrorCode error = U_ZERO_ERROR;
  std::int32_t length = unorm2_normalize(&Normalizer(), source.data(), source_length, folded.data(),
                                         static_cast<std::int32_t>(folded.size()), &error);
  if (KnownCharacter(code_point) != code_point) {
    folded[0] = source[0];
    length = 1;
  }
  if (U_FAILURE(error) || length == 0 || !CanBeTakenAlone(code_point)) return entry;
  for (std::int32_t i = 0; i < length; ++i) {
    if (!CanBeTakenAlone(folded[static_cast<std::size_t>(i)])) return entry;
  }
  std::string utf8;
  AppendUtf8({folded.data(), static_cast<std::size_t>(length)}, utf8);
  if (utf8.size() > entry.folded.size()) return entry;
  entry.folded_size = static_cast<std::uint8_t>(utf8.copy(entry.folded.data(), utf8.size()));
  return entry;
}

bool CommonCharacters::CanBeTakenAlone(UChar32 code_point) {
  return Has(code_point) && ClassOf(code_point) != WordBreak::kUnknown &&
         unorm2_hasBoundaryBefore(&Normalizer(), KnownCharacter(code_point)) != 0;
}

}  // namespace crawlsieve::extract

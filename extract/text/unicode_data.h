#pragma once

#include <string>
#include <string_view>

#include <unicode/umachine.h>

namespace crawlsieve::extract {

// Unicode 15.0 and the rules of ICU 72, whatever ICU is linked. Features must not change with the
// system's libraries, or the state of a crawl would be lost at its next upgrade.
//
// Two things keep them. Characters that a later Unicode assigned count as what they were: not
// assigned. And the few properties of older characters that a later version changed are listed in
// unicode_data.cc. Everything else comes from the ICU that is linked. ProbeUnicode
// (unicode_probe.h) shows whether that is enough. Thread-safe, all of it.

/// The version whose characters are known.
inline constexpr int kUnicodeMajor = 15;
inline constexpr int kUnicodeMinor = 0;

/// Whether Unicode 15.0 assigned the code point.
[[nodiscard]] bool IsAssigned(UChar32 c);

/// `c`, or U+FFFD in the place of one that isn't assigned. Those that will be ignorable whenever
/// they are assigned stay.
[[nodiscard]] UChar32 KnownCharacter(UChar32 c);

/// A value of UWordBreakValues.
[[nodiscard]] int WordBreakProperty(UChar32 c);
[[nodiscard]] bool IsLetterOrDigit(UChar32 c);
[[nodiscard]] bool IsLetterDigitOrMark(UChar32 c);
[[nodiscard]] bool IsAlphabetic(UChar32 c);
[[nodiscard]] bool IsCurrencySign(UChar32 c);
/// Simple case folding.
[[nodiscard]] UChar32 FoldCase(UChar32 c);

/// `text` for ICU's word iterator: in the place of each character that ICU 72 took otherwise than a
/// later one does stands one of the same length that all take as it did. Points into `text` or into
/// `buffer`.
[[nodiscard]] std::u16string_view ForWordBreaks(std::u16string_view text, std::u16string& buffer);

/// Whether IDNA (UTS 46, not transitional) of Unicode 15.0 doesn't allow the character in a domain
/// name, though a later version may.
[[nodiscard]] bool IsForbiddenInNames(UChar32 c);

}  // namespace crawlsieve::extract

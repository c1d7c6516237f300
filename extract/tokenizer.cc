#include "extract/tokenizer.h"

#include "extract/ascii.h"
#include "extract/utf8.h"

#include <algorithm>
#include <array>
#include <new>

#include <fmt/format.h>
#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>
#include <unicode/uversion.h>

namespace crawlsieve::extract {
namespace {

constexpr int kMaxMarksInARow = 30;

/// Word_Break classes of ASCII as ICU 72 has them, where '@' counts as a letter and ':' as
/// nothing. Test: Tokenizer.TakesAsciiApartAsIcuDoes.
enum class WordBreak : std::uint8_t {
  kOther,
  kLetter,
  kNumeric,
  kExtend,   ///< '_', which joins to all words
  kMidBoth,  ///< between two letters or two digits: part of the word
  kMidNumeric,
};

constexpr std::array<WordBreak, 128> MakeAsciiClasses() {
  std::array<WordBreak, 128> classes{};
  for (unsigned c = 0; c < classes.size(); ++c) {
    if (IsAsciiAlpha(static_cast<char>(c))) classes[c] = WordBreak::kLetter;
    if (IsAsciiDigit(static_cast<char>(c))) classes[c] = WordBreak::kNumeric;
  }
  classes['@'] = WordBreak::kLetter;
  classes['_'] = WordBreak::kExtend;
  classes['.'] = classes['\''] = WordBreak::kMidBoth;
  classes[','] = classes[';'] = WordBreak::kMidNumeric;
  return classes;
}

constexpr std::array<WordBreak, 128> kAsciiClasses = MakeAsciiClasses();

WordBreak AsciiClass(char c) { return kAsciiClasses[static_cast<unsigned char>(c)]; }

bool IsWordClass(WordBreak c) {
  return c == WordBreak::kLetter || c == WordBreak::kNumeric || c == WordBreak::kExtend;
}

/// Rules WB6, WB7, WB11 and WB12 of UAX #29: whether what stands between two characters of class
/// `before` and `after` doesn't end the word.
bool Joins(WordBreak before, WordBreak middle, WordBreak after) {
  if (before != after) return false;
  if (before == WordBreak::kLetter) return middle == WordBreak::kMidBoth;
  if (before == WordBreak::kNumeric) {
    return middle == WordBreak::kMidBoth || middle == WordBreak::kMidNumeric;
  }
  return false;
}

bool HasLetterOrDigit(std::u16string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    UChar32 code_point = 0;
    U16_NEXT(text.data(), i, text.size(), code_point);
    if (u_isalnum(code_point)) return true;
  }
  return false;
}

/// ICU fails here only for lack of memory or of its own data: neither is the page's doing.
void RequireSuccess(UErrorCode error) {
  if (U_FAILURE(error)) throw std::bad_alloc();
}

struct BreakIteratorCloser {
  void operator()(UBreakIterator* iterator) const { ubrk_close(iterator); }
};

}  // namespace

/// ICU's normalizer and word iterator, and the buffers between them.
class Tokenizer::Icu {
 public:
  Icu() {
    UErrorCode error = U_ZERO_ERROR;
    normalizer_ = unorm2_getNFKCCasefoldInstance(&error);
    RequireSuccess(error);
    words_.reset(ubrk_open(UBRK_WORD, "", nullptr, 0, &error));
    RequireSuccess(error);
  }

  /// Calls `word(std::u16string_view)` for each segment of `utf8`, normalised, until it returns
  /// false; false then.
  template <typename Word>
  bool ForEachSegment(std::string_view utf8, Word word) {
    Decode(utf8);
    const std::u16string_view text = Normalize();
    UErrorCode error = U_ZERO_ERROR;
    ubrk_setText(words_.get(), text.data(), static_cast<std::int32_t>(text.size()), &error);
    RequireSuccess(error);
    std::int32_t begin = ubrk_first(words_.get());
    for (std::int32_t end = ubrk_next(words_.get()); end != UBRK_DONE;
         begin = end, end = ubrk_next(words_.get())) {
      if (!word(
              text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin))))
        return false;
    }
    return true;
  }

 private:
  void Decode(std::string_view utf8) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(utf8.data());
    decoded_.clear();
    int marks = 0;
    for (std::size_t i = 0; i < utf8.size();) {
      UChar32 code_point = 0;
      U8_NEXT_OR_FFFD(bytes, i, utf8.size(), code_point);
      constexpr UChar32 kFirstMark = 0x300;
      marks = code_point >= kFirstMark && u_getCombiningClass(code_point) != 0 ? marks + 1 : 0;
      if (marks > kMaxMarksInARow) continue;
      if (U_IS_BMP(code_point)) {
        decoded_.push_back(static_cast<char16_t>(code_point));
      } else {
        decoded_.push_back(U16_LEAD(code_point));
        decoded_.push_back(U16_TRAIL(code_point));
      }
    }
  }

  std::u16string_view Normalize() {
    if (normalized_.size() < decoded_.size()) normalized_.resize(2 * decoded_.size());
    for (;;) {
      UErrorCode error = U_ZERO_ERROR;
      const std::int32_t length = unorm2_normalize(
          normalizer_, decoded_.data(), static_cast<std::int32_t>(decoded_.size()),
          normalized_.data(), static_cast<std::int32_t>(normalized_.size()), &error);
      if (error != U_BUFFER_OVERFLOW_ERROR) {
        RequireSuccess(error);
        return std::u16string_view(normalized_).substr(0, static_cast<std::size_t>(length));
      }
      normalized_.resize(static_cast<std::size_t>(length));
    }
  }

  const UNormalizer2* normalizer_ = nullptr;
  std::unique_ptr<UBreakIterator, BreakIteratorCloser> words_;
  std::u16string decoded_;
  std::u16string normalized_;
};

Tokenizer::Tokenizer(const Options& options) : options_(options), icu_(std::make_unique<Icu>()) {}
Tokenizer::~Tokenizer() = default;

bool Tokenizer::Append(std::string_view utf8, TokenList& tokens) {
  // The next stretch without white space from `from` on; at most kMaxPiece long.
  const auto next_word = [utf8](std::size_t from) {
    while (from < utf8.size() && IsAsciiSpace(utf8[from])) ++from;
    const std::string_view piece = utf8.substr(from, CutAtCodePoint(utf8.substr(from), kMaxPiece));
    const auto end = std::find_if(piece.begin(), piece.end(), IsAsciiSpace);
    return piece.substr(0, static_cast<std::size_t>(end - piece.begin()));
  };

  std::string_view word = next_word(0);
  const auto offset = [utf8](std::string_view part) {
    return static_cast<std::size_t>(part.data() - utf8.data());
  };
  while (!word.empty()) {
    if (AsciiPrefix(word) == word.size()) {
      if (!AppendAscii(word, tokens)) return false;
      word = next_word(offset(word) + word.size());
      continue;
    }
    // Neighbours that need ICU go there together.
    const std::size_t begin = offset(word);
    std::size_t end = begin + word.size();
    word = next_word(end);
    while (!word.empty() && AsciiPrefix(word) != word.size() &&
           offset(word) + word.size() - begin <= kMaxPiece) {
      end = offset(word) + word.size();
      word = next_word(end);
    }
    if (!AppendWithIcu(utf8.substr(begin, end - begin), tokens)) return false;
  }
  return true;
}

bool Tokenizer::AppendAscii(std::string_view word, TokenList& tokens) const {
  std::size_t i = 0;
  while (i < word.size()) {
    while (i < word.size() && !IsWordClass(AsciiClass(word[i]))) ++i;
    const std::size_t begin = i;
    bool has_letter_or_digit = false;
    while (i < word.size()) {
      const WordBreak current = AsciiClass(word[i]);
      if (IsWordClass(current)) {
        has_letter_or_digit |= IsAsciiAlpha(word[i]) || IsAsciiDigit(word[i]);
        ++i;
      } else if (i > begin && i + 1 < word.size() &&
                 Joins(AsciiClass(word[i - 1]), current, AsciiClass(word[i + 1]))) {
        ++i;
      } else {
        break;
      }
    }
    if (!has_letter_or_digit) continue;
    if (tokens.size() == options_.max_tokens) return false;
    if (!tokens.ends.empty()) tokens.text.push_back(' ');
    const std::size_t start = tokens.text.size();
    tokens.text.append(word.substr(begin, std::min(i - begin, options_.max_token_bytes)));
    std::transform(tokens.text.begin() + static_cast<std::ptrdiff_t>(start), tokens.text.end(),
                   tokens.text.begin() + static_cast<std::ptrdiff_t>(start),
                   [](char c) { return AsciiLower(c); });
    tokens.ends.push_back(static_cast<std::uint32_t>(tokens.text.size()));
  }
  return true;
}

bool Tokenizer::AppendWithIcu(std::string_view utf8, TokenList& tokens) {
  return icu_->ForEachSegment(utf8, [&](std::u16string_view segment) {
    if (!HasLetterOrDigit(segment)) return true;
    if (tokens.size() == options_.max_tokens) return false;
    if (!tokens.ends.empty()) tokens.text.push_back(' ');
    const std::size_t start = tokens.text.size();
    // A UTF-16 unit takes at least one byte.
    AppendUtf8(segment.substr(0, options_.max_token_bytes), tokens.text);
    tokens.text.resize(start + CutAtCodePoint(std::string_view(tokens.text).substr(start),
                                              options_.max_token_bytes));
    tokens.ends.push_back(static_cast<std::uint32_t>(tokens.text.size()));
    return true;
  });
}

std::string DescribeTokenizer() {
  UVersionInfo icu;
  UVersionInfo unicode;
  u_getVersion(icu);
  u_getUnicodeVersion(unicode);
  return fmt::format("tokenizer=1 icu={}.{} unicode={}.{} normalization=nfkc_casefold words=uax29",
                     icu[0], icu[1], unicode[0], unicode[1]);
}

}  // namespace crawlsieve::extract

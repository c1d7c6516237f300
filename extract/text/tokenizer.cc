#include "extract/text/tokenizer.h"

#include "extract/text/ascii.h"
#include "extract/text/cjk_words.h"
#include "extract/text/common_characters.h"
#include "extract/text/unicode_data.h"
#include "extract/text/utf8.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <iterator>
#include <new>

#include <fmt/format.h>
#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>

namespace crawlsieve::extract {
namespace {

constexpr int kMaxMarksInARow = 30;

/// How much of a word is copied at least.
constexpr std::size_t kCopied = 16;

/// Room for folded text: folding makes at most five bytes of two, what takes one byte stays so,
/// eight bytes are written and kCopied are read at a time.
constexpr std::size_t MaxFolded(std::size_t size) { return size / 2 * 5 + 8 + kCopied; }

/// Rules WB6, WB7, WB11 and WB12 of UAX #29: whether what stands between two characters of class
/// `before` and `after` doesn't end the word.
bool Joins(WordBreak before, WordBreak middle, WordBreak after) {
  if (before != after) return false;
  if (before == WordBreak::kLetter) {
    return middle == WordBreak::kMidBoth || middle == WordBreak::kMidLetter;
  }
  if (before == WordBreak::kNumeric) {
    return middle == WordBreak::kMidBoth || middle == WordBreak::kMidNumeric;
  }
  return false;
}

bool HasLetterOrDigit(std::u16string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    UChar32 code_point = 0;
    U16_NEXT(text.data(), i, text.size(), code_point);
    if (IsLetterOrDigit(code_point)) return true;
  }
  return false;
}

struct BreakIteratorCloser {
  void operator()(UBreakIterator* iterator) const { ubrk_close(iterator); }
};

/// Length of a first piece of `text`: at most kMaxPiece long, up to a white space where it has one
/// and isn't the whole text.
std::size_t PieceSize(std::string_view text) {
  const std::size_t size = CutAtCodePoint(text, Tokenizer::kMaxPiece);
  if (size == text.size()) return size;
  const auto piece = text.substr(0, size);
  const auto space = std::find_if(piece.rbegin(), piece.rend(), IsAsciiSpace);
  return space == piece.rend() ? size : static_cast<std::size_t>(piece.rend() - space);
}

/// Length of the words, up to the white space behind them, that `text` begins with and that have
/// characters which aren't common.
std::size_t RarePrefix(std::string_view text) {
  const CommonCharacters& characters = CommonCharacters::Get();
  const char* const end = text.data() + text.size();
  const char* rare_end = text.data();
  while (rare_end != end) {
    const char* at = rare_end;
    while (at != end && IsAsciiSpace(*at)) ++at;
    bool rare = false;
    for (std::size_t length = 1; at != end && !rare && !IsAsciiSpace(*at); at += length) {
      length = 1;
      if (static_cast<unsigned char>(*at) < 0x80) continue;
      const auto* const entry = characters.Find(at, end, length);
      rare = entry == nullptr || entry->folded_size == 0;
    }
    if (!rare) break;
    rare_end = std::find_if(at, end, IsAsciiSpace);
  }
  return static_cast<std::size_t>(rare_end - text.data());
}

/// Where the last character of valid UTF-8 begins.
const char* LastCharacter(const char* begin, const char* end) {
  while (--end != begin && IsUtf8Continuation(*end)) {
  }
  return end;
}

/// Eight characters of ASCII in lower case.
std::uint64_t LowerEight(std::uint64_t ascii) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  const std::uint64_t from_a = ascii + (0x80 - 'A') * kOnes;
  const std::uint64_t behind_z = ascii + (0x80 - 'Z' - 1) * kOnes;
  return ascii + (((from_a & ~behind_z) & (0x80 * kOnes)) >> 2);
}

/// How many of the eight characters at `at` are lower-case letters and digits of ASCII before the
/// first other one.
std::size_t CommonLetters(const char* at) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  std::uint64_t eight = 0;
  std::memcpy(&eight, at, sizeof(eight));
  const std::uint64_t ascii = eight & (0x7F * kOnes);
  const auto from = [ascii](unsigned char c) { return ascii + (0x80U - c) * kOnes; };
  const std::uint64_t common =
      ((from('a') & ~from('z' + 1)) | (from('0') & ~from('9' + 1))) & ~eight & (0x80 * kOnes);
  const std::uint64_t others = common ^ (0x80 * kOnes);
  return static_cast<std::size_t>(std::countr_zero(others)) / 8;
}

/// Whether words end where `c` stands beside a character that CjkWords knows.
bool BreaksBesideCjk(char16_t c) {
  constexpr char16_t kIdeographicSpace = 0x3000;
  constexpr char16_t kFullStop = 0x3002;
  if (c >= kIdeographicSpace && c <= kFullStop) return true;
  const CommonCharacters::Entry* const entry = CommonCharacters::Get().Find(c);
  return entry != nullptr && entry->word_break != WordBreak::kUnknown &&
         entry->word_break != WordBreak::kExtend;
}

}  // namespace

/// ICU's normalizer and word iterator, and the buffers between them.
class Tokenizer::Icu {
 public:
  Icu() {
    UErrorCode error = U_ZERO_ERROR;
    words_.reset(ubrk_open(UBRK_WORD, "", nullptr, 0, &error));
    RequireSuccess(error);
  }

  /// Calls `word(std::u16string_view)` for each segment of `utf8`, normalised, that may be a word,
  /// until it returns false; false then.
  template <typename Word>
  bool ForEachSegment(std::string_view utf8, Word word) {
    Decode(utf8);
    const std::u16string_view text = Normalize();
    // Runs of Chinese and Japanese that certainly end where others begin are cut here.
    std::size_t others = 0;
    for (std::size_t at = 0; at < text.size();) {
      if (!CjkWords::Knows(text[at])) {
        ++at;
        continue;
      }
      const std::size_t begin = at;
      while (at < text.size() && CjkWords::Knows(text[at])) ++at;
      if ((begin != 0 && !BreaksBesideCjk(text[begin - 1])) ||
          (at != text.size() && !BreaksBesideCjk(text[at]))) {
        continue;
      }
      const std::vector<std::uint32_t>& ends = cjk_words_.Cut(text.substr(begin, at - begin));
      if (ends.empty()) continue;
      if (!ForEachOfOthers(text.substr(others, begin - others), word)) return false;
      std::uint32_t word_begin = 0;
      for (const std::uint32_t end : ends) {
        if (!word(text.substr(begin + word_begin, end - word_begin))) return false;
        word_begin = end;
      }
      others = at;
    }
    return ForEachOfOthers(text.substr(others), word);
  }

 private:
  /// The same for text that ICU takes apart.
  template <typename Word>
  bool ForEachOfOthers(std::u16string_view text, Word& word) {
    if (!HasLetterOrDigit(text)) return true;
    UErrorCode error = U_ZERO_ERROR;
    const std::u16string_view shown = ForWordBreaks(text, shown_);
    ubrk_setText(words_.get(), shown.data(), static_cast<std::int32_t>(shown.size()), &error);
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

  void Decode(std::string_view utf8) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(utf8.data());
    decoded_.clear();
    int marks = 0;
    for (std::size_t i = 0; i < utf8.size();) {
      UChar32 code_point = 0;
      U8_NEXT_OR_FFFD(bytes, i, utf8.size(), code_point);
      code_point = KnownCharacter(code_point);
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
          &Normalizer(), decoded_.data(), static_cast<std::int32_t>(decoded_.size()),
          normalized_.data(), static_cast<std::int32_t>(normalized_.size()), &error);
      if (error != U_BUFFER_OVERFLOW_ERROR) {
        RequireSuccess(error);
        return std::u16string_view(normalized_).substr(0, static_cast<std::size_t>(length));
      }
      normalized_.resize(static_cast<std::size_t>(length));
    }
  }

  std::unique_ptr<UBreakIterator, BreakIteratorCloser> words_;
  CjkWords cjk_words_;
  std::u16string decoded_;
  std::u16string normalized_;
  std::u16string shown_;  ///< to the word iterator
};

Tokenizer::Tokenizer(const Options& options) : options_(options), icu_(std::make_unique<Icu>()) {}
Tokenizer::~Tokenizer() = default;

bool Tokenizer::Append(std::string_view utf8, TokenList& tokens) {
  while (!utf8.empty()) {
    const std::string_view piece = utf8.substr(0, PieceSize(utf8));
    for (std::size_t at = 0; at < piece.size();) {
      const std::size_t common = FoldCommon(piece.substr(at));
      if (!AppendFolded(tokens)) return false;
      at += common;
      // Neighbours that need ICU go there together.
      const std::size_t rare = RarePrefix(piece.substr(at));
      if (rare != 0 && !AppendWithIcu(piece.substr(at, rare), tokens)) return false;
      at += rare;
    }
    utf8.remove_prefix(piece.size());
  }
  return true;
}

std::size_t Tokenizer::FoldCommon(std::string_view utf8) {
  const CommonCharacters& characters = CommonCharacters::Get();
  if (folded_.size() < MaxFolded(utf8.size())) folded_.resize(MaxFolded(utf8.size()));
  char* out = folded_.data();
  const char* const end = utf8.data() + utf8.size();
  const char* at = utf8.data();
  const char* word = at;  // where to go back to when a character is not common
  char* out_word = out;
  for (;;) {
    const char* const ascii = at;
    for (std::uint64_t eight = 0; end - at >= 8; at += 8, out += 8) {
      std::memcpy(&eight, at, 8);
      if ((eight & 0x8080808080808080U) != 0) break;
      eight = LowerEight(eight);
      std::memcpy(out, &eight, 8);
    }
    while (at != end && static_cast<unsigned char>(*at) < 0x80) *out++ = AsciiLower(*at++);
    if (at == end) break;
    const auto* const space = std::find_if(std::make_reverse_iterator(at),
                                           std::make_reverse_iterator(ascii), IsAsciiSpace)
                                  .base();
    if (space != ascii) {
      word = space;
      out_word = out - (at - space);
    }
    std::size_t length = 0;
    const CommonCharacters::Entry* const entry = characters.Find(at, end, length);
    if (entry == nullptr || entry->folded_size == 0) {
      folded_size_ = static_cast<std::size_t>(out_word - folded_.data());
      return static_cast<std::size_t>(word - utf8.data());
    }
    out = std::copy(entry->folded.begin(), entry->folded.begin() + entry->folded_size, out);
    at += length;
  }
  folded_size_ = static_cast<std::size_t>(out - folded_.data());
  return utf8.size();
}

bool Tokenizer::AppendFolded(TokenList& tokens) const {
  const CommonCharacters& characters = CommonCharacters::Get();
  const char* const end = folded_.data() + folded_size_;
  std::size_t length = 0;
  const auto entry_at = [&](const char* at) -> const CommonCharacters::Entry& {
    length = 1;
    return static_cast<unsigned char>(*at) < 0x80 ? characters.Ascii(*at)
                                                  : *characters.Find(at, end, length);
  };
  // Between two words there is a character at least, so each finds room for its space.
  const std::size_t start = tokens.text.size();
  tokens.text.resize(start + 1 + folded_size_ + kCopied);
  char* const text = tokens.text.data();
  char* out = text + start;
  // Locals, as writing characters may change any member for all the compiler knows.
  std::size_t count = tokens.ends.size();
  tokens.ends.resize(count + folded_size_ / 2 + 1);
  std::uint32_t* const ends = tokens.ends.data();
  const std::size_t max_tokens = options_.max_tokens;
  bool room = true;
  for (const char* at = folded_.data(); at != end;) {
    const char* const begin = at;
    // Most words are letters alone, and few of them more than eight: no branch for each.
    at = std::min(at + CommonLetters(at), end);
    std::uint8_t seen = at != begin ? CommonCharacters::kLetterOrDigit : 0;
    for (;;) {
      std::uint8_t kind = 0;
      while (at != end && ((kind = characters.AsciiKind(*at)) & CommonCharacters::kInWord) != 0) {
        seen |= kind;
        ++at;
      }
      if (at == end || (kind & CommonCharacters::kEndsWord) != 0) break;
      const CommonCharacters::Entry* entry = &entry_at(at);
      if (!IsWordClass(entry->word_break)) {
        // What joins two characters of a class, if it does.
        const char* const behind = at + length;
        if (at == begin || behind == end) break;
        const WordBreak middle = entry->word_break;
        const WordBreak before = entry_at(LastCharacter(begin, at)).word_break;
        entry = &entry_at(behind);
        if (!Joins(before, middle, entry->word_break)) break;
        at = behind;
      }
      seen |= entry->letter_or_digit ? CommonCharacters::kLetterOrDigit : 0;
      at += length;
    }
    if ((seen & CommonCharacters::kLetterOrDigit) != 0) {
      room = count < max_tokens;
      if (!room) break;
      if (count != 0) *out++ = ' ';
      const std::size_t size =
          CutAtCodePoint({begin, static_cast<std::size_t>(at - begin)}, options_.max_token_bytes);
      // Nearly all words are short: copies of a known size are single instructions.
      std::memcpy(out, begin, size <= kCopied ? kCopied : size);
      out += size;
      ends[count++] = static_cast<std::uint32_t>(out - text);
    }
    if (at != end) {
      (void)entry_at(at);
      at += length;
    }
  }
  tokens.text.resize(static_cast<std::size_t>(out - text));
  tokens.ends.resize(count);
  return room;
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

std::string DescribeTokenizer(std::string_view icu) {
  return fmt::format("tokenizer=1 {} normalization=nfkc_casefold words=uax29", icu);
}

}  // namespace crawlsieve::extract

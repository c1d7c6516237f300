#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::extract {

/// Normalised words of a text, in order. Value type.
struct TokenList {
  std::string text;                 ///< the tokens, one space between them
  std::vector<std::uint32_t> ends;  ///< for each token the index in `text` behind its last byte

  [[nodiscard]] std::size_t size() const { return ends.size(); }

  /// `count` tokens from `first` on, with the spaces between them. They must be there.
  [[nodiscard]] std::string_view Span(std::size_t first, std::size_t count) const {
    const std::size_t begin = first == 0 ? 0 : ends[first - 1] + 1;
    return std::string_view(text).substr(begin, ends[first + count - 1] - begin);
  }

  /// Keeps the memory for the next text, unless it is that of an uncommonly large one.
  void Clear() {
    constexpr std::size_t kKeptBytes = 8 << 20;
    if (text.capacity() > kKeptBytes) *this = {};
    text.clear();
    ends.clear();
  }
};

/// Cuts text into words: NFKC with case folding (Unicode's NFKC_Casefold), then the word
/// boundaries of UAX #29 with dictionaries for Chinese, Japanese, Thai and their like, as ICU 72
/// has them for the root locale (unicode_data.h). Segments with a letter or digit are words, all
/// others are dropped.
///
/// Text of common characters (Latin, Greek, Cyrillic and Armenian letters, general punctuation,
/// symbols, no combining marks) takes a short way that yields what ICU would: tables of ICU's
/// properties, made at start. Runs of Chinese and Japanese are cut by CjkWords. All other text goes
/// to ICU in pieces: cut at ASCII white space, which no word crosses, or after kMaxPiece bytes
/// without any. Of combining marks in a row the first 30 count (UAX #15, Stream-Safe Text Format),
/// as reordering them takes quadratic time. Thread-compatible.
class Tokenizer {
 public:
  struct Options {
    std::size_t max_tokens;
    std::size_t max_token_bytes;  ///< longer tokens are cut to this length, at a code point
  };

  static constexpr std::size_t kMaxPiece = 64 << 10;

  explicit Tokenizer(const Options& options);
  ~Tokenizer();
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;

  /// Appends the words of `utf8`. False when `tokens` would get more than max_tokens; it then
  /// holds the first of them.
  [[nodiscard]] bool Append(std::string_view utf8, TokenList& tokens);

 private:
  class Icu;

  /// Puts the words that `utf8` begins with into folded_, up to the first one with a character
  /// that isn't common; how many bytes these are. `utf8` is at most kMaxPiece long.
  [[nodiscard]] std::size_t FoldCommon(std::string_view utf8);
  /// Appends the words of folded_, which holds common characters alone.
  [[nodiscard]] bool AppendFolded(TokenList& tokens) const;
  [[nodiscard]] bool AppendWithIcu(std::string_view utf8, TokenList& tokens);

  Options options_;
  std::unique_ptr<Icu> icu_;
  std::string folded_;
  std::size_t folded_size_ = 0;  ///< what of folded_ counts
};

/// What decides where words begin and end, for the scheme. `icu`: the name of the ICU that it acts
/// as.
[[nodiscard]] std::string DescribeTokenizer(std::string_view icu);

}  // namespace crawlsieve::extract

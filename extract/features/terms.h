#pragma once

#include "extract/features/options.h"
#include "extract/text/tokenizer.h"
#include "plugin/fingerprint/feature.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::extract {

/// The language of `text`, valid UTF-8, by CLD2: an ISO 639 code ("de", "zh", "zh-Hant"); empty
/// when CLD2 isn't sure. Looks at the first kLanguageSample bytes, or at kShortLanguageSample where
/// these agree with `declared`, the page's own word for it (a BCP 47 tag, or empty).
[[nodiscard]] std::string_view DetectLanguage(std::string_view text, std::string_view declared);

inline constexpr std::size_t kLanguageSample = 512;
inline constexpr std::size_t kShortLanguageSample = 160;

/// Tokens in a row of the same weight.
struct TokenRun {
  std::size_t end;  ///< the index behind the last one; the run begins where the one before ends
  std::uint32_t weight;
};

/// Turns words into terms: without stop words, stemmed, hashed, by the language of the text.
///
/// What words become is remembered in a table of 2 MiB; it depends on the word and the language
/// alone, so what is in it never shows. There a word of up to 16 bytes is itself, a longer one 128
/// bits of SipHash under a random key. Thread-compatible.
class TermFinder {
 public:
  TermFinder(const TermOptions& options, const FeatureHasher& hasher);
  ~TermFinder();
  TermFinder(const TermFinder&) = delete;
  TermFinder& operator=(const TermFinder&) = delete;

  /// Replaces `terms` by the hashes of the terms of `tokens`, in order, each with the weight of its
  /// token's run. Where the language is unknown or has neither stemmer nor stop words here, and
  /// where all are stop words, the terms are the tokens.
  void Find(std::string_view language, const TokenList& tokens, const std::vector<TokenRun>& runs,
            std::vector<Feature>& terms);

  /// What Find makes of one word; empty for a stop word.
  [[nodiscard]] std::string TermOf(std::string_view language, std::string_view word);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// What detection, stop words and stemming make of a sentence in each language, a line each: the
/// libraries don't all say their versions, and this shows whether an upgrade changed anything.
[[nodiscard]] std::string ProbeTerms();

/// Versions and options of all this and a checksum of ProbeTerms, for the scheme.
[[nodiscard]] std::string DescribeTerms(const TermOptions& options);

}  // namespace crawlsieve::extract

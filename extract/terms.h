#pragma once

#include "extract/features.h"
#include "extract/options.h"
#include "extract/tokenizer.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace crawlsieve::extract {

/// The language of `text`, valid UTF-8, by CLD2: an ISO 639 code ("de", "zh", "zh-Hant"); empty
/// when CLD2 isn't sure. Looks at the first kLanguageSample bytes.
[[nodiscard]] std::string_view DetectLanguage(std::string_view text);

inline constexpr std::size_t kLanguageSample = 512;

/// Turns words into terms: without stop words, stemmed, by the language of the text.
///
/// Stems are remembered in a table of fixed size; they depend on the word and the language alone,
/// so what is in it never shows. Thread-compatible.
class TermFinder {
 public:
  explicit TermFinder(const TermOptions& options);
  ~TermFinder();
  TermFinder(const TermFinder&) = delete;
  TermFinder& operator=(const TermFinder&) = delete;

  /// Replaces `terms` and `term_runs` by the terms of `tokens` and their weights. Where the
  /// language is unknown or has neither stemmer nor stop words here, and where all are stop
  /// words, the terms are the tokens.
  void Find(std::string_view language, const TokenList& tokens, const std::vector<TokenRun>& runs,
            TokenList& terms, std::vector<TokenRun>& term_runs);

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

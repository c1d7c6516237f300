#include "extract/features/terms.h"

#include "extract/features/english_stemmer.h"
#include "extract/features/language_rules.h"
#include "extract/features/term_memory.h"
#include "extract/features/term_weights.h"
#include "extract/text/ascii.h"
#include "extract/text/utf8.h"
#include "plugin/fingerprint/checksum.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include <cld2/public/compact_lang_det.h>
#include <cld2/public/encodings.h>
#include <fmt/format.h>
#include <libstemmer.h>

namespace crawlsieve::extract {
namespace {

/// Longer words are names and numbers; they stay as they are.
constexpr std::size_t kMaxStemmed = 48;

struct StemmerCloser {
  void operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }
};

/// What CLD2 makes of the first `sample` bytes; empty when it isn't sure.
std::string_view Guess(std::string_view text, std::size_t sample) {
  text = text.substr(0, CutAtCodePoint(text, sample));
  bool reliable = false;
  const CLD2::Language language = CLD2::DetectLanguage(text.data(), static_cast<int>(text.size()),
                                                       /*is_plain_text=*/true, &reliable);
  if (!reliable || language == CLD2::UNKNOWN_LANGUAGE) return {};
  return CLD2::LanguageCode(language);
}

/// Whether `declared`, a BCP 47 tag as "en-GB", is of the language with this code. Chinese isn't:
/// its tags name the script in many ways.
bool IsSameLanguage(std::string_view code, std::string_view declared) {
  return code.size() == 2 && code != "zh" && StartsWithNoCase(declared, code) &&
         (declared.size() == 2 || declared[2] == '-' || declared[2] == '_');
}

}  // namespace

std::string_view DetectLanguage(std::string_view text, std::string_view declared) {
  // Where the page says what the beginning shows, there is no need to look at more.
  if (!declared.empty() && text.size() > kShortLanguageSample) {
    const std::string_view language = Guess(text, kShortLanguageSample);
    if (IsSameLanguage(language, declared)) return language;
  }
  return Guess(text, kLanguageSample);
}

class TermFinder::Impl {
 public:
  Impl(const TermOptions& options, const FeatureHasher& hasher)
      : options_(options), hasher_(hasher) {
    // Through the tokenizer, so that they are spelled as its words are.
    Tokenizer tokenizer({.max_tokens = 1000, .max_token_bytes = 256});
    for (std::size_t i = 0; i < kLanguageCount; ++i) {
      TokenList& words = stop_lists_[i];
      (void)tokenizer.Append(AllLanguageRules()[i].stop_words, words);
      for (std::size_t w = 0; w < words.size(); ++w) {
        const std::string_view word = words.Span(w, 1);
        stop_words_[i].insert(word);
        stop_shapes_[i].set(ShapeOf(word));
      }
    }
  }

  void Find(std::string_view language, const TokenList& tokens, const std::vector<TokenRun>& runs,
            std::vector<Feature>& terms) {
    const std::uint32_t rules = FindRules(language);
    FindTerms(rules, tokens, runs, terms);
    if (terms.empty() && rules != 0) FindTerms(0, tokens, runs, terms);
  }

  std::string_view TermOf(std::uint32_t language, std::string_view word) {
    if (word.empty()) return {};
    if (options_.stop_words && stop_shapes_[language].test(ShapeOf(word)) &&
        stop_words_[language].contains(word)) {
      return {};
    }
    const char* const name = AllLanguageRules()[language].stemmer;
    if (!options_.stem || name == nullptr || word.size() > kMaxStemmed) return word;
    if (language == kEnglish && AsciiPrefix(word) == word.size()) {
      std::copy(word.begin(), word.end(), english_.begin());
      const std::string_view stem = StemEnglish(std::span(english_.data(), word.size()));
      return stem.empty() ? word : stem;
    }
    auto& stemmer = stemmers_[language];
    if (stemmer == nullptr) stemmer.reset(sb_stemmer_new(name, "UTF_8"));
    if (stemmer == nullptr) return word;
    const auto* stem =
        sb_stemmer_stem(stemmer.get(), reinterpret_cast<const sb_symbol*>(word.data()),
                        static_cast<int>(word.size()));
    const auto size = static_cast<std::size_t>(sb_stemmer_length(stemmer.get()));
    // None is empty for us, as the empty one means a stop word.
    return stem != nullptr && size != 0
               ? std::string_view(reinterpret_cast<const char*>(stem), size)
               : word;
  }

 private:
  /// Last bits of a word's first and last byte and of its length: they rule out most words that
  /// aren't stop words, within a few cache lines.
  static std::size_t ShapeOf(std::string_view word) {
    const auto low = [](char c) { return static_cast<unsigned char>(c) & 0x1FU; };
    return (low(word.front()) << 5U | low(word.back())) << 4U | (word.size() & 0xFU);
  }
  static constexpr std::size_t kShapes = std::size_t{32} * 32 * 16;

  void FindTerms(std::uint32_t language, const TokenList& tokens, const std::vector<TokenRun>& runs,
                 std::vector<Feature>& terms) {
    terms.resize(tokens.size());
    std::size_t count = 0;
    std::size_t at = 0;
    std::size_t identified = 0;
    for (const TokenRun& run : runs) {
      for (; at < run.end; ++at) {
        if (at == identified) identified = IdentifyAhead(language, tokens, at);
        const TermMemory::Key& word = ahead_[at % kAhead];
        std::optional<Feature> term = memory_.Find(word);
        if (!term.has_value()) {
          const std::string_view text = TermOf(language, tokens.Span(at, 1));
          term = text.empty() ? Feature{} : Feature{hasher_.Hash(text), WeightOf(text)};
          memory_.Add(word, *term);
        }
        // The next one takes the place of a stop word: which words are is nothing to predict.
        terms[count] = {term->hash, term->weight * run.weight};
        count += term->weight != 0 ? 1 : 0;
      }
    }
    terms.resize(count);
  }

  [[nodiscard]] std::uint32_t WeightOf(std::string_view term) const {
    return options_.weights == nullptr ? 1 : options_.weights->WeightOf(term);
  }

  /// Puts the keys of the tokens from `at` on, a multiple of kAhead, into ahead_; the index behind
  /// the last one. What is remembered of them lies anywhere: asking for it before it is needed
  /// saves the wait.
  std::size_t IdentifyAhead(std::uint32_t language, const TokenList& tokens, std::size_t at) {
    const std::size_t end = std::min(at + kAhead, tokens.size());
    std::size_t begin = at == 0 ? 0 : tokens.ends[at - 1] + 1;
    for (std::size_t i = at; i < end; ++i) {
      ahead_[i % kAhead] = memory_.KeyOf(tokens.text, begin, tokens.ends[i], language);
      memory_.Prefetch(ahead_[i % kAhead]);
      begin = tokens.ends[i] + 1;
    }
    return end;
  }

  static constexpr std::size_t kAhead = 32;

  const TermOptions options_;
  FeatureHasher hasher_;
  std::array<TokenList, kLanguageCount> stop_lists_;
  std::array<std::unordered_set<std::string_view>, kLanguageCount> stop_words_;  ///< of stop_lists_
  std::array<std::bitset<kShapes>, kLanguageCount> stop_shapes_;                 ///< of stop_words_
  std::array<std::unique_ptr<sb_stemmer, StemmerCloser>, kLanguageCount> stemmers_;
  std::array<char, kMaxStemmed> english_{};  ///< what StemEnglish works on
  TermMemory memory_;
  std::array<TermMemory::Key, kAhead> ahead_{};
};

TermFinder::TermFinder(const TermOptions& options, const FeatureHasher& hasher)
    : impl_(std::make_unique<Impl>(options, hasher)) {}
TermFinder::~TermFinder() = default;

void TermFinder::Find(std::string_view language, const TokenList& tokens,
                      const std::vector<TokenRun>& runs, std::vector<Feature>& terms) {
  impl_->Find(language, tokens, runs, terms);
}

std::string TermFinder::TermOf(std::string_view language, std::string_view word) {
  return std::string(impl_->TermOf(FindRules(language), word));
}

std::string ProbeTerms() {
  Tokenizer tokenizer({.max_tokens = 1000, .max_token_bytes = 256});
  TermFinder finder({}, FeatureHasher(""));
  std::string probe;
  for (const LanguageRules& rules : AllLanguageRules()) {
    if (rules.sample.empty()) continue;
    TokenList tokens;
    (void)tokenizer.Append(rules.sample, tokens);
    probe += fmt::format("{} {}:", rules.code, DetectLanguage(tokens.text, {}));
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const std::string term = finder.TermOf(rules.code, tokens.Span(i, 1));
      if (!term.empty()) probe += ' ' + term;
    }
    probe += '\n';
  }
  return probe;
}

std::string DescribeTerms(const TermOptions& options) {
  const std::string weights =
      options.weights == nullptr ? "none" : Hex(options.weights->checksum());
  if (!options.stop_words && !options.stem) return fmt::format("terms=none weights={}", weights);
  return fmt::format("terms=2:{}:{} cld2={} sample={}/{} probe={} weights={}", options.stop_words,
                     options.stem, CLD2::DetectLanguageVersion(), kShortLanguageSample,
                     kLanguageSample, Hex(RawChecksum(ProbeTerms())), weights);
}

}  // namespace crawlsieve::extract

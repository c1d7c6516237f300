#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace crawlsieve::extract {

/// What is done to the words of a language.
struct LanguageRules {
  std::string_view code;        ///< of CLD2
  const char* stemmer;          ///< of Snowball; nullptr: none
  std::string_view sample;      ///< ProbeTerms' sentence
  std::string_view stop_words;  ///< function words, a space between them
};

/// All languages that have rules. The first one is for all others: their words stay as they are.
[[nodiscard]] std::span<const LanguageRules> AllLanguageRules();

inline constexpr std::size_t kLanguageCount = 25;

/// The index of English in AllLanguageRules.
inline constexpr std::uint32_t kEnglish = 1;

/// The index of a language, a code of CLD2, in AllLanguageRules; 0 where there are none of its own.
[[nodiscard]] std::uint32_t FindRules(std::string_view language);

}  // namespace crawlsieve::extract

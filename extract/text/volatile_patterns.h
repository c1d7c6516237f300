#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace crawlsieve::extract {

/// The regular expression (RE2, letter case aside) of volatile text: dates and times in ISO 8601
/// and in the spellings of 16 languages (names of months and days from ICU), relative times,
/// counters, ids, copyright years, times of generation; with `prices` these too. It matches texts
/// of bounded length only. Takes milliseconds to make.
[[nodiscard]] std::string BuiltInVolatilePattern(bool prices);

/// Knows where a text that BuiltInVolatilePattern matches may begin, by the words before its first
/// digit: so the expression needn't be tried everywhere. Immutable after construction.
class VolatileStarts {
 public:
  explicit VolatileStarts(bool prices);

  /// Replaces `starts` by all places, ascending, where a match that begins at or behind `floor`
  /// may begin whose first digit is the one at `digit`; none is within a word. There is no
  /// digit between `floor` and `digit`.
  void Find(std::string_view text, std::size_t floor, std::size_t digit,
            std::vector<std::size_t>& starts) const;

 private:
  /// Before the first digit stand fewer bytes: "correlation number: " and an id of 128 letters.
  static constexpr std::size_t kReach = 160;

  /// Where a word may stand in a match, before its first digit.
  enum class Standing { kNone, kBetween, kFirst };

  void AddWord(std::string word, bool first);
  /// Of `word` in any case.
  [[nodiscard]] Standing StandingOf(std::string_view word) const;
  /// First letter, last letter and length; of ASCII letters the same in either case.
  static std::size_t ShapeOf(std::string_view word);

  /// Of two letters the number, case aside; what is no letter of ASCII counts as one second letter.
  /// A letter is at `at`.
  static std::size_t PairAt(std::string_view text, std::size_t at);
  /// Whether a match may begin at the digit at `digit`, the first one of a number, by what stands
  /// behind the number.
  [[nodiscard]] bool MayGoOn(std::string_view text, std::size_t digit) const;

  std::bitset<26 * 27> behind_;                  ///< how words behind numbers begin: PairAt
  std::bitset<32 * 32 * 16> shapes_;             ///< of words_
  std::unordered_map<std::string, bool> words_;  ///< in folded case; whether a match begins with it
  std::unordered_set<std::int32_t> beginnings_;  ///< code points
};

}  // namespace crawlsieve::extract

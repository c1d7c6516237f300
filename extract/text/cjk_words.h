#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace crawlsieve::extract {

/// Cuts Chinese and Japanese text into words by ICU's dictionary, where ICU's word iterator does,
/// in a third of its time: that one asks for the children of the dictionary's root, some ten
/// thousand, at every character; here each character knows where its words are.
///
/// The words of a run are those with the least sum of costs (Viterbi): the dictionary has them for
/// its words; a character it doesn't have alone costs the most, and a run of Katakana may be one
/// word at a cost by its length. Thread-compatible.
class CjkWords {
 public:
  /// Whether `c` is a character that Cut knows: common ideographs, Hiragana, Katakana.
  [[nodiscard]] static bool Knows(char16_t c) {
    return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3041 && c <= 0x3096) ||
           (c >= 0x30A1 && c <= 0x30FA) || c == 0x30FC;
  }

  CjkWords();
  ~CjkWords();
  CjkWords(const CjkWords&) = delete;
  CjkWords& operator=(const CjkWords&) = delete;

  /// Where the words end of `run`, which isn't empty and has only characters that are known: the
  /// last one at its end. Good until the next call. Empty: this version of ICU keeps its dictionary
  /// in another form.
  [[nodiscard]] const std::vector<std::uint32_t>& Cut(std::u16string_view run);

 private:
  class Dictionary;

  struct Best {
    std::uint32_t cost;
    std::uint32_t begin;  ///< of the word that ends here
  };

  const Dictionary* dictionary_;  ///< of all workers
  std::vector<Best> best_;        ///< for each place in the run
  std::vector<std::uint32_t> ends_;
};

}  // namespace crawlsieve::extract

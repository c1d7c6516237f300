#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <libstemmer.h>
#include <unicode/ubrk.h>

namespace crawlsieve::bench {

/// What text costs that is simply given to the libraries, all of it to each: a yardstick that is
/// measured on the same machine in the same minute. It reuses iterators, stemmers and memory, as
/// any program would that knows these libraries. Thread-compatible.
class NaiveText {
 public:
  NaiveText();
  ~NaiveText();
  NaiveText(const NaiveText&) = delete;
  NaiveText& operator=(const NaiveText&) = delete;

  /// ICU: NFKC_Casefold and word boundaries of all of `utf8`; the words with a letter or digit.
  void FindWords(std::string_view utf8);
  /// CLD2: the language of all of `utf8`, valid UTF-8.
  void FindLanguage(std::string_view utf8);
  /// Snowball: the stem of each word found, in the language found; none where it has no stemmer.
  void StemWords();

  [[nodiscard]] std::size_t words() const { return ends_.size(); }
  /// Bytes of all stems so far.
  [[nodiscard]] std::size_t stem_bytes() const { return stem_bytes_; }

 private:
  struct IteratorCloser {
    void operator()(UBreakIterator* iterator) const { ubrk_close(iterator); }
  };
  struct StemmerCloser {
    void operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }
  };

  std::unique_ptr<UBreakIterator, IteratorCloser> iterator_;
  std::map<std::string, std::unique_ptr<sb_stemmer, StemmerCloser>, std::less<>> stemmers_;
  std::u16string utf16_;
  std::u16string folded_;
  std::string words_;              ///< one behind the other
  std::vector<std::size_t> ends_;  ///< of words_
  std::string_view language_;
  std::size_t stem_bytes_ = 0;
};

}  // namespace crawlsieve::bench

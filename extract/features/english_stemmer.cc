#include "extract/features/english_stemmer.h"

#include "extract/text/ascii.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace crawlsieve::extract {
namespace {

struct Exception {
  std::string_view word;
  std::string_view stem;
};

constexpr std::array kExceptions = {
    Exception{"skis", "ski"},      Exception{"skies", "sky"},    Exception{"dying", "die"},
    Exception{"lying", "lie"},     Exception{"tying", "tie"},    Exception{"idly", "idl"},
    Exception{"gently", "gentl"},  Exception{"ugly", "ugli"},    Exception{"early", "earli"},
    Exception{"only", "onli"},     Exception{"singly", "singl"}, Exception{"sky", "sky"},
    Exception{"news", "news"},     Exception{"howe", "howe"},    Exception{"atlas", "atlas"},
    Exception{"cosmos", "cosmos"}, Exception{"bias", "bias"},    Exception{"andes", "andes"},
};

constexpr std::size_t kLongestException = 6;

/// First and last letter, in few bits.
constexpr std::size_t EndsOf(std::string_view word) {
  return (static_cast<unsigned char>(word.front()) & 0x1FU) << 5U |
         (static_cast<unsigned char>(word.back()) & 0x1FU);
}

/// EndsOf the exceptions: they rule out most other words at once.
constexpr auto kExceptionEnds = [] {
  std::array<bool, 32 * 32> ends{};
  for (const Exception& exception : kExceptions) ends[EndsOf(exception.word)] = true;
  return ends;
}();

/// Stay as they are, though they end like forms of other words.
constexpr std::array<std::string_view, 8> kWholeWords = {
    "inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed"};

/// An ending and what takes its place, if it lies in the region.
struct Rule {
  std::string_view ending;
  std::string_view replacement;
  std::string_view before = {};  ///< one of these letters must stand before it; empty: any
  bool in_r2 = false;            ///< else in R1
};

/// The rules of a step by the last two letters of their endings.
template <std::size_t N>
class RuleTable {
 public:
  /// Of the endings that fit a word the longest counts, whether it lies in its region or not: so
  /// the longer ones come first.
  constexpr explicit RuleTable(const std::array<Rule, N>& rules) {
    std::size_t count = 0;
    for (char last = 'a'; last <= 'z'; ++last) {
      for (char before = 'a'; before <= 'z'; ++before) {
        const std::size_t begin = count;
        for (const Rule& rule : rules) {
          const std::string_view ending = rule.ending;
          if (ending.back() == last && ending[ending.size() - 2] == before) rules_[count++] = rule;
        }
        places_[IndexOf(before, last)] = {static_cast<std::uint8_t>(begin),
                                          static_cast<std::uint8_t>(count - begin)};
      }
    }
  }

  [[nodiscard]] std::span<const Rule> EndingWith(char before, char last) const {
    if (!IsAsciiLower(before) || !IsAsciiLower(last)) return {};
    const Place place = places_[IndexOf(before, last)];
    return std::span(rules_).subspan(place.begin, place.count);
  }

 private:
  struct Place {
    std::uint8_t begin = 0;
    std::uint8_t count = 0;
  };

  static constexpr std::size_t IndexOf(char before, char last) {
    return static_cast<std::size_t>(before - 'a') * 26 + static_cast<std::size_t>(last - 'a');
  }

  std::array<Rule, N> rules_;
  std::array<Place, 26 * 26> places_{};
};

constexpr RuleTable kStep2(std::array{
    Rule{"ational", "ate"}, Rule{"ization", "ize"}, Rule{"fulness", "ful"},
    Rule{"ousness", "ous"}, Rule{"iveness", "ive"}, Rule{"tional", "tion"},
    Rule{"biliti", "ble"},  Rule{"lessli", "less"}, Rule{"entli", "ent"},
    Rule{"ation", "ate"},   Rule{"alism", "al"},    Rule{"aliti", "al"},
    Rule{"ousli", "ous"},   Rule{"iviti", "ive"},   Rule{"fulli", "ful"},
    Rule{"enci", "ence"},   Rule{"anci", "ance"},   Rule{"abli", "able"},
    Rule{"izer", "ize"},    Rule{"ator", "ate"},    Rule{"alli", "al"},
    Rule{"bli", "ble"},     Rule{"ogi", "og", "l"}, Rule{"li", "", "cdeghkmnrt"},
});
constexpr RuleTable kStep3(std::array{
    Rule{"ational", "ate"},
    Rule{"tional", "tion"},
    Rule{"alize", "al"},
    Rule{"icate", "ic"},
    Rule{"iciti", "ic"},
    Rule{"ative", "", {}, true},
    Rule{"ical", "ic"},
    Rule{"ness", ""},
    Rule{"ful", ""},
});
constexpr RuleTable kStep4(std::array{
    Rule{"ement", "", {}, true},
    Rule{"ance", "", {}, true},
    Rule{"ence", "", {}, true},
    Rule{"able", "", {}, true},
    Rule{"ible", "", {}, true},
    Rule{"ment", "", {}, true},
    Rule{"ant", "", {}, true},
    Rule{"ent", "", {}, true},
    Rule{"ism", "", {}, true},
    Rule{"ate", "", {}, true},
    Rule{"iti", "", {}, true},
    Rule{"ous", "", {}, true},
    Rule{"ive", "", {}, true},
    Rule{"ize", "", {}, true},
    Rule{"ion", "", "st", true},
    Rule{"al", "", {}, true},
    Rule{"er", "", {}, true},
    Rule{"ic", "", {}, true},
});

/// 'Y' is a consonant.
bool IsVowel(char c) {
  constexpr std::string_view kVowels = "aeiouy";
  constexpr std::uint32_t kBits = [&] {
    std::uint32_t bits = 0;
    for (const char vowel : kVowels) bits |= 1U << (vowel - 'a');
    return bits;
  }();
  return IsAsciiLower(c) && (kBits >> (c - 'a') & 1U) != 0;
}

/// A word on its way to its stem. Its endings only get shorter, or as long as they were before a
/// letter was taken: there is room for all.
class Stem {
 public:
  explicit Stem(std::span<char> word) : begin_(word.data()), size_(word.size()) {}

  [[nodiscard]] std::string_view text() const { return {begin_, size_}; }

  void Prepare() {
    if (begin_[0] == '\'') {
      ++begin_;
      --size_;
    }
    for (std::size_t i = 0; i < size_; ++i) {
      if (begin_[i] == 'y' && (i == 0 || IsVowel(begin_[i - 1]))) begin_[i] = 'Y';
    }
    r1_ = Begins("gener") || Begins("arsen") ? 5 : Begins("commun") ? 6 : BehindSyllable(0);
    r2_ = BehindSyllable(r1_);
  }

  void Step1a() {
    if (!Cut("'s'") && !Cut("'s")) Cut("'");
    if (Ends("sses")) {
      size_ -= 2;
    } else if (Ends("ied") || Ends("ies")) {
      size_ -= size_ > 4 ? 2 : 1;
    } else if (Ends("s") && !Ends("us") && !Ends("ss") && HasVowel(size_ < 2 ? 0 : size_ - 2)) {
      --size_;
    }
  }

  void Step1b() {
    if (const std::size_t eed = Ends("eed") ? 3 : Ends("eedly") ? 5 : 0; eed != 0) {
      if (size_ - eed >= r1_ && !IsWhole()) size_ -= eed - 2;
      return;
    }
    const std::size_t ending = Ends("ed")      ? 2
                               : Ends("ing")   ? 3
                               : Ends("edly")  ? 4
                               : Ends("ingly") ? 5
                                               : 0;
    if (ending == 0 || !HasVowel(size_ - ending) || IsWhole()) return;
    size_ -= ending;
    // NOLINTNEXTLINE(bugprone-branch-clone): which rule comes first decides
    if (Ends("at") || Ends("bl") || Ends("iz")) {
      begin_[size_++] = 'e';
    } else if (EndsInDouble()) {
      --size_;
    } else if (size_ == r1_ && IsShort(size_)) {
      begin_[size_++] = 'e';
    }
  }

  void Step1c() {
    if (size_ > 2 && (Ends("y") || Ends("Y")) && !IsVowel(begin_[size_ - 2])) {
      begin_[size_ - 1] = 'i';
    }
  }

  template <std::size_t N>
  void Apply(const RuleTable<N>& rules) {
    if (size_ < 2) return;
    for (const Rule& rule : rules.EndingWith(begin_[size_ - 2], begin_[size_ - 1])) {
      if (!EndsLike(rule.ending)) continue;
      const std::size_t at = size_ - rule.ending.size();
      const bool fits = rule.before.empty() ||
                        (at > 0 && rule.before.find(begin_[at - 1]) != std::string_view::npos);
      if (at >= (rule.in_r2 ? r2_ : r1_) && fits) {
        size_ = at + rule.replacement.copy(begin_ + at, rule.replacement.size());
      }
      return;
    }
  }

  void Step5() {
    if (size_ == 0) return;
    const std::size_t at = size_ - 1;
    const bool goes = begin_[at] == 'e'   ? at >= r2_ || (at >= r1_ && !IsShort(at))
                      : begin_[at] == 'l' ? at >= r2_ && at > 0 && begin_[at - 1] == 'l'
                                          : false;
    if (goes) size_ = at;
  }

  void Finish() { std::replace(begin_, begin_ + size_, 'Y', 'y'); }

 private:
  [[nodiscard]] bool Ends(std::string_view ending) const { return text().ends_with(ending); }

  /// The same where the ending isn't known to the compiler: few letters are looked at, mostly one.
  [[nodiscard]] bool EndsLike(std::string_view ending) const {
    return ending.size() <= size_ && std::equal(ending.rbegin(), ending.rend(), text().rbegin());
  }

  [[nodiscard]] bool Begins(std::string_view beginning) const {
    return text().starts_with(beginning);
  }

  [[nodiscard]] bool IsWhole() const {
    return std::find(kWholeWords.begin(), kWholeWords.end(), text()) != kWholeWords.end();
  }

  bool Cut(std::string_view ending) {
    if (!Ends(ending)) return false;
    size_ -= ending.size();
    return true;
  }

  /// Whether there is a vowel before `end`.
  [[nodiscard]] bool HasVowel(std::size_t end) const {
    return std::any_of(begin_, begin_ + end, IsVowel);
  }

  /// The place behind the first consonant that follows a vowel, both at or behind `from`.
  [[nodiscard]] std::size_t BehindSyllable(std::size_t from) const {
    while (from < size_ && !IsVowel(begin_[from])) ++from;
    while (from < size_ && IsVowel(begin_[from])) ++from;
    return std::min(from + 1, size_);
  }

  /// Whether a short syllable ends at `end`: a vowel between consonants, the last of them none of
  /// w, x and Y, or a vowel that the word begins with and a consonant.
  [[nodiscard]] bool IsShort(std::size_t end) const {
    if (end < 2 || IsVowel(begin_[end - 1]) || !IsVowel(begin_[end - 2])) return false;
    const char last = begin_[end - 1];
    return end == 2 || (!IsVowel(begin_[end - 3]) && last != 'w' && last != 'x' && last != 'Y');
  }

  [[nodiscard]] bool EndsInDouble() const {
    constexpr std::string_view kDoubles = "bdfgmnprt";
    return size_ >= 2 && begin_[size_ - 1] == begin_[size_ - 2] &&
           kDoubles.find(begin_[size_ - 1]) != std::string_view::npos;
  }

  char* begin_;
  std::size_t size_;
  std::size_t r1_ = 0;
  std::size_t r2_ = 0;
};

}  // namespace

std::string_view StemEnglish(std::span<char> word) {
  const std::string_view text(word.data(), word.size());
  if (word.size() < 3) return text;
  if (word.size() <= kLongestException && kExceptionEnds[EndsOf(text)]) {
    for (const Exception& exception : kExceptions) {
      if (exception.word == text) return exception.stem;
    }
  }
  Stem stem(word);
  stem.Prepare();
  stem.Step1a();
  stem.Step1b();
  stem.Step1c();
  stem.Apply(kStep2);
  stem.Apply(kStep3);
  stem.Apply(kStep4);
  stem.Step5();
  stem.Finish();
  return stem.text();
}

}  // namespace crawlsieve::extract

#include "extract/features/english_stemmer.h"

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <libstemmer.h>

namespace crawlsieve::extract {
namespace {

std::string Stem(std::string word) { return std::string(StemEnglish(word)); }

/// The same by libstemmer.
class Oracle {
 public:
  Oracle() : stemmer_(sb_stemmer_new("english", "UTF_8"), sb_stemmer_delete) {}

  std::string Stem(const std::string& word) {
    const auto* stem =
        sb_stemmer_stem(stemmer_.get(), reinterpret_cast<const sb_symbol*>(word.data()),
                        static_cast<int>(word.size()));
    return {reinterpret_cast<const char*>(stem),
            static_cast<std::size_t>(sb_stemmer_length(stemmer_.get()))};
  }

 private:
  std::unique_ptr<sb_stemmer, void (*)(sb_stemmer*)> stemmer_;
};

TEST(EnglishStemmer, FindsStems) {
  EXPECT_EQ(Stem("crawlers"), "crawler");
  EXPECT_EQ(Stem("generations"), "generat");
  EXPECT_EQ(Stem("hopping"), "hop");
  EXPECT_EQ(Stem("hoped"), "hope");
  EXPECT_EQ(Stem("relational"), "relat");
  EXPECT_EQ(Stem("skies"), "sky");
  EXPECT_EQ(Stem("proceeds"), "proceed");
  EXPECT_EQ(Stem("sayings"), "say");
  EXPECT_EQ(Stem("crawler's"), "crawler");
  EXPECT_EQ(Stem("is"), "is");
}

TEST(EnglishStemmer, AgreesWithLibstemmerOnAllShortWordsOfTellingLetters) {
  Oracle oracle;
  constexpr std::string_view kLetters = "aeyislgtdnbxw'1";
  for (std::size_t size = 1; size <= 5; ++size) {
    std::vector<std::size_t> places(size);
    std::string word(size, kLetters[0]);
    for (;;) {
      ASSERT_EQ(Stem(word), oracle.Stem(word)) << word;
      std::size_t at = 0;
      while (at < size && ++places[at] == kLetters.size()) places[at++] = 0;
      if (at == size) break;
      for (std::size_t i = 0; i <= at; ++i) word[i] = kLetters[places[i]];
    }
  }
}

TEST(EnglishStemmer, AgreesWithLibstemmerOnWordsWithEndings) {
  const std::uint64_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  Oracle oracle;
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzaeiouyaeiouy'0";
  // What the algorithm looks for, and what it makes of it.
  const std::vector<std::string> parts = {
      "'",       "'s",      "'s'",     "sses",   "ied",     "ies",    "s",       "us",
      "ss",      "eed",     "eedly",   "ed",     "edly",    "ing",    "ingly",   "at",
      "bl",      "iz",      "bb",      "tt",     "y",       "tional", "enci",    "ency",
      "anci",    "abli",    "ably",    "entli",  "ently",   "izer",   "ization", "ational",
      "ation",   "ator",    "alism",   "aliti",  "alli",    "ally",   "fulness", "ousli",
      "ousness", "iviti",   "iveness", "biliti", "bli",     "ogi",    "logy",    "fulli",
      "lessli",  "li",      "ly",      "alize",  "icate",   "iciti",  "ical",    "ful",
      "ness",    "ative",   "al",      "ance",   "ence",    "er",     "ic",      "able",
      "ible",    "ant",     "ement",   "ment",   "ent",     "ism",    "ate",     "iti",
      "ity",     "ous",     "ive",     "ize",    "ion",     "sion",   "tion",    "e",
      "l",       "ll",      "gener",   "commun", "arsen",   "inning", "outing",  "canning",
      "herring", "earring", "proceed", "exceed", "succeed", "skis",   "skies",   "dying",
      "lying",   "tying",   "idly",    "gently", "ugly",    "early",  "only",    "singly",
      "sky",     "news",    "howe",    "atlas",  "cosmos",  "bias",   "andes"};
  for (int i = 0; i < 300'000; ++i) {
    std::string word;
    for (std::uint64_t n = random() % 7; n > 0; --n) word += kLetters[random() % kLetters.size()];
    for (std::uint64_t n = random() % 4; n > 0; --n) word += parts[random() % parts.size()];
    if (!word.empty()) {
      ASSERT_EQ(Stem(word), oracle.Stem(word)) << word;
    }
  }
}

}  // namespace
}  // namespace crawlsieve::extract

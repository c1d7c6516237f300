#include "extract/text/volatile_patterns.h"

#include "extract/text/utf8.h"
#include "extract/text/volatile_text.h"
#include "extract/text/word_characters.h"

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <re2/re2.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

namespace crawlsieve::extract {
namespace {

void AppendCodePoint(UChar32 c, std::string& text) {
  char bytes[U8_MAX_LENGTH];
  std::size_t size = 0;
  U8_APPEND_UNSAFE(bytes, size, c);
  text.append(bytes, size);
}

/// Makes texts that a regular expression matches. Knows as much of the syntax as ours use.
class Sampler {
 public:
  Sampler(std::string_view pattern, std::mt19937& random) : pattern_(pattern), random_(random) {
    root_ = ParseAlternatives();
    EXPECT_EQ(at_, pattern_.size()) << "syntax that this test doesn't know";
  }

  std::string Make() {
    std::string text;
    Append(root_, text);
    return text;
  }

 private:
  struct Node {
    enum Kind { kAlternatives, kSequence, kCharacters } kind = kSequence;
    std::vector<Node> children = {};
    std::vector<std::pair<UChar32, UChar32>> ranges = {};
    unsigned least = 1;  ///< how often
    unsigned most = 1;
  };

  [[nodiscard]] bool More() const { return at_ < pattern_.size(); }
  bool Take(std::string_view token) {
    if (pattern_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  UChar32 TakeCodePoint() {
    UChar32 c = 0;
    U8_NEXT_OR_FFFD(reinterpret_cast<const std::uint8_t*>(pattern_.data()), at_, pattern_.size(),
                    c);
    return c;
  }

  Node ParseAlternatives() {
    Node node{.kind = Node::kAlternatives};
    do {
      Node sequence;
      while (More() && pattern_[at_] != '|' && pattern_[at_] != ')') {
        if (Take("\\b") || Take("\\B")) continue;
        sequence.children.push_back(ParseRepeated());
      }
      node.children.push_back(std::move(sequence));
    } while (Take("|"));
    return node;
  }

  Node ParseRepeated() {
    Node node = ParseOne();
    if (Take("?")) {
      node.least = 0;
    } else if (Take("+")) {
      node.most = 4;
    } else if (Take("{")) {
      node.least = node.most = TakeNumber();
      if (Take(",")) node.most = TakeNumber();
      EXPECT_TRUE(Take("}"));
    }
    return node;
  }

  unsigned TakeNumber() {
    unsigned number = 0;
    while (pattern_[at_] >= '0' && pattern_[at_] <= '9') {
      number = number * 10 + static_cast<unsigned>(pattern_[at_++] - '0');
    }
    return number;
  }

  Node ParseOne() {
    if (Take("(?:") || Take("(")) {
      Node node = ParseAlternatives();
      EXPECT_TRUE(Take(")"));
      return node;
    }
    Node node{.kind = Node::kCharacters};
    if (Take(".")) {
      node.ranges = {{'a', 'z'}, {0x4E00, 0x4E10}, {'0', '9'}};
    } else if (Take("[")) {
      while (!Take("]")) {
        ParseCharacter(node);
        if (pattern_[at_] != '-' || pattern_[at_ + 1] == ']') continue;
        ++at_;
        Node last;
        ParseCharacter(last);
        node.ranges.back().second = last.ranges[0].second;
      }
    } else {
      ParseCharacter(node);
    }
    return node;
  }

  void ParseCharacter(Node& node) {
    if (Take("\\w")) {
      for (const char c : {'a', 'f', 'x', '_', '0', '9', 'Q'}) node.ranges.emplace_back(c, c);
    } else if (Take("\\p{Sc}")) {
      for (const UChar32 c : {0x24, 0xA3, 0x20AC, 0xFFE5}) node.ranges.emplace_back(c, c);
    } else if (Take("\\x{")) {
      UChar32 c = 0;
      for (; pattern_[at_] != '}'; ++at_) c = c * 16 + u_digit(pattern_[at_], 16);
      ++at_;
      node.ranges.emplace_back(c, c);
    } else {
      Take("\\");
      const UChar32 c = TakeCodePoint();
      node.ranges.emplace_back(c, c);
    }
  }

  void Append(const Node& node, std::string& text) {
    const auto times = node.least + random_() % (node.most - node.least + 1);
    for (auto i = times; i > 0; --i) {
      if (node.kind == Node::kAlternatives) {
        Append(node.children[random_() % node.children.size()], text);
      } else if (node.kind == Node::kSequence) {
        for (const Node& child : node.children) Append(child, text);
      } else {
        const auto& [first, last] = node.ranges[random_() % node.ranges.size()];
        UChar32 c =
            first + static_cast<UChar32>(random_() % static_cast<unsigned>(last - first + 1));
        const auto letter_case = random_() % 16;
        if (letter_case == 0) c = u_toupper(c);
        if (letter_case == 1) c = u_tolower(c);
        if (letter_case == 2 && c == 'k') c = 0x212A;
        if (letter_case == 2 && c == 's') c = 0x17F;
        AppendCodePoint(c, text);
      }
    }
  }

  std::string_view pattern_;
  std::mt19937& random_;
  std::size_t at_ = 0;
  Node root_;
};

/// Tries the expression at every place outside of words.
std::string RemoveByTryingEverywhere(std::string_view text, const RE2& pattern) {
  std::string rest;
  const re2::StringPiece whole(text.data(), text.size());
  for (std::size_t at = 0; at < text.size();) {
    re2::StringPiece match;
    if (!InWord(text, at) && pattern.Match(whole, at, text.size(), RE2::ANCHOR_START, &match, 1)) {
      const std::size_t end = at + match.size();
      if (!InWord(text, end) && FindDigit(text, at) < end) {
        rest.push_back(' ');
        at = end;
        continue;
      }
    }
    do {
      rest.push_back(text[at++]);
    } while (at < text.size() && IsUtf8Continuation(text[at]));
  }
  return rest;
}

/// As VolatileText compiles its pattern.
RE2::Options BuiltInOptions() {
  RE2::Options options(RE2::Quiet);
  options.set_case_sensitive(false);
  options.set_longest_match(true);
  options.set_max_mem(64 << 20);
  options.set_never_capture(true);
  return options;
}

class VolatileStartsProperty : public ::testing::TestWithParam<bool> {};

TEST_P(VolatileStartsProperty, MissNothingThatMatches) {
  constexpr unsigned kSeed = 20;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  const bool prices = GetParam();
  const std::string pattern = BuiltInVolatilePattern(prices);
  const RE2 compiled(pattern, BuiltInOptions());
  ASSERT_TRUE(compiled.ok()) << compiled.error();
  Sampler sampler(pattern, random);
  const VolatileText volatile_text({.prices = prices});

  const std::vector<std::string> words{"in",     "the",     "of",        "Größe", "слово", "Ελλάδα",
                                       "日本語", "ไทยภาษา", "بعد",       "2026",  "5",     "v1.2",
                                       "a1b",    "٣٤",      "September", "may",   "x-",    "id",
                                       "©",      "(c)",     "copyright", "ago"};
  const std::vector<std::string> between{" ", " ",      " ", "",   ".", ", ",
                                         "-", "\u00A0", "(", ": ", "_"};
  unsigned changed = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (auto pieces = random() % 8; pieces > 0; --pieces) {
      if (random() % 2 == 0) {
        text += words[random() % words.size()];
      } else {
        std::string sample = sampler.Make();
        if (random() % 3 == 0)
          sample.resize(CutAtCodePoint(sample, random() % (sample.size() + 1)));
        text += sample;
      }
      text += between[random() % between.size()];
    }
    std::string buffer;
    const std::string rest(volatile_text.Remove(text, buffer));
    ASSERT_EQ(rest, RemoveByTryingEverywhere(text, compiled)) << text;
    changed += rest != text ? 1 : 0;
  }
  EXPECT_GT(changed, 1000U);
}

// Rare words of one language among many others: more samples than the expression can be tried on.
TEST_P(VolatileStartsProperty, HaveTheBeginningOfWhateverMatches) {
  constexpr unsigned kSeed = 21;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  const bool prices = GetParam();
  const std::string pattern = BuiltInVolatilePattern(prices);
  const RE2 compiled(pattern, BuiltInOptions());
  Sampler sampler(pattern, random);
  const VolatileStarts starts(prices);
  std::vector<std::size_t> found;
  for (int round = 0; round < 300'000; ++round) {
    const std::string sample = sampler.Make();
    const std::size_t digit = FindDigit(sample, 0);
    if (digit == sample.size()) continue;
    starts.Find(sample, 0, digit, found);
    if (!found.empty() && found.front() == 0) continue;
    // The sampler's letters of the other case aren't always RE2's.
    re2::StringPiece match;
    const bool matches = compiled.Match(sample, 0, sample.size(), RE2::ANCHOR_START, &match, 1) &&
                         match.size() > digit && !InWord(sample, match.size());
    ASSERT_FALSE(matches) << sample;
  }
}

INSTANTIATE_TEST_SUITE_P(Prices, VolatileStartsProperty, ::testing::Bool(),
                         [](const auto& prices) { return prices.param ? "With" : "Without"; });

TEST(FindDigit, FindsDigitsOfAllScriptsWhereverTheyStand) {
  for (const std::string digit : {"0", "9", "٣", "۴", "५", "๗", "８"}) {
    for (std::size_t before = 0; before < 40; ++before) {
      for (const std::string filler : {"/", ":", "a", "ä", "語", "٪"}) {
        std::string text;
        for (std::size_t i = 0; i < before; ++i) text += filler;
        const std::size_t place = text.size();
        text += digit + "abc";
        ASSERT_EQ(FindDigit(text, 0), place) << text;
        ASSERT_EQ(FindDigit(text, place + digit.size()), text.size()) << text;
      }
    }
  }
}

TEST(InWord, KnowsLettersOfScriptsWithSpacesAndDigits) {
  EXPECT_TRUE(InWord("ab", 1));
  EXPECT_TRUE(InWord("ßя", 2));
  EXPECT_TRUE(InWord("a1", 1));
  EXPECT_TRUE(InWord("٣٤", 2));
  EXPECT_FALSE(InWord("ab", 0));
  EXPECT_FALSE(InWord("ab", 2));
  EXPECT_FALSE(InWord("a b", 1));
  EXPECT_FALSE(InWord("3月", 1));
  EXPECT_FALSE(InWord("و3", 2));
}

}  // namespace
}  // namespace crawlsieve::extract

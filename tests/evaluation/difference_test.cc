#include "evaluation/difference.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using Kind = DifferencePart::Kind;

/// "same -only a- +only b+"
std::string Show(const std::vector<DifferencePart>& parts) {
  std::string text;
  for (const DifferencePart& part : parts) {
    for (const std::string_view word : part.words) {
      if (!text.empty()) text += ' ';
      if (part.kind == Kind::kOnlyA) text += '-';
      if (part.kind == Kind::kOnlyB) text += '+';
      text += word;
    }
  }
  return text;
}

TEST(DiffWords, MarksWhatDiffers) {
  EXPECT_EQ(Show(DiffWords("a b c d", "a x c d")), "a -b +x c d");
  EXPECT_EQ(Show(DiffWords("a b", "a b c")), "a b +c");
  EXPECT_EQ(Show(DiffWords("b c", "a b c")), "+a b c");
  EXPECT_EQ(Show(DiffWords("a b c", "")), "-a -b -c");
  EXPECT_EQ(Show(DiffWords("a a a", "a a")), "a a -a");
  EXPECT_TRUE(DiffWords("", "").empty());
}

TEST(DiffWords, TakesTheMiddleAsReplacedWhenThereIsTooMuchToTell) {
  EXPECT_EQ(Show(DiffWords("a p q r z", "a s q t z", 3)), "a -p -q -r +s +q +t z");
  EXPECT_EQ(Show(DiffWords("a p q r z", "a s q t z", 4)), "a -p +s q -r +t z");
}

std::string Joined(const std::vector<DifferencePart>& parts, Kind other) {
  std::string text;
  for (const DifferencePart& part : parts) {
    if (part.kind == other) continue;
    for (const std::string_view word : part.words) text += std::string(word) + ' ';
  }
  return text;
}

/// Length of the longest common subsequence, by the textbook's table.
std::size_t CommonLength(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      table[i][j] = a[i - 1] == b[j - 1] ? table[i - 1][j - 1] + 1
                                         : std::max(table[i - 1][j], table[i][j - 1]);
    }
  }
  return table[a.size()][b.size()];
}

TEST(DiffWords, IsAShortestScriptBetweenRandomTexts) {
  constexpr std::uint64_t kSeed = 1986;
  std::mt19937_64 random(kSeed);
  for (int round = 0; round < 500; ++round) {
    SCOPED_TRACE("seed 1986, round " + std::to_string(round));
    std::vector<std::string> words[2];
    std::string texts[2];
    for (int side = 0; side < 2; ++side) {
      for (std::uint64_t left = random() % 25; left > 0; --left) {
        words[side].push_back(std::string(1, static_cast<char>('a' + random() % 4)));
        texts[side] += (texts[side].empty() ? "" : " ") + words[side].back();
      }
    }
    const auto parts = DiffWords(texts[0], texts[1]);
    EXPECT_EQ(Joined(parts, Kind::kOnlyB), texts[0].empty() ? "" : texts[0] + ' ');
    EXPECT_EQ(Joined(parts, Kind::kOnlyA), texts[1].empty() ? "" : texts[1] + ' ');
    std::size_t common = 0;
    for (const DifferencePart& part : parts) {
      if (part.kind == Kind::kBoth) common += part.words.size();
    }
    EXPECT_EQ(common, CommonLength(words[0], words[1]));
  }
}

}  // namespace
}  // namespace crawlsieve::consumer

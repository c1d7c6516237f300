#include "extract/features.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve::extract {
namespace {

FeatureOptions Words(std::uint32_t shingle_size) {
  FeatureOptions options;
  options.shingle_size = shingle_size;
  return options;
}

TokenList Tokenize(std::string_view text) {
  TokenList tokens;
  EXPECT_TRUE(Tokenizer({.max_tokens = 1000, .max_token_bytes = 100}).Append(text, tokens));
  return tokens;
}

/// All of a text counts alike.
std::vector<Feature> Count(FeatureCounter& counter, std::string_view text) {
  const TokenList tokens = Tokenize(text);
  return counter.Count(tokens, {{tokens.size(), 1}});
}

std::vector<Feature> Expected(const FeatureHasher& hasher,
                              const std::map<std::string, std::uint32_t>& weights) {
  std::vector<Feature> features;
  for (const auto& [text, weight] : weights) features.push_back({hasher.Hash(text), weight});
  std::sort(features.begin(), features.end(),
            [](const Feature& a, const Feature& b) { return a.hash < b.hash; });
  return features;
}

TEST(FeatureCounter, CountsWords) {
  const FeatureHasher hasher("key");
  FeatureCounter counter(Words(1), hasher);
  EXPECT_EQ(Count(counter, "to be or not to be"),
            Expected(hasher, {{"to", 2}, {"be", 2}, {"or", 1}, {"not", 1}}));
}

TEST(FeatureCounter, CountsShingles) {
  const FeatureHasher hasher("key");
  FeatureCounter counter(Words(2), hasher);
  EXPECT_EQ(Count(counter, "to be or not to be"),
            Expected(hasher, {{"to be", 2}, {"be or", 1}, {"or not", 1}, {"not to", 1}}));
}

TEST(FeatureCounter, TakesAShortTextAsOneShingle) {
  const FeatureHasher hasher("key");
  FeatureCounter counter(Words(4), hasher);
  EXPECT_EQ(Count(counter, "to be"), Expected(hasher, {{"to be", 1}}));
  EXPECT_TRUE(Count(counter, "").empty());
}

TEST(FeatureCounter, WeighsAFeatureByThePlaceItBeginsAt) {
  const FeatureHasher hasher("key");
  const TokenList tokens = Tokenize("a b a b c");
  FeatureCounter words(Words(1), hasher);
  EXPECT_EQ(words.Count(tokens, {{1, 5}, {1, 9}, {5, 2}}),
            Expected(hasher, {{"a", 5 + 2}, {"b", 2 + 2}, {"c", 2}}));
  FeatureCounter pairs(Words(2), hasher);
  EXPECT_EQ(pairs.Count(tokens, {{2, 3}, {5, 1}}),
            Expected(hasher, {{"a b", 3 + 1}, {"b a", 3}, {"b c", 1}}));
}

TEST(FeatureCounter, DampsFrequencies) {
  const FeatureHasher hasher("key");
  FeatureOptions options;
  options.damp_frequency = true;
  FeatureCounter counter(options, hasher);
  EXPECT_EQ(Count(counter, "a b b c c c d d d d"),
            Expected(hasher, {{"a", 1}, {"b", 2}, {"c", 2}, {"d", 3}}));
}

TEST(FeatureCounter, KeepsNothingBetweenTexts) {
  FeatureCounter counter(Words(1), FeatureHasher("key"));
  (void)Count(counter, "a b c");
  EXPECT_EQ(Count(counter, "a").size(), 1U);
}

TEST(FeatureCounter, DependsOnTheKey) {
  FeatureCounter one(Words(1), FeatureHasher("one"));
  FeatureCounter two(Words(1), FeatureHasher("two"));
  EXPECT_NE(Count(one, "word"), Count(two, "word"));
}

}  // namespace
}  // namespace crawlsieve::extract

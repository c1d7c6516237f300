#include "extract/features.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve::extract {
namespace {

TokenList Tokenize(std::string_view text) {
  TokenList tokens;
  EXPECT_TRUE(Tokenizer({.max_tokens = 1000, .max_token_bytes = 100}).Append(text, tokens));
  return tokens;
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
  FeatureCounter counter({.shingle_size = 1}, hasher);
  EXPECT_EQ(counter.Count(Tokenize("to be or not to be")),
            Expected(hasher, {{"to", 2}, {"be", 2}, {"or", 1}, {"not", 1}}));
}

TEST(FeatureCounter, CountsShingles) {
  const FeatureHasher hasher("key");
  FeatureCounter counter({.shingle_size = 2}, hasher);
  EXPECT_EQ(counter.Count(Tokenize("to be or not to be")),
            Expected(hasher, {{"to be", 2}, {"be or", 1}, {"or not", 1}, {"not to", 1}}));
}

TEST(FeatureCounter, TakesAShortTextAsOneShingle) {
  const FeatureHasher hasher("key");
  FeatureCounter counter({.shingle_size = 4}, hasher);
  EXPECT_EQ(counter.Count(Tokenize("to be")), Expected(hasher, {{"to be", 1}}));
  EXPECT_TRUE(counter.Count(Tokenize("")).empty());
}

TEST(FeatureCounter, KeepsNothingBetweenTexts) {
  FeatureCounter counter({.shingle_size = 1}, FeatureHasher("key"));
  (void)counter.Count(Tokenize("a b c"));
  EXPECT_EQ(counter.Count(Tokenize("a")).size(), 1U);
}

TEST(FeatureCounter, DependsOnTheKey) {
  FeatureCounter one({.shingle_size = 1}, FeatureHasher("one"));
  FeatureCounter two({.shingle_size = 1}, FeatureHasher("two"));
  EXPECT_NE(one.Count(Tokenize("word")), two.Count(Tokenize("word")));
}

}  // namespace
}  // namespace crawlsieve::extract

#include "extract/features/features.h"

#include <algorithm>
#include <map>
#include <set>
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

FeatureCounter Counter(const FeatureOptions& options) {
  return FeatureCounter(options, FeatureHasher("key"));
}

/// A term of weight 1 for each word.
std::vector<Feature> Terms(std::string_view text) {
  FeatureHasher hasher("key");
  std::vector<Feature> terms;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    terms.push_back({hasher.Hash(text.substr(0, end)), 1});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return terms;
}

/// All of a text counts alike.
std::vector<Feature> Count(FeatureCounter& counter, std::string_view text) {
  return counter.Count(Terms(text));
}

std::vector<Feature> Expected(const std::map<std::string, std::uint32_t>& weights) {
  FeatureHasher hasher("key");
  std::vector<Feature> features;
  for (const auto& [text, weight] : weights) features.push_back({hasher.Hash(text), weight});
  std::sort(features.begin(), features.end(),
            [](const Feature& a, const Feature& b) { return a.hash < b.hash; });
  return features;
}

/// How much the features of `counted` weigh that are among those of `text` too.
std::map<std::string, std::uint32_t> WeightsOf(const std::vector<Feature>& counted,
                                               FeatureCounter& counter,
                                               const std::vector<std::string>& texts) {
  std::map<std::string, std::uint32_t> weights;
  for (const std::string& text : texts) {
    const std::vector<Feature> one = Count(counter, text);
    EXPECT_EQ(one.size(), 1U) << text;
    for (const Feature& feature : counted) {
      if (feature.hash == one.front().hash) weights[text] += feature.weight;
    }
  }
  return weights;
}

TEST(FeatureCounter, CountsWords) {
  FeatureCounter counter = Counter(Words(1));
  EXPECT_EQ(Count(counter, "to be or not to be"),
            Expected({{"to", 2}, {"be", 2}, {"or", 1}, {"not", 1}}));
}

TEST(FeatureCounter, CountsShingles) {
  FeatureCounter counter = Counter(Words(2));
  const std::vector<Feature> features = Count(counter, "to be or not to be");
  EXPECT_EQ(features.size(), 4U);
  const std::map<std::string, std::uint32_t> expected = {
      {"to be", 2}, {"be or", 1}, {"or not", 1}, {"not to", 1}};
  EXPECT_EQ(WeightsOf(features, counter, {"to be", "be or", "or not", "not to", "be to"}),
            expected);
}

TEST(FeatureCounter, TellsShinglesApartByOrderAndLength) {
  FeatureCounter counter = Counter(Words(3));
  std::set<std::uint64_t> hashes;
  for (const char* text : {"a b c", "a c b", "b a c", "b c a", "c a b", "c b a", "a a b", "a b b",
                           "b a a", "a a a", "b b b", "a b", "b a", "a a", "a"}) {
    hashes.insert(Count(counter, text).front().hash);
  }
  EXPECT_EQ(hashes.size(), 15U);
}

TEST(FeatureCounter, TakesAShortTextAsOneShingle) {
  FeatureCounter counter = Counter(Words(4));
  EXPECT_EQ(Count(counter, "to be").size(), 1U);
  EXPECT_EQ(Count(counter, "to"), Expected({{"to", 1}}));
  EXPECT_TRUE(Count(counter, "").empty());
}

TEST(FeatureCounter, AddsPhrasesToWords) {
  FeatureOptions options = Words(1);
  options.phrase_size = 2;
  FeatureCounter both = Counter(options);
  FeatureCounter words = Counter(Words(1));
  FeatureCounter pairs = Counter(Words(2));
  std::vector<Feature> expected = Count(words, "to be or not to be");
  for (const Feature& pair : Count(pairs, "to be or not to be")) expected.push_back(pair);
  std::sort(expected.begin(), expected.end(),
            [](const Feature& a, const Feature& b) { return a.hash < b.hash; });
  EXPECT_EQ(Count(both, "to be or not to be"), expected);
  // A text shorter than a phrase has its words only.
  EXPECT_EQ(Count(both, "to"), Expected({{"to", 1}}));
}

TEST(FeatureCounter, WeighsAFeatureByThePlaceItBeginsAt) {
  const auto weighted = [](std::string_view text, const std::vector<std::uint32_t>& weights) {
    std::vector<Feature> terms = Terms(text);
    for (std::size_t i = 0; i < terms.size(); ++i) terms[i].weight = weights[i];
    return terms;
  };
  FeatureCounter words = Counter(Words(1));
  EXPECT_EQ(words.Count(weighted("a b a b c", {5, 2, 2, 2, 2})),
            Expected({{"a", 5 + 2}, {"b", 2 + 2}, {"c", 2}}));
  FeatureCounter pairs = Counter(Words(2));
  const std::map<std::string, std::uint32_t> expected = {{"a b", 3 + 1}, {"b a", 3}, {"b c", 1}};
  EXPECT_EQ(
      WeightsOf(pairs.Count(weighted("a b a b c", {3, 3, 1, 1, 1})), pairs, {"a b", "b a", "b c"}),
      expected);
}

TEST(FeatureCounter, DampsFrequencies) {
  FeatureOptions options;
  options.damp_frequency = true;
  FeatureCounter counter = Counter(options);
  EXPECT_EQ(Count(counter, "a b b c c c d d d d"),
            Expected({{"a", 1}, {"b", 2}, {"c", 2}, {"d", 3}}));
}

TEST(FeatureCounter, KeepsNothingBetweenTexts) {
  FeatureCounter counter = Counter(Words(1));
  (void)Count(counter, "a b c");
  EXPECT_EQ(Count(counter, "a").size(), 1U);
}

}  // namespace
}  // namespace crawlsieve::extract

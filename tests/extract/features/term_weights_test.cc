#include "extract/features/term_weights.h"

#include "extract/features/terms.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::extract {
namespace {

/// Of 8 documents: "page" in all, "robot" in three, "sieve" in one.
std::string Table(std::uint64_t min_documents = 1) {
  TermCounter counter;
  for (int i = 0; i < 8; ++i) {
    std::vector<std::string> terms = {"page", "page"};
    if (i < 3) terms.push_back("robot");
    if (i == 7) terms.insert(terms.begin(), "sieve");
    counter.Add(terms);
  }
  return counter.Table(min_documents);
}

TEST(TermCounter, WritesInHowManyDocumentsTermsAre) {
  EXPECT_THAT(Table(), ::testing::StartsWith("crawlsieve terms 1 8\npage\t8\nrobot\t3\nsieve\t1\n"
                                             "checksum "));
  EXPECT_THAT(Table(2),
              ::testing::StartsWith("crawlsieve terms 1 8\npage\t8\nrobot\t3\nchecksum "));
}

TEST(TermWeights, GrowWithTheRarityOfTerms) {
  const auto weights = TermWeights::Parse(Table());
  ASSERT_TRUE(weights.has_value()) << weights.error().message;
  EXPECT_EQ(weights->WeightOf("page"), 1U);
  EXPECT_EQ(weights->WeightOf("robot"), 2U);
  EXPECT_EQ(weights->WeightOf("sieve"), 4U);
  EXPECT_EQ(weights->WeightOf("unheard"), 4U);
  const auto cut = TermWeights::Parse(Table(2));
  ASSERT_TRUE(cut.has_value());
  EXPECT_EQ(cut->WeightOf("sieve"), 2U);
  EXPECT_NE(cut->checksum(), weights->checksum());
}

TEST(TermWeights, AreRefusedWhenTheTableIsDamaged) {
  const std::string table = Table();
  for (std::size_t size = 0; size < table.size(); ++size) {
    EXPECT_FALSE(TermWeights::Parse(table.substr(0, size)).has_value()) << size;
  }
  for (std::size_t i = 0; i < table.size(); ++i) {
    std::string damaged = table;
    damaged[i] ^= 1;
    EXPECT_FALSE(TermWeights::Parse(damaged).has_value()) << i;
  }
  EXPECT_FALSE(TermWeights::Parse(table + "more").has_value());
  EXPECT_EQ(TermWeights::Parse("<html>").error().message, "line 1: this isn't a table of terms");
}

TEST(TermFinder, WeighsTermsByTheTable) {
  TermOptions options;
  options.weights = std::make_shared<const TermWeights>(*TermWeights::Parse(Table()));
  TermFinder finder(options, FeatureHasher("key"));
  TokenList tokens;
  EXPECT_TRUE(Tokenizer({.max_tokens = 100, .max_token_bytes = 256})
                  .Append("the robots of the page and the robots of sieves", tokens));
  std::vector<Feature> terms;
  for (int again = 0; again < 2; ++again) {
    finder.Find("en", tokens, {{tokens.size(), 3}}, terms);
    std::vector<std::uint32_t> weights;
    for (const Feature& term : terms) weights.push_back(term.weight);
    EXPECT_THAT(weights, ::testing::ElementsAre(6, 3, 6, 12));
  }
  EXPECT_NE(DescribeTerms(options), DescribeTerms({}));
}

}  // namespace
}  // namespace crawlsieve::extract

#include "extract/features/shingles.h"

#include <algorithm>
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

std::vector<std::uint64_t> HashesOf(const std::vector<std::string>& shingles) {
  FeatureHasher hasher("key");
  std::vector<std::uint64_t> hashes;
  for (const std::string& shingle : shingles) hashes.push_back(hasher.Hash(shingle));
  std::sort(hashes.begin(), hashes.end());
  return hashes;
}

TEST(ShingleSet, HasEveryRunOfWordsOnce) {
  FeatureHasher hasher("key");
  EXPECT_EQ(ShingleSet(Tokenize("A rose is a rose, is a rose."), 3, hasher),
            HashesOf({"a rose is", "rose is a", "is a rose"}));
}

TEST(ShingleSet, TakesAShortTextAsOneShingle) {
  FeatureHasher hasher("key");
  EXPECT_EQ(ShingleSet(Tokenize("to be"), 4, hasher), HashesOf({"to be"}));
  EXPECT_TRUE(ShingleSet(Tokenize(" ... "), 4, hasher).empty());
}

TEST(HashShingles, KeepsOrderAndRepeats) {
  FeatureHasher hasher("key");
  std::vector<std::uint64_t> hashes{7};
  HashShingles(Tokenize("b a b"), 1, hasher, hashes);
  EXPECT_EQ(hashes,
            (std::vector<std::uint64_t>{7, hasher.Hash("b"), hasher.Hash("a"), hasher.Hash("b")}));
}

}  // namespace
}  // namespace crawlsieve::extract

#include "extract/shingles.h"

#include "extract/sort_hashes.h"

#include <algorithm>

namespace crawlsieve::extract {

void HashShingles(const TokenList& tokens, std::size_t size, const FeatureHasher& hasher,
                  std::vector<std::uint64_t>& hashes) {
  if (tokens.size() == 0) return;
  const std::size_t length = std::min(size, tokens.size());
  hashes.reserve(hashes.size() + tokens.size() - length + 1);
  for (std::size_t first = 0; first + length <= tokens.size(); ++first) {
    hashes.push_back(hasher.Hash(tokens.Span(first, length)));
  }
}

std::vector<std::uint64_t> ShingleSet(const TokenList& tokens, std::size_t size,
                                      const FeatureHasher& hasher) {
  std::vector<std::uint64_t> set;
  HashShingles(tokens, size, hasher, set);
  std::vector<std::uint64_t> scratch;
  SortByHash(set, scratch, [](std::uint64_t hash) { return hash; });
  set.erase(std::unique(set.begin(), set.end()), set.end());
  return set;
}

}  // namespace crawlsieve::extract

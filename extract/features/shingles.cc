#include "extract/features/shingles.h"

#include "extract/features/sort_hashes.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace crawlsieve::extract {

void HashShingles(const TokenList& tokens, std::size_t size, FeatureHasher& hasher,
                  std::vector<std::uint64_t>& hashes) {
  if (tokens.size() == 0) return;
  const std::size_t length = std::min(size, tokens.size());
  hashes.reserve(hashes.size() + tokens.size() - length + 1);
  constexpr std::size_t kAtOnce = 64;
  std::array<std::string_view, kAtOnce> shingles;
  const char* const text_end = tokens.text.data() + tokens.text.size();
  const std::size_t end = tokens.size() - length + 1;
  for (std::size_t first = 0; first < end;) {
    const std::size_t count = std::min(end - first, kAtOnce);
    for (std::size_t i = 0; i < count; ++i) shingles[i] = tokens.Span(first + i, length);
    hashes.resize(hashes.size() + count);
    hasher.HashAll(std::span(shingles).first(count), text_end,
                   hashes.data() + hashes.size() - count);
    first += count;
  }
}

std::vector<std::uint64_t> ShingleSet(const TokenList& tokens, std::size_t size,
                                      FeatureHasher& hasher) {
  std::vector<std::uint64_t> set;
  HashShingles(tokens, size, hasher, set);
  std::vector<std::uint64_t> scratch;
  SortByHash(set, scratch, [](std::uint64_t hash) { return hash; });
  set.erase(std::unique(set.begin(), set.end()), set.end());
  return set;
}

}  // namespace crawlsieve::extract

#include "plugin/index/batch/query_table.h"

#include <algorithm>
#include <cassert>

namespace crawlsieve {

QueryTable::QueryTable(std::span<const Fingerprint> queries, const BatchBlock& block)
    : block_(block) {
  assert(block.radius <= 1);
  assert(queries.size() < kNoQuery);
  const auto for_each_value = [&](Fingerprint query, auto visit) {
    const std::uint64_t own = ValueOf(query);
    visit(own);
    if (block_.radius == 0) return;
    for (int bit = 0; bit < block_.bits; ++bit) visit(own ^ std::uint64_t{1} << bit);
  };
  const std::size_t values = std::size_t{1} << block_.bits;
  std::vector<std::uint32_t> counts(values);
  for (const Fingerprint query : queries) {
    for_each_value(query, [&](std::uint64_t value) { ++counts[value]; });
  }
  first_line_.resize(values + 1);
  for (std::size_t value = 0; value < values; ++value) {
    first_line_[value + 1] =
        first_line_[value] +
        static_cast<std::uint32_t>((counts[value] + kQueriesPerLine - 1) / kQueriesPerLine);
  }
  lines_.Grow(first_line_.back());
  numbers_.assign(first_line_.back() * kQueriesPerLine, kNoQuery);
  std::ranges::fill(counts, 0);
  for (std::uint32_t number = 0; number < queries.size(); ++number) {
    const std::uint32_t word = WordOf(queries[number]);
    for_each_value(queries[number], [&](std::uint64_t value) {
      const std::size_t slot = first_line_[value] * kQueriesPerLine + counts[value]++;
      lines_.data()[slot / kQueriesPerLine].words[slot % kQueriesPerLine] = word;
      numbers_[slot] = number;
    });
  }
}

}  // namespace crawlsieve

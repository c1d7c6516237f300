#pragma once

#include "plugin/fingerprint/simhash.h"
#include "plugin/index/base/line.h"
#include "plugin/index/base/line_array.h"
#include "plugin/index/batch/design.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace crawlsieve {

/// Queries by the bits of one block: a bucket for each value has those within the block's radius of
/// it. A bucket is lines of 16 queries, of each the 32 bits farthest from the block.
///
/// Memory: for 1 M queries 20 bytes a query at radius 0, some 300 at radius 1, where each is in as
/// many buckets as the block has bits, and in its own. Immutable; thread-safe.
class QueryTable {
 public:
  static constexpr std::uint32_t kNoQuery = std::numeric_limits<std::uint32_t>::max();

  /// `block.radius` is 0 or 1. Fewer than 2^32 - 1 queries.
  QueryTable(std::span<const Fingerprint> queries, const BatchBlock& block);

  [[nodiscard]] std::uint64_t ValueOf(Fingerprint fingerprint) const {
    return std::rotl(fingerprint.bits, block_.first_bit) >> (64 - block_.bits);
  }
  /// What a bucket's words are compared with.
  [[nodiscard]] std::uint32_t WordOf(Fingerprint fingerprint) const {
    return static_cast<std::uint32_t>(std::rotl(fingerprint.bits, block_.first_bit));
  }

  void PrefetchBucket(std::uint64_t value) const { __builtin_prefetch(&first_line_[value]); }
  [[nodiscard]] std::span<const Line> Bucket(std::uint64_t value) const {
    const std::uint32_t first = first_line_[value];
    return {lines_.data() + first, first_line_[value + 1] - first};
  }
  /// The number of the query in that slot of a bucket's line; kNoQuery: nothing is in it.
  [[nodiscard]] std::uint32_t QueryAt(const Line* line, std::size_t slot) const {
    return numbers_[static_cast<std::size_t>(line - lines_.data()) * kQueriesPerLine + slot];
  }

 private:
  static constexpr std::size_t kQueriesPerLine = 16;

  BatchBlock block_;
  std::vector<std::uint32_t> first_line_;  ///< of each value, and the end
  LineArray lines_;
  std::vector<std::uint32_t> numbers_;  ///< of the queries, as they are in the lines
};

}  // namespace crawlsieve

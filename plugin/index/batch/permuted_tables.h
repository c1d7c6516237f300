#pragma once

#include "plugin/fingerprint/simhash.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace crawlsieve {

/// The permuted tables by which the near pairs of a set are found when the set is divided among
/// machines (Manku et al. section 3, Example 3.1).
///
/// The fingerprint is cut into k + m blocks, and each table is one choice of m of them. Two
/// fingerprints within k bits of one another differ in k blocks at most, so they agree in all
/// blocks of some table: there they are neighbours. At k = 3 these are the example's 20 tables, of
/// six blocks of 10 or 11 bits, three of which agree. Immutable; thread-safe.
class PermutedTables {
 public:
  /// `max_distance`: k, in 0..7. Each table's fingerprints are divided into `ranges` ranges of the
  /// blocks that agree; at least 1.
  PermutedTables(int max_distance, std::uint32_t ranges);

  [[nodiscard]] int max_distance() const { return max_distance_; }
  [[nodiscard]] std::size_t tables() const { return tables_.size(); }
  /// Ranges of all tables together. Range r of table t has number t * ranges + r.
  [[nodiscard]] std::size_t partitions() const { return tables_.size() * ranges_; }
  [[nodiscard]] std::size_t TableOf(std::size_t partition) const { return partition / ranges_; }

  /// The bits of the blocks that agree in `table`, where they are in the fingerprint.
  [[nodiscard]] std::uint64_t MaskOf(std::size_t table) const { return tables_[table].mask; }
  /// The partition of `table` that has this fingerprint.
  [[nodiscard]] std::size_t PartitionOf(std::size_t table, Fingerprint fingerprint) const;

  /// Whether `table` is the first one in which fingerprints with these differences agree. For those
  /// within k bits of one another there is exactly one.
  [[nodiscard]] bool IsFirst(std::size_t table, std::uint64_t differences) const;

 private:
  struct Table {
    std::vector<int> blocks;  ///< that agree, ascending
    std::uint64_t mask = 0;
  };
  struct Block {
    int shift = 0;
    int bits = 0;
    std::uint64_t mask = 0;
  };

  const int max_distance_;
  const std::uint32_t ranges_;
  std::vector<Block> blocks_;
  std::vector<Table> tables_;  ///< in the order of the blocks that agree
};

}  // namespace crawlsieve

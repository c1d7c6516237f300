#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace crawlsieve {

/// No block is narrower.
inline constexpr int kMinBlockBits = 10;

/// How the index cuts fingerprints up, and what that is expected to cost.
struct IndexDesign {
  /// Widths of the blocks, first to last, 64 in all. There is a table for each.
  std::vector<int> block_bits;
  /// What a lookup at the largest distance costs, in cache lines read at random. One that lies in
  /// a page together with another costs less, as it comes without a TLB miss: a quarter if it is
  /// asked for at the same time, half if only when the other has come.
  double reads_per_lookup = 0;
  double bytes_per_entry = 0;  ///< document number included, where they are kept
};

/// The design with the fewest reads per lookup for uniform fingerprints among those that need at
/// most `max_bytes_per_entry`, or, if none does, the smallest. More blocks are searched within
/// smaller radii, which takes fewer probes of fuller buckets and more copies.
[[nodiscard]] IndexDesign ChooseDesign(int max_distance, std::uint64_t expected_entries,
                                       double max_bytes_per_entry, bool keep_documents = true);

/// What a table by the leading bits of a block costs at a number of entries.
struct TableCost {
  int address_bits = 0;
  int lines_per_run = 1;  ///< lines of a bucket that lie side by side
  double entries_per_bucket = 0;
  double lines_per_bucket = 0;  ///< overflow lines included, idle ones not
  double reads_per_bucket = 0;  ///< counted as reads_per_lookup is
};
[[nodiscard]] TableCost CostOfTable(int block_bits, std::uint64_t entries);

/// The sorted, permuted tables of Manku et al. section 3.1: for each table the bits that its
/// permutation puts in front, in which a match must agree with the query. `splits` says, level by
/// level, into how many blocks the bits not yet in front are cut; each level puts all but
/// `max_distance` of its blocks in front. Example 3.1 is {6}, {4, 4}, {5} and {4}. For stores on
/// disk that are too big for an index in memory; nothing is built like that yet.
[[nodiscard]] std::vector<std::uint64_t> LeadingBitsOfTables(int fingerprint_bits, int max_distance,
                                                             std::span<const int> splits);

/// X(f, k, d) of section 3.1.2: the fewest permuted tables that keep every p_i at `min_prefix_bits`
/// or more for 2^log2_entries fingerprints. As printed the recurrence never ends (r = k makes no
/// progress) and misses the example's designs by one (a table with exactly p_min leading bits has
/// d = tau); with r > k and d <= tau it gives the 4, 10, 16 and 20 of Example 3.1.
[[nodiscard]] std::uint64_t OptimalPermutedTables(double fingerprint_bits, int max_distance,
                                                  double log2_entries, double min_prefix_bits);

}  // namespace crawlsieve

#pragma once

#include "plugin/index/base/kernel.h"
#include "plugin/index/base/line.h"
#include "plugin/index/base/line_array.h"
#include "plugin/index/hamming_index.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace crawlsieve {

/// Many queries against a large store that is read once, in any order (Manku et al. section 3.3):
/// the tables are over the queries. The 64 bits are cut into max_distance + 1 blocks, of which a
/// match agrees with the query in one, so a stored fingerprint is compared with the queries that
/// have one of its blocks. That is quick at distances up to 3, where blocks have 16 bits and more;
/// with wider ones each stored fingerprint meets a fair share of all queries.
///
/// Memory: about 6 bytes a query and block, and the matches. Thread-compatible.
class BatchQuery {
 public:
  /// Keeps a reference to `queries`. `max_distance` is in 0..7.
  BatchQuery(std::span<const Fingerprint> queries, int max_distance);
  BatchQuery(const BatchQuery&) = delete;
  BatchQuery& operator=(const BatchQuery&) = delete;

  /// Compares these stored entries, too.
  void Compare(std::span<const IndexEntry> stored);

  /// What has been found: for each query the answer HammingIndex::Find gives.
  [[nodiscard]] std::vector<std::vector<Match>> TakeMatches();

 private:
  static constexpr std::size_t kQueriesPerLine = 16;

  /// The queries by one block. Lines hold 32 bits of 16 of them, from the other end than the block.
  struct Table {
    int rotation = 0;
    int bits = 0;
    std::vector<std::uint32_t> first_line;  // of each value of the block, and the end
    LineArray lines;
    std::vector<std::uint32_t> queries;  // the numbers, as they are in the lines; kNone for gaps
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // Stored entries are compared some thousand at a time, so that filling the window takes little.
  static constexpr std::size_t kPiece = 4096;
  static constexpr std::size_t kEntriesAhead = 16;
  static constexpr std::size_t kWindow = 64;

  /// Lines that are compared in one go, and what with.
  struct Window {
    std::size_t size = 0;
    std::array<const Line*, kWindow> lines;
    std::array<std::uint32_t, kWindow> words;   // of the stored entry
    std::array<std::uint32_t, kWindow> owners;  // its number in pending_
  };

  void AddTable(int first_bit, int bits);
  void ComparePending();
  /// Compares, and empties the window.
  void CompareWindow(std::size_t table, Window& window);

  const std::span<const Fingerprint> queries_;
  const int max_distance_;
  const LineKernel kernel_;
  std::array<std::uint32_t, kWindow> limits_;
  std::vector<Table> tables_;
  std::vector<IndexEntry> pending_;
  std::vector<std::vector<Match>> matches_;
};

}  // namespace crawlsieve

#pragma once

#include "plugin/fingerprint/simhash.h"
#include "plugin/index/base/entry.h"
#include "plugin/index/batch/design.h"
#include "plugin/index/batch/line_window.h"
#include "plugin/index/batch/prefix_candidates.h"
#include "plugin/index/batch/query_table.h"
#include "plugin/index/hamming_index.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace crawlsieve {

/// Which stored fingerprints a batch finds.
enum class BatchScope : std::uint8_t {
  kAll,
  /// Those greater than the query, so that of a set's near pairs each is found once; and of entries
  /// with one fingerprint that come one after the other the first.
  kGreater,
};

/// Many queries that are to meet a large store which is read once (Manku et al. section 3.3): the
/// tables are over the queries. Immutable; thread-safe: several BatchQuery share it.
///
/// Memory for 1 M queries: some 20 bytes a query, 20 for each table of radius 0, 300 of radius 1.
class BatchQueries {
 public:
  /// Keeps a reference to `queries`, fewer than 2^32 - 1. `max_distance` is in 0..7. About `stored`
  /// fingerprints are going to be met in all; for speed only.
  BatchQueries(std::span<const Fingerprint> queries, int max_distance, std::uint64_t stored,
               BatchScope scope = BatchScope::kAll);

 private:
  friend class BatchQuery;

  const std::span<const Fingerprint> queries_;
  const int max_distance_;
  const BatchScope scope_;
  const BatchDesign design_;
  const PrefixLevels levels_;       ///< of the leading block
  std::vector<QueryTable> tables_;  ///< of the others
};

struct BatchMatch {
  std::uint32_t query = 0;  ///< its number
  Match match;
};

/// One pass over a store or a part of it. Stored fingerprints should come in order, as snapshots
/// have them; any other order is as right and slower. Thread-compatible.
class BatchQuery {
 public:
  /// Keeps a reference to `queries`. Beyond `most_matches` no more are found.
  explicit BatchQuery(const BatchQueries& queries,
                      std::size_t most_matches = std::numeric_limits<std::size_t>::max());
  BatchQuery(const BatchQuery&) = delete;
  BatchQuery& operator=(const BatchQuery&) = delete;

  /// Compares these stored entries, too.
  void Compare(std::span<const IndexEntry> stored);

  /// How many matches have been found.
  [[nodiscard]] std::size_t found() const { return matches_.size(); }

  /// What has been found, each pair once, in no particular order.
  [[nodiscard]] std::vector<BatchMatch> TakeMatches();

 private:
  // Stored entries are compared some thousand at a time, so that filling the window takes little.
  static constexpr std::size_t kPiece = 4096;
  static constexpr std::size_t kEntriesAhead = 16;

  void ComparePending();
  void CompareLeadingBits();
  void CompareTable(std::size_t table);
  /// `block`: in which the query was found, of the design.
  void AddIfNear(std::uint32_t query, const IndexEntry& entry, std::size_t block);

  const BatchQueries& queries_;
  const std::size_t most_matches_;
  PrefixCandidates candidates_;
  /// Two take turns: when one is compared, its lines were asked for a window ago.
  std::array<LineWindow, 2> windows_;
  std::optional<Fingerprint> last_;  ///< that came, with kGreater
  std::vector<IndexEntry> pending_;
  std::vector<BatchMatch> matches_;
};

/// For each of `queries` queries the answer that HammingIndex::Find gives, out of what several
/// passes over parts of a store have found.
[[nodiscard]] std::vector<std::vector<Match>> MatchesByQuery(
    std::size_t queries, std::span<const std::vector<BatchMatch>> passes);

}  // namespace crawlsieve

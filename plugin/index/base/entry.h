#pragma once

#include "plugin/base/doc_id.h"
#include "plugin/fingerprint/simhash.h"

#include <compare>
#include <cstdint>
#include <functional>
#include <vector>

namespace crawlsieve {

/// What an index stores, in the order of snapshots.
struct IndexEntry {
  Fingerprint fingerprint;
  DocId document;

  friend auto operator<=>(const IndexEntry&, const IndexEntry&) = default;
};

/// Gives entries, ascending, some at a time: replaces the contents of its argument, or returns
/// false when there are no more.
using EntrySource = std::function<bool(std::vector<IndexEntry>& entries)>;

/// What a lookup cost; counted, so that no data can make lookups slow unseen.
struct LookupWork {
  std::uint64_t probes = 0;      ///< buckets looked into
  std::uint64_t lines = 0;       ///< cache lines compared, of an index in memory
  std::uint64_t candidates = 0;  ///< fingerprints compared
};

}  // namespace crawlsieve

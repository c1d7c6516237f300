#pragma once

#include "plugin/base/doc_id.h"
#include "plugin/fingerprint/simhash.h"
#include "plugin/index/base/entry.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace crawlsieve {

/// A stored document within reach of a query.
struct Match {
  DocId document;
  Fingerprint fingerprint;
  int distance = 0;

  friend bool operator==(const Match&, const Match&) = default;
};

/// What an index holds at one moment.
struct IndexStats {
  std::uint64_t documents = 0;
  std::uint64_t fingerprints = 0;  ///< distinct ones
  std::uint64_t bytes = 0;         ///< heap memory, allocator overhead apart
};

/// A set of (fingerprint, document) pairs that answers "which documents are within max_distance
/// bits of this fingerprint?" exactly: all of them, none else (the Hamming distance problem of
/// Manku, Jain, Das Sarma, WWW 2007, section 3).
///
/// Implementations are thread-safe; a lookup that runs beside a change may or may not see it, and
/// never sees half of it. Answers depend on the set alone, never on the layout or its history.
class HammingIndex {
 public:
  virtual ~HammingIndex() = default;

  /// Largest distance Find answers for.
  [[nodiscard]] virtual int max_distance() const = 0;

  /// Makes an empty index ready for about so many fingerprints, of documents up to `last`. Needed
  /// only before pairs are added in the order of snapshots, and only for speed.
  virtual void Reserve(std::uint64_t /*fingerprints*/, DocId /*last*/) {}

  /// Adds a pair; false if it is there already. Documents with equal fingerprints are all kept.
  virtual bool Insert(Fingerprint fingerprint, DocId document) = 0;

  /// Adds pairs, as Insert does one by one; quicker where memory accesses of several can overlap,
  /// and where `threads` (at least 1) can share the work. Throws std::bad_alloc.
  virtual void InsertAll(std::span<const IndexEntry> entries, unsigned /*threads*/) {
    for (const IndexEntry& entry : entries) Insert(entry.fingerprint, entry.document);
  }

  /// Takes a pair out; false if it isn't there.
  virtual bool Remove(Fingerprint fingerprint, DocId document) = 0;

  /// The documents with distance <= max_distance from `query`, ordered by distance, then by
  /// sequence; at most `limit`, the first of that order. Replaces the contents of `matches`.
  /// `max_distance` must be in 0..max_distance(). `work`, where given, is added to.
  virtual void Find(Fingerprint query, int max_distance, std::size_t limit,
                    std::vector<Match>& matches, LookupWork* work = nullptr) const = 0;

  [[nodiscard]] virtual IndexStats Stats() const = 0;

  /// Gives all pairs in the order of snapshots. Pairs that come or go meanwhile may be in it or
  /// not, all others are. The index must outlive the source.
  [[nodiscard]] virtual EntrySource Entries() const = 0;
};

}  // namespace crawlsieve

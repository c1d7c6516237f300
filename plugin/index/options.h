#pragma once

#include <cstdint>

namespace crawlsieve {

struct IndexOptions {
  /// Largest distance that lookups can ask for, in bits, 0..7. Each bit more makes a lookup two to
  /// five times as expensive, or takes another copy of the fingerprints (docs/index.md).
  int max_distance = 3;
  /// Slices of each table with a lock of their own, 1..32, rounded up to a power of two from 2 on;
  /// fewer where all tables together would have more than 64. With more of them writers wait less
  /// often for readers and for each other.
  std::uint32_t shards = 16;
  /// Number of distinct fingerprints to lay the index out for. It grows beyond, exact as ever, but
  /// with another number of tables than would be best then.
  std::uint64_t expected_entries = 10'000'000;
  /// Memory that `expected_entries` may take, bytes each; the smallest design if none fits. The
  /// fastest takes 23 to 38 at distances up to 4 and 28 to 45 beyond; half as much makes lookups
  /// several to thirty times slower.
  std::uint32_t max_bytes_per_entry = 40;
  /// Whether the documents of fingerprints are kept. Without them the index is a set of
  /// fingerprints, for those who look documents up elsewhere by fingerprint, and takes four bytes
  /// and more less for each in the same design (the memory may also do for another table, then). It
  /// takes no notice of the documents it is given and says 0 for each: a fingerprint is inserted
  /// once, Remove takes it out whatever the document, answers are ordered by distance, then
  /// fingerprint, and there are no restart snapshots of it. For batches and for indexes of shards
  /// to come; no option of the program turns it off.
  bool keep_documents = true;
};

}  // namespace crawlsieve

#pragma once

#include "plugin/base/result.h"
#include "plugin/index/base/entry.h"
#include "plugin/index/batch/snapshot_pass.h"
#include "plugin/index/snapshot/file.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace crawlsieve {

/// Two stored documents within reach of one another, `a` before `b` in the order of entries.
struct NearPair {
  IndexEntry a;
  IndexEntry b;
  int distance = 0;

  friend bool operator==(const NearPair&, const NearPair&) = default;
};

struct NearPairOptions {
  int max_distance = 3;  ///< 0..7
  int threads = 1;
  /// Fingerprints that are compared with the rest in one pass. Memory is some 60 bytes for each up
  /// to distance 4, and 700 at 7.
  std::size_t at_once = 2'000'000;
  /// Matches that a thread holds at a time, of which pairs are made: 100 bytes each. With more in
  /// a pass, half of the fingerprints take part in it; those of one fingerprint are always held.
  std::size_t most_pairs = 5'000'000;
  /// Is told how many fingerprints have been compared with all.
  std::function<void(std::uint64_t fingerprints)> done = [](std::uint64_t) {};
};

/// Visits the near pairs of a set, in the order of `a`, then of `b`, each once.
///
/// Distinct fingerprints are compared, each as the entry of its first document. Documents with
/// equal fingerprints are a chain: each is a pair, at distance 0, with the one before it. So a
/// million documents of one fingerprint are a million pairs rather than half a trillion; which
/// documents belong together is the same.
///
/// `part`: of which `a` is. Parts together give each pair once. Errors: kCorruption, and what
/// `visit` returns.
[[nodiscard]] Status ForEachNearPair(const SnapshotFile& store, const SnapshotPart& part,
                                     const NearPairOptions& options,
                                     const std::function<Status(std::span<const NearPair>)>& visit);

}  // namespace crawlsieve

#pragma once

#include "plugin/index/hamming_index.h"

#include <cstddef>
#include <span>
#include <vector>

namespace crawlsieve {

/// Adds entries to an index from all processors, as they come: gathers enough of them for threads
/// to share. For an index that nobody looks things up in yet. Thread-compatible.
class IndexFiller {
 public:
  /// Borrows the index.
  explicit IndexFiller(HammingIndex& index);

  void Add(const IndexEntry& entry) { Add(std::span(&entry, 1)); }
  void Add(std::span<const IndexEntry> entries) {
    gathered_.insert(gathered_.end(), entries.begin(), entries.end());
    if (gathered_.size() >= kEnough) Finish();
  }

  /// Adds what was gathered. Must be called after the last Add.
  void Finish();

 private:
  static constexpr std::size_t kEnough = std::size_t{1} << 18;

  HammingIndex& index_;
  const unsigned threads_;
  std::vector<IndexEntry> gathered_;
};

}  // namespace crawlsieve

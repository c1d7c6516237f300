#pragma once

#include "plugin/index/hamming_index.h"

#include <cstdint>
#include <deque>

namespace crawlsieve {

/// What was put into an index of the newest documents, in order, so that it can be taken out again
/// when it is old. Thread-compatible.
class RecentDocuments {
 public:
  void Add(const IndexEntry& entry) { entries_.push_back(entry); }
  void Clear() { entries_.clear(); }

  /// Takes documents up to `last` out of `index`; those that were retired are out already.
  void Drop(std::uint64_t last, HammingIndex& index) {
    for (; !entries_.empty() && entries_.front().document.sequence <= last; entries_.pop_front()) {
      index.Remove(entries_.front().fingerprint, entries_.front().document);
    }
  }

 private:
  std::deque<IndexEntry> entries_;
};

}  // namespace crawlsieve

#pragma once

#include "plugin/base/mutex.h"
#include "plugin/index/hamming_index.h"

#include <set>
#include <utility>

namespace crawlsieve {

/// Compares a query with every pair stored: the oracle of the other indexes, and enough for a few
/// thousand documents.
///
/// Thread-safe: one lock. A lookup takes time proportional to the number of pairs.
class FlatIndex final : public HammingIndex {
 public:
  [[nodiscard]] int max_distance() const override { return 64; }
  bool Insert(Fingerprint fingerprint, DocId document) override;
  bool Remove(Fingerprint fingerprint, DocId document) override;
  void Find(Fingerprint query, int max_distance, std::size_t limit, std::vector<Match>& matches,
            LookupWork* work = nullptr) const override;
  [[nodiscard]] IndexStats Stats() const override;
  [[nodiscard]] EntrySource Entries() const override;

 private:
  mutable Mutex mutex_;
  std::set<std::pair<Fingerprint, DocId>> pairs_ GUARDED_BY(mutex_);
};

}  // namespace crawlsieve

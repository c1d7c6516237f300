#include "plugin/index/flat_index.h"

#include "plugin/index/nearest.h"

namespace crawlsieve {

bool FlatIndex::Insert(Fingerprint fingerprint, DocId document) {
  MutexLock lock(mutex_);
  return pairs_.emplace(fingerprint, document).second;
}

bool FlatIndex::Remove(Fingerprint fingerprint, DocId document) {
  MutexLock lock(mutex_);
  return pairs_.erase({fingerprint, document}) != 0;
}

void FlatIndex::Find(Fingerprint query, int max_distance, std::size_t limit,
                     std::vector<Match>& matches, LookupWork* work) const {
  matches.clear();
  {
    MutexLock lock(mutex_);
    for (const auto& [fingerprint, document] : pairs_) {
      const int distance = HammingDistance(query, fingerprint);
      if (distance <= max_distance) matches.push_back({document, fingerprint, distance});
    }
    if (work != nullptr) {
      work->probes += 1;
      work->candidates += pairs_.size();
    }
  }
  KeepNearest(matches, limit);
}

IndexStats FlatIndex::Stats() const {
  // A node holds its pair and, in the libraries we build with, three pointers and a colour.
  constexpr std::uint64_t kNodeBytes = sizeof(std::pair<Fingerprint, DocId>) + 4 * sizeof(void*);
  MutexLock lock(mutex_);
  IndexStats stats{.documents = pairs_.size(), .bytes = pairs_.size() * kNodeBytes};
  const Fingerprint* previous = nullptr;
  for (const auto& [fingerprint, document] : pairs_) {
    if (previous == nullptr || *previous != fingerprint) ++stats.fingerprints;
    previous = &fingerprint;
  }
  return stats;
}

EntrySource FlatIndex::Entries() const {
  return [this, is_given = false](std::vector<IndexEntry>& entries) mutable {
    entries.clear();
    if (is_given) return false;
    is_given = true;
    MutexLock lock(mutex_);
    for (const auto& [fingerprint, document] : pairs_) entries.push_back({fingerprint, document});
    return !entries.empty();
  };
}

}  // namespace crawlsieve

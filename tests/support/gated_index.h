#pragma once

#include "plugin/index/flat_index.h"

#include <cstddef>
#include <future>
#include <utility>
#include <vector>

namespace crawlsieve::testing {

/// An index that isn't read to a file before it is told to.
class GatedIndex final : public HammingIndex {
 public:
  explicit GatedIndex(std::shared_future<void> gate) : gate_(std::move(gate)) {}
  [[nodiscard]] int max_distance() const override { return flat_.max_distance(); }
  bool Insert(Fingerprint fingerprint, DocId document) override {
    return flat_.Insert(fingerprint, document);
  }
  bool Remove(Fingerprint fingerprint, DocId document) override {
    return flat_.Remove(fingerprint, document);
  }
  void Find(Fingerprint query, int max_distance, std::size_t limit, std::vector<Match>& matches,
            LookupWork* work) const override {
    flat_.Find(query, max_distance, limit, matches, work);
  }
  [[nodiscard]] IndexStats Stats() const override { return flat_.Stats(); }
  [[nodiscard]] EntrySource Entries() const override {
    gate_.wait();
    return flat_.Entries();
  }

 private:
  FlatIndex flat_;
  std::shared_future<void> gate_;
};

}  // namespace crawlsieve::testing

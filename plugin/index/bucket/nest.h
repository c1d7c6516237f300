#pragma once

#include "plugin/index/bucket/bucket_table.h"
#include "plugin/index/bucket/document_ref.h"
#include "plugin/index/bucket/probe_queue.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace crawlsieve {

/// The keys of one overfull bucket, indexed by their remaining bits: tables over blocks of those
/// bits, as the index has over the whole fingerprint. Its tables may have nests in turn.
///
/// Thread-compatible.
class Nest {
 public:
  Nest(int key_bits, int max_distance, bool with_documents);

  void Insert(std::uint64_t key, std::uint64_t document);
  bool Erase(std::uint64_t key);
  [[nodiscard]] bool Contains(std::uint64_t key) const { return tables_.front().Contains(key); }
  [[nodiscard]] DocumentRef Find(std::uint64_t key) const { return tables_.front().Find(key); }
  void SetDocument(std::uint64_t key, std::uint64_t document) {
    tables_.front().SetDocument(key, document);
  }

  /// As BucketTable::ForEach.
  void ForEach(std::uint64_t first, std::uint64_t last,
               const std::function<void(std::uint64_t, std::uint64_t)>& visit) const {
    tables_.front().ForEach(first, last, visit);
  }
  /// As BucketTable::EstimateWithin.
  [[nodiscard]] std::uint64_t EstimateWithin(std::uint64_t first, std::uint64_t last) const {
    return tables_.front().EstimateWithin(first, last);
  }

  /// Sets `keys` to those that differ from `key` in at most `max_distance` bits; adds to `work`.
  void Collect(std::uint64_t key, int max_distance, std::vector<std::uint64_t>& keys,
               ProbeWork& work) const;

  [[nodiscard]] int key_bits() const { return key_bits_; }
  /// The bits of a key of the table around that are the key in here.
  [[nodiscard]] std::uint64_t OwnPart(std::uint64_t key) const {
    return key & ((std::uint64_t{1} << key_bits_) - 1);
  }
  [[nodiscard]] std::uint64_t size() const { return tables_.front().size(); }
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  [[nodiscard]] std::uint64_t Rotate(std::uint64_t key, std::size_t table) const;
  [[nodiscard]] std::uint64_t RotateBack(std::uint64_t key, std::size_t table) const;

  const int key_bits_;
  std::vector<BucketTable> tables_;  // the second one's keys are rotated by half
};

}  // namespace crawlsieve

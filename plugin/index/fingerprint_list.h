#pragma once

#include "plugin/fingerprint/simhash.h"
#include "plugin/index/base/line.h"

#include <cstddef>
#include <vector>

namespace crawlsieve {

/// A few thousand fingerprints that are looked through from first to last, sixteen at a time.
/// Thread-compatible.
class FingerprintList {
 public:
  void Add(Fingerprint fingerprint);
  void Clear();
  [[nodiscard]] std::size_t size() const { return fingerprints_.size(); }

  /// Sets `found` to the numbers, ascending from 0 in the order of Add, of those that differ from
  /// `query` in at most `max_distance` bits.
  void Find(Fingerprint query, int max_distance, std::vector<std::size_t>& found) const;

 private:
  std::vector<Fingerprint> fingerprints_;
  std::vector<Line> low_halves_;  // their low 32 bits; the last line is filled up with anything
};

}  // namespace crawlsieve

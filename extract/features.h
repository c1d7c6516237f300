#pragma once

#include "extract/options.h"
#include "extract/tokenizer.h"
#include "plugin/fingerprint/feature.h"

#include <cstdint>
#include <vector>

namespace crawlsieve::extract {

/// Counts the features of a text: single words or shingles (Broder, "On the resemblance and
/// containment of documents", 1997), hashed, weighted by how often they occur.
///
/// Thread-compatible; buffers are reused.
class FeatureCounter {
 public:
  FeatureCounter(const FeatureOptions& options, const FeatureHasher& hasher);

  /// Distinct features, ordered by hash. A text shorter than a shingle yields one feature of all
  /// its words; one without words none.
  [[nodiscard]] std::vector<Feature> Count(const TokenList& tokens);

 private:
  const std::size_t shingle_size_;
  const FeatureHasher hasher_;
  std::vector<std::uint64_t> hashes_;
};

}  // namespace crawlsieve::extract

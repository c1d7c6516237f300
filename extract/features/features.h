#pragma once

#include "extract/features/options.h"
#include "plugin/fingerprint/feature.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace crawlsieve::extract {

/// Counts the features of a text: its terms, or runs of terms (shingles: Broder, "On the
/// resemblance and containment of documents", 1997), weighted by how often they occur and where.
///
/// Thread-compatible; buffers are reused.
class FeatureCounter {
 public:
  /// `hasher` hashes runs of terms; it is copied.
  FeatureCounter(const FeatureOptions& options, const FeatureHasher& hasher);

  /// Distinct features, ordered by hash, of a text with these terms. A feature weighs what the
  /// terms weigh that it begins with, summed up over all places; damped, the number of binary
  /// digits of that. A text shorter than a shingle yields one feature of all its terms; one
  /// shorter than a phrase no phrase.
  [[nodiscard]] std::vector<Feature> Count(const std::vector<Feature>& terms);

 private:
  void AddRuns(const std::vector<Feature>& terms, std::size_t size);

  FeatureHasher hasher_;
  const std::size_t shingle_size_;
  const std::size_t phrase_size_;
  const bool damp_frequency_;
  std::vector<Feature> places_;
  std::vector<std::uint64_t> runs_;
  std::vector<Feature> sorted_;  ///< SortByHash's
};

}  // namespace crawlsieve::extract

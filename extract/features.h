#pragma once

#include "extract/options.h"
#include "extract/tokenizer.h"
#include "plugin/fingerprint/feature.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace crawlsieve::extract {

/// Tokens in a row of the same weight.
struct TokenRun {
  std::size_t end;  ///< the index behind the last one; the run begins where the one before ends
  std::uint32_t weight;
};

/// Counts the features of a text: single words or shingles (Broder, "On the resemblance and
/// containment of documents", 1997), hashed, weighted by how often they occur and where.
///
/// Thread-compatible; buffers are reused.
class FeatureCounter {
 public:
  FeatureCounter(const FeatureOptions& options, const FeatureHasher& hasher);

  /// Distinct features, ordered by hash. A feature weighs what the tokens weigh that it begins
  /// with, summed up over all places; damped, the number of binary digits of that. `runs` cover all
  /// tokens; none weighs 0. A text shorter than a shingle yields one feature of all its words; one
  /// without words none.
  [[nodiscard]] std::vector<Feature> Count(const TokenList& tokens,
                                           const std::vector<TokenRun>& runs);

 private:
  const std::size_t shingle_size_;
  const bool damp_frequency_;
  const FeatureHasher hasher_;
  std::vector<std::uint64_t> hashes_;
  std::vector<Feature> places_;
  std::vector<Feature> sorted_;  ///< SortByHash's
};

}  // namespace crawlsieve::extract

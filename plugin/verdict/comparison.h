#pragma once

#include "plugin/fingerprint/simhash.h"
#include "plugin/fingerprint/sketch.h"
#include "plugin/verdict/item.h"
#include "plugin/verdict/parameters.h"
#include "plugin/verdict/score.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace crawlsieve {

/// What of a page's content is compared with that of another. Borrows checksum and URL.
struct PageTraits {
  std::string_view content_checksum;  ///< empty: no content
  bool is_text = false;               ///< whether there is anything but the checksum
  std::uint32_t features = 0;         ///< distinct ones
  Fingerprint simhash;
  std::uint32_t shingles = 0;  ///< distinct ones
  Sketch sketch;
  ItemTraits item = {};
};

/// How alike two pages are.
struct Comparison {
  enum class Kind { kDifferent, kNear, kExact };
  Kind kind = Kind::kDifferent;
  int distance = 0;  ///< Hamming distance of the simhashes; 0 when exact, or without text
  Score similarity;  ///< resemblance of the shingle sets, as EstimateSimilarity; 1 when exact
};

/// Whether a page has too little text to be told from others: never a duplicate, never a match.
[[nodiscard]] bool IsTooShort(const PageTraits& page, const JudgeParameters& parameters);

/// The resemblance of two pages' shingle sets as their sketches estimate it, but at most what the
/// sizes of the sets allow: |A ∩ B| / |A ∪ B| <= min(|A|, |B|) / max(|A|, |B|).
[[nodiscard]] Score EstimateSimilarity(const PageTraits& a, const PageTraits& b);

/// Between what the similarity that is asked for lies, whatever min_similarity is.
struct RequiredSimilarity {
  Score least;
  Score most{Score::kOne};

  [[nodiscard]] Score At(Score min_similarity) const {
    return std::clamp(min_similarity, least, most);
  }
};

/// How length and item evidence of two pages move what is asked of their similarity.
[[nodiscard]] RequiredSimilarity RequirementOf(const PageTraits& a, const PageTraits& b,
                                               const JudgeParameters& parameters);

/// Compares two pages of which none is too short. The rule of every near duplicate: simhashes
/// within max_distance bits, and similarity >= RequirementOf(a, b).At(min_similarity). Pure and
/// symmetric.
[[nodiscard]] Comparison Compare(const PageTraits& a, const PageTraits& b,
                                 const JudgeParameters& parameters);

}  // namespace crawlsieve

#include "plugin/verdict/comparison.h"

#include <algorithm>

namespace crawlsieve {

bool IsTooShort(const PageTraits& page, const JudgeParameters& parameters) {
  return page.is_text && page.features < std::max(1U, parameters.min_features);
}

Score EstimateSimilarity(const PageTraits& a, const PageTraits& b) {
  const auto [smaller, larger] = std::minmax(a.shingles, b.shingles);
  if (smaller == 0) return Score{0};
  const std::uint64_t bound = std::uint64_t{smaller} * Score::kOne / larger;
  return Score{static_cast<std::uint32_t>(
      std::min<std::uint64_t>(EstimateResemblance(a.sketch, b.sketch), bound))};
}

Score ShortTextSimilarity(const PageTraits& a, const PageTraits& b,
                          const JudgeParameters& parameters) {
  const bool is_short = std::min(a.shingles, b.shingles) < parameters.short_text_shingles;
  return is_short ? parameters.short_text_similarity : Score{};
}

Comparison Compare(const PageTraits& a, const PageTraits& b, const JudgeParameters& parameters) {
  if (!a.content_checksum.empty() && a.content_checksum == b.content_checksum) {
    return {Comparison::Kind::kExact, 0, Score{Score::kOne}};
  }
  if (!a.is_text || !b.is_text) return {};
  Comparison comparison{Comparison::Kind::kDifferent, HammingDistance(a.simhash, b.simhash),
                        EstimateSimilarity(a, b)};
  if (comparison.distance <= static_cast<int>(parameters.max_distance) &&
      comparison.similarity >=
          std::max(parameters.min_similarity, ShortTextSimilarity(a, b, parameters))) {
    comparison.kind = Comparison::Kind::kNear;
  }
  return comparison;
}

}  // namespace crawlsieve

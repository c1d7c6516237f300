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

RequiredSimilarity RequirementOf(const PageTraits& a, const PageTraits& b,
                                 const JudgeParameters& parameters) {
  const std::uint32_t shingles = std::min(a.shingles, b.shingles);
  RequiredSimilarity required;
  if (shingles < parameters.short_text_shingles) required.least = parameters.short_text_similarity;
  switch (CompareItems(a.item, b.item)) {
    case ItemEvidence::kNone:
      break;
    case ItemEvidence::kSame:
      required.most = parameters.same_item_similarity;
      required.least = std::min(required.least, required.most);
      break;
    case ItemEvidence::kOther:
      required.least = std::max(required.least, shingles < parameters.other_item_short_shingles
                                                    ? parameters.other_item_short_similarity
                                                    : parameters.other_item_similarity);
      break;
  }
  return required;
}

Comparison Compare(const PageTraits& a, const PageTraits& b, const JudgeParameters& parameters) {
  if (!a.content_checksum.empty() && a.content_checksum == b.content_checksum) {
    return {Comparison::Kind::kExact, 0, Score{Score::kOne}};
  }
  if (!a.is_text || !b.is_text) return {};
  Comparison comparison{Comparison::Kind::kDifferent, HammingDistance(a.simhash, b.simhash),
                        EstimateSimilarity(a, b)};
  if (comparison.distance <= static_cast<int>(parameters.max_distance) &&
      comparison.similarity >= RequirementOf(a, b, parameters).At(parameters.min_similarity)) {
    comparison.kind = Comparison::Kind::kNear;
  }
  return comparison;
}

}  // namespace crawlsieve

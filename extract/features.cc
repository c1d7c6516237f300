#include "extract/features.h"

#include "extract/shingles.h"
#include "extract/sort_hashes.h"

#include <algorithm>
#include <bit>

namespace crawlsieve::extract {

FeatureCounter::FeatureCounter(const FeatureOptions& options, const FeatureHasher& hasher)
    : shingle_size_(std::max<std::uint32_t>(options.shingle_size, 1)),
      damp_frequency_(options.damp_frequency),
      hasher_(hasher) {}

std::vector<Feature> FeatureCounter::Count(const TokenList& tokens,
                                           const std::vector<TokenRun>& runs) {
  std::vector<Feature> features;
  hashes_.clear();
  HashShingles(tokens, shingle_size_, hasher_, hashes_);
  places_.clear();
  auto run = runs.begin();
  for (std::size_t first = 0; first < hashes_.size(); ++first) {
    while (run->end <= first) ++run;
    places_.push_back({hashes_[first], run->weight});
  }
  SortByHash(places_, sorted_, [](const Feature& feature) { return feature.hash; });
  for (const Feature& place : places_) {
    if (features.empty() || features.back().hash != place.hash) {
      features.push_back(place);
    } else {
      features.back().weight += place.weight;
    }
  }
  if (damp_frequency_) {
    for (Feature& feature : features) {
      feature.weight = static_cast<std::uint32_t>(std::bit_width(feature.weight));
    }
  }
  return features;
}

}  // namespace crawlsieve::extract

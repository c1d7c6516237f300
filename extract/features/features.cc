#include "extract/features/features.h"

#include "extract/features/sort_hashes.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace crawlsieve::extract {

FeatureCounter::FeatureCounter(const FeatureOptions& options, const FeatureHasher& hasher)
    : hasher_(hasher),
      shingle_size_(std::max<std::uint32_t>(options.shingle_size, 1)),
      phrase_size_(options.phrase_size),
      damp_frequency_(options.damp_frequency) {}

std::vector<Feature> FeatureCounter::Count(const std::vector<Feature>& terms) {
  places_.clear();
  AddRuns(terms, std::min(shingle_size_, terms.size()));
  if (phrase_size_ > 1) AddRuns(terms, phrase_size_);
  SortByHash(places_, sorted_, [](const Feature& feature) { return feature.hash; });
  // Places of one feature come together, and whether the next one is of the same is nothing to
  // predict: so no branch on it.
  std::size_t count = 0;
  for (const Feature& place : places_) {
    const bool same = count != 0 && places_[count - 1].hash == place.hash;
    count += same ? 0 : 1;
    places_[count - 1] = {place.hash, place.weight + (same ? places_[count - 1].weight : 0)};
  }
  std::vector<Feature> features(places_.begin(),
                                places_.begin() + static_cast<std::ptrdiff_t>(count));
  if (damp_frequency_) {
    for (Feature& feature : features) {
      feature.weight = static_cast<std::uint32_t>(std::bit_width(feature.weight));
    }
  }
  return features;
}

void FeatureCounter::AddRuns(const std::vector<Feature>& terms, std::size_t size) {
  if (size <= 1) {
    places_.insert(places_.end(), terms.begin(), terms.end());
    return;
  }
  if (terms.size() < size) return;
  runs_.resize(terms.size() - size + 1);
  hasher_.HashRuns(terms, size, runs_.data());
  for (std::size_t i = 0; i < runs_.size(); ++i) places_.push_back({runs_[i], terms[i].weight});
}

}  // namespace crawlsieve::extract

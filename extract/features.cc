#include "extract/features.h"

#include "extract/shingles.h"

#include <algorithm>

namespace crawlsieve::extract {

FeatureCounter::FeatureCounter(const FeatureOptions& options, const FeatureHasher& hasher)
    : shingle_size_(std::max<std::uint32_t>(options.shingle_size, 1)), hasher_(hasher) {}

std::vector<Feature> FeatureCounter::Count(const TokenList& tokens) {
  std::vector<Feature> features;
  hashes_.clear();
  HashShingles(tokens, shingle_size_, hasher_, hashes_);
  std::sort(hashes_.begin(), hashes_.end());
  for (auto run = hashes_.begin(); run != hashes_.end();) {
    const auto next = std::find_if(run, hashes_.end(), [&](std::uint64_t h) { return h != *run; });
    features.push_back({*run, static_cast<std::uint32_t>(next - run)});
    run = next;
  }
  return features;
}

}  // namespace crawlsieve::extract

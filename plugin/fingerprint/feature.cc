#include "plugin/fingerprint/feature.h"

#include "plugin/fingerprint/secret.h"

#include <bit>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace crawlsieve {
namespace {

/// Version 1's hash of a run: of hashes under a key, but with nothing secret of its own.
std::uint64_t MixRun(std::span<const Feature> run) {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;
  std::uint64_t hash = run.front().hash;
  for (const Feature& feature : run.subspan(1)) {
    hash = (std::rotl(hash, 32) ^ feature.hash) * kOdd;
  }
  return hash ^ hash >> 32;
}

}  // namespace

FeatureHasher::FeatureHasher(std::string_view key, SchemeVersion version)
    : version_(version), words_(key, "feature"), runs_(key, "run") {
  DeriveSecret("feature", key, xxh3_secret_);
}

std::uint64_t FeatureHasher::Hash(std::string_view feature) {
  if (version_ == SchemeVersion::k2) return words_(feature);
  return XXH3_64bits_withSecret(feature.data(), feature.size(), xxh3_secret_.data(),
                                xxh3_secret_.size());
}

void FeatureHasher::HashAll(std::span<const std::string_view> features, const char* readable_end,
                            std::uint64_t* hashes) {
  if (version_ == SchemeVersion::k2) return words_.HashAll(features, readable_end, hashes);
  for (const std::string_view feature : features) *hashes++ = Hash(feature);
}

void FeatureHasher::HashRuns(std::span<const Feature> features, std::size_t size,
                             std::uint64_t* hashes) {
  const std::size_t count = features.size() - size + 1;
  if (version_ == SchemeVersion::k1) {
    for (std::size_t i = 0; i < count; ++i) hashes[i] = MixRun(features.subspan(i, size));
    return;
  }
  // A run is the string of its features' hashes.
  run_words_.clear();
  for (const Feature& feature : features) run_words_.push_back(feature.hash);
  const auto* const bytes = reinterpret_cast<const char*>(run_words_.data());
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  run_strings_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    run_strings_.emplace_back(bytes + kWord * i, kWord * size);
  }
  runs_.HashAll(run_strings_, bytes + kWord * run_words_.size(), hashes);
}

}  // namespace crawlsieve

#include "plugin/fingerprint/feature.h"

#include "plugin/fingerprint/secret.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace crawlsieve {

FeatureHasher::FeatureHasher(std::string_view key) { DeriveSecret("feature", key, secret_); }

std::uint64_t FeatureHasher::Hash(std::string_view feature) const {
  return XXH3_64bits_withSecret(feature.data(), feature.size(), secret_.data(), secret_.size());
}

}  // namespace crawlsieve

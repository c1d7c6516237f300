#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace crawlsieve {

/// How features and contents are hashed.
enum class SchemeVersion {
  /// XXH3 under a secret made from the key. Who can read verdicts can find the secret and make
  /// pages that collide. For logs that were begun with it.
  k1 = 1,
  /// Features by a pseudo-random function, contents by SHA-256. See docs/threat_model.md.
  k2 = 2,
};

struct FingerprintOptions {
  /// Secret under which features are hashed. Another key is another scheme.
  std::string key;
  SchemeVersion version = SchemeVersion::k2;
};

/// Names everything that decides a fingerprint: simhash width and weights, hashes, key (by a value
/// that follows from it and doesn't tell it), and `extraction`, the description of tokenizer and
/// libraries. "cs1-" or "cs2-", by the version, and 16 hex digits. Fingerprints of different
/// schemes are never compared.
[[nodiscard]] std::string SchemeId(const FingerprintOptions& options, std::string_view extraction);

/// The version in which the scheme with this id hashes; k2 where the id is none of ours.
[[nodiscard]] SchemeVersion VersionOfScheme(std::string_view id);

}  // namespace crawlsieve

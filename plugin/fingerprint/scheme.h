#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace crawlsieve {

struct FingerprintOptions {
  /// Secret that keys the feature hash and the content checksum: whoever knows it can build pages
  /// that collide. Another key is another scheme.
  std::string key;
};

/// Names everything that decides a fingerprint: simhash width and weights, hash, key (by its own
/// hash only), and `extraction`, the description of tokenizer and libraries. "cs1-" and 16 hex
/// digits. Fingerprints of different schemes are never compared.
[[nodiscard]] std::string SchemeId(const FingerprintOptions& options, std::string_view extraction);

}  // namespace crawlsieve

#pragma once

#include "plugin/fingerprint/keyed_hash.h"
#include "plugin/fingerprint/scheme.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace crawlsieve {

/// One dimension of a document's vector: a word or shingle, hashed, and how much it weighs.
struct Feature {
  std::uint64_t hash = 0;
  std::uint32_t weight = 0;

  friend bool operator==(const Feature&, const Feature&) = default;
};

/// Hashes features under a secret key, so that nobody without it can choose words for the bits of
/// their hashes.
///
/// SchemeVersion::k2 is a pseudo-random function, KeyedHash. Who learns the hashes of some
/// features, as from the simhash of a page of one word, learns nothing of any other. Two features
/// hash alike with a probability of about 2^-63. k1 is XXH3, whose secret those who read verdicts
/// can find.
///
/// Thread-compatible; each thread has a copy (about 1 KiB).
class FeatureHasher {
 public:
  /// Any key will do, the empty one too; another key makes another scheme.
  explicit FeatureHasher(std::string_view key, SchemeVersion version = SchemeVersion::k2);
  explicit FeatureHasher(const FingerprintOptions& options)
      : FeatureHasher(options.key, options.version) {}

  [[nodiscard]] std::uint64_t Hash(std::string_view feature);

  /// The hash of each feature; `hashes` has room for them. The same as Hash, several at a time.
  /// Bytes behind a feature may be read up to `readable_end`, the end of the text they are parts
  /// of.
  void HashAll(std::span<const std::string_view> features, const char* readable_end,
               std::uint64_t* hashes);

  /// The hashes of all runs of `size` features in a row, made of the features' hashes; `hashes` has
  /// room for them. `size` is 1 to the number of features.
  void HashRuns(std::span<const Feature> features, std::size_t size, std::uint64_t* hashes);

 private:
  static constexpr std::size_t kSecretBytes = 192;

  SchemeVersion version_;
  KeyedHash words_;
  KeyedHash runs_;
  std::vector<std::uint64_t> run_words_;
  std::vector<std::string_view> run_strings_;
  alignas(64) std::array<std::byte, kSecretBytes> xxh3_secret_;
};

}  // namespace crawlsieve

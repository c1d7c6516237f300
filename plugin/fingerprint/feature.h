#pragma once

#include "plugin/fingerprint/nh.h"
#include "plugin/fingerprint/scheme.h"
#include "plugin/fingerprint/siphash.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

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
/// SchemeVersion::k2 is a pseudo-random function: SipHash of NH (see Nh) of the feature's pieces of
/// 240 bytes, and of its length. Who learns the hashes of some features, as from the simhash of a
/// page of one word, learns nothing of any other. Two features hash alike with a probability of
/// about 2^-63. k1 is XXH3, whose secret those who read verdicts can find.
///
/// Immutable after construction; thread-safe. Cheap to copy (about 500 bytes).
class FeatureHasher {
 public:
  /// Any key will do, the empty one too; another key makes another scheme.
  explicit FeatureHasher(std::string_view key, SchemeVersion version = SchemeVersion::k2);
  explicit FeatureHasher(const FingerprintOptions& options)
      : FeatureHasher(options.key, options.version) {}

  [[nodiscard]] std::uint64_t Hash(std::string_view feature) const;

  /// The hash of each feature; `hashes` has room for them. The same as Hash, several at a time.
  /// Bytes behind a feature may be read up to `readable_end`, the end of the text they are parts
  /// of.
  void HashAll(std::span<const std::string_view> features, const char* readable_end,
               std::uint64_t* hashes) const;

  /// The hash of several features in a row, made of theirs.
  [[nodiscard]] std::uint64_t HashRun(std::span<const Feature> run) const;

 private:
  static constexpr std::size_t kPieceBytes = 5 * kNhBlock;
  static constexpr std::size_t kSecretBytes = 192;

  [[nodiscard]] std::uint64_t HashLong(std::string_view feature) const;

  SchemeVersion version_;
  SipKey feature_key_;
  SipKey run_key_;
  alignas(64) std::array<std::uint64_t, kPieceBytes / 8> nh_key_;
  alignas(64) std::array<std::byte, kSecretBytes> xxh3_secret_;
};

}  // namespace crawlsieve

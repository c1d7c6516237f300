#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace crawlsieve {

/// One dimension of a document's vector: a word or shingle, hashed, and how much it weighs.
struct Feature {
  std::uint64_t hash = 0;
  std::uint32_t weight = 0;

  friend bool operator==(const Feature&, const Feature&) = default;
};

/// Hashes features with a secret key, so that a page can't be built to collide with another by
/// someone who doesn't know the key. XXH3 with a secret derived from the key.
///
/// Immutable after construction; thread-safe. Cheap to copy (about 200 bytes).
class FeatureHasher {
 public:
  /// Any key will do, the empty one too; another key makes another scheme.
  explicit FeatureHasher(std::string_view key);

  [[nodiscard]] std::uint64_t Hash(std::string_view feature) const;

 private:
  static constexpr std::size_t kSecretBytes = 192;
  alignas(64) std::array<std::byte, kSecretBytes> secret_;
};

}  // namespace crawlsieve

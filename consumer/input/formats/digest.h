#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace crawlsieve::consumer {

enum class DigestKind : std::uint8_t { kSha1, kSha256 };

/// A digest of a payload, as WARC-Payload-Digest and crawl logs write it. Value type.
class Digest {
 public:
  [[nodiscard]] static Digest Of(DigestKind kind, std::string_view bytes);

  /// One that was taken before. nullopt: `digest` has another size than those of `kind`.
  [[nodiscard]] static std::optional<Digest> FromBytes(DigestKind kind, std::string_view digest);

  /// Reads `sha1:` or `sha256:` and base32 or hexadecimal digits, in either case, or 32 characters
  /// of base32, which are a SHA-1. nullopt: anything else, algorithms that aren't known included.
  [[nodiscard]] static std::optional<Digest> Parse(std::string_view text);

  /// Whether `text` names one of these algorithms, well or badly.
  [[nodiscard]] static bool IsOfKnownAlgorithm(std::string_view text);

  [[nodiscard]] bool Matches(std::string_view bytes) const;

  [[nodiscard]] const std::string& bytes() const { return bytes_; }  ///< 20 or 32

  /// `sha1:` or `sha256:` and base32 (RFC 4648, section 6) in upper case, padded.
  [[nodiscard]] std::string Text() const;

 private:
  Digest(DigestKind kind, std::string bytes) : kind_(kind), bytes_(std::move(bytes)) {}

  DigestKind kind_;
  std::string bytes_;
};

}  // namespace crawlsieve::consumer

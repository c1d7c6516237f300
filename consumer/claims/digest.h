#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace crawlsieve::consumer {

/// A digest of a payload, as WARC-Payload-Digest and crawl logs write it. Value type.
class Digest {
 public:
  /// Reads `sha1:` or `sha256:` and base32 or hexadecimal digits, in either case, or 32 characters
  /// of base32, which are a SHA-1. nullopt: anything else, algorithms that aren't known included.
  [[nodiscard]] static std::optional<Digest> Parse(std::string_view text);

  /// Whether `text` names one of these algorithms, well or badly.
  [[nodiscard]] static bool IsOfKnownAlgorithm(std::string_view text);

  [[nodiscard]] bool Matches(std::string_view bytes) const;

 private:
  enum class Algorithm { kSha1, kSha256 };

  Digest(Algorithm algorithm, std::string bytes)
      : algorithm_(algorithm), bytes_(std::move(bytes)) {}

  Algorithm algorithm_;
  std::string bytes_;
};

}  // namespace crawlsieve::consumer

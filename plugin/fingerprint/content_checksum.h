#pragma once

#include "plugin/fingerprint/checksum.h"
#include "plugin/fingerprint/scheme.h"

#include <string_view>

namespace crawlsieve {

/// What decides alone whether two contents are the same. With SchemeVersion::k2 the first 128 bits
/// of SHA-256 of a byte (1: text, 0: bytes) and the content: nobody can make two contents collide,
/// nor a file whose bytes are taken for the text of a page. With k1 a KeyedChecksum.
///
/// Immutable after construction; thread-safe.
class ContentChecksum {
 public:
  explicit ContentChecksum(const FingerprintOptions& options);

  /// Of the normalised text of a page.
  [[nodiscard]] Checksum OfText(std::string_view text) const;
  /// Of a body that has no text to compare.
  [[nodiscard]] Checksum OfBytes(std::string_view body) const;

 private:
  SchemeVersion version_;
  KeyedChecksum keyed_;
};

}  // namespace crawlsieve

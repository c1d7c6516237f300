#pragma once

#include "plugin/fingerprint/sha256.h"

#include <string>
#include <string_view>

namespace crawlsieve {

/// Two lower-case hexadecimal digits for each byte.
[[nodiscard]] inline std::string HexOf(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

[[nodiscard]] inline std::string HexOf(const Sha256::Digest& digest) {
  return HexOf(std::string_view(reinterpret_cast<const char*>(digest.data()), digest.size()));
}

/// Of `bytes`, as HexOf gives it.
[[nodiscard]] inline std::string HexSha256(std::string_view bytes) {
  return HexOf(Sha256().Add(bytes).Finish());
}

}  // namespace crawlsieve

#pragma once

#include "plugin/fingerprint/sha256.h"

#include <string>
#include <string_view>

namespace crawlsieve {

/// 64 lower-case hexadecimal digits.
[[nodiscard]] inline std::string HexOf(const Sha256::Digest& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * digest.size());
  for (const std::byte byte : digest) {
    text += kDigits[std::to_integer<unsigned>(byte) >> 4];
    text += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

/// Of `bytes`, as HexOf gives it.
[[nodiscard]] inline std::string HexSha256(std::string_view bytes) {
  return HexOf(Sha256().Add(bytes).Finish());
}

}  // namespace crawlsieve

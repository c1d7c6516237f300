#include "plugin/base/hex.h"

#include <fmt/format.h>

namespace crawlsieve {

std::string Hex(std::uint64_t value) { return fmt::format("{:016x}", value); }

std::string HexOf(std::string_view bytes) {
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

std::string HexOf(std::span<const std::byte> bytes) {
  return HexOf(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace crawlsieve

#include "consumer/input/formats/base64.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace crawlsieve::consumer {
namespace {

constexpr std::uint8_t kInvalid = 0xFF;
constexpr std::uint8_t kLineBreak = 0xFE;
constexpr std::uint8_t kPadding = 0xFD;

constexpr std::array<std::uint8_t, 256> MakeTable() {
  std::array<std::uint8_t, 256> table{};
  for (auto& entry : table) entry = kInvalid;
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    table[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  table['-'] = 62;
  table['_'] = 63;
  table['\r'] = kLineBreak;
  table['\n'] = kLineBreak;
  table['='] = kPadding;
  return table;
}

constexpr std::array<std::uint8_t, 256> kTable = MakeTable();

}  // namespace

std::optional<std::string> DecodeBase64(std::string_view text) {
  std::string out;
  out.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t bits = 0;
  std::size_t digits = 0;
  std::size_t padding = 0;
  for (const char c : text) {
    const std::uint8_t digit = kTable[static_cast<unsigned char>(c)];
    if (digit < 64) {
      if (padding > 0) return std::nullopt;
      bits = bits << 6 | digit;
      if (++digits % 4 == 0) {
        out += static_cast<char>(bits >> 16);
        out += static_cast<char>(bits >> 8);
        out += static_cast<char>(bits);
      }
    } else if (digit == kPadding) {
      ++padding;
    } else if (digit == kInvalid) {
      return std::nullopt;
    }
  }
  const std::size_t rest = digits % 4;
  if (rest == 1 || padding > 2 || (padding > 0 && (rest + padding) != 4)) return std::nullopt;
  if (rest == 2) out += static_cast<char>(bits >> 4);
  if (rest == 3) {
    out += static_cast<char>(bits >> 10);
    out += static_cast<char>(bits >> 2);
  }
  return out;
}

}  // namespace crawlsieve::consumer

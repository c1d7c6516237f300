#include "consumer/input/formats/base64.h"

#include "consumer/input/formats/decompressor.h"

#include <algorithm>
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

/// Of a byte that isn't a digit; no digit has this bit.
constexpr std::uint32_t kNoDigit = std::uint32_t{1} << 31;

/// For each place in a group of four the digit, shifted to where it belongs in the group's 24 bits.
constexpr std::array<std::array<std::uint32_t, 256>, 4> kPlaces = [] {
  std::array<std::array<std::uint32_t, 256>, 4> places{};
  for (std::size_t place = 0; place < 4; ++place) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      places[place][byte] =
          kTable[byte] < 64 ? std::uint32_t{kTable[byte]} << 6 * (3 - place) : kNoDigit;
    }
  }
  return places;
}();

/// Decodes groups of four digits from `text` on to `out`, to the first byte that isn't a digit.
/// Returns how many groups there are.
std::size_t DecodeGroups(std::string_view text, char* out) {
  std::size_t group = 0;
  for (; 4 * group + 4 <= text.size(); ++group) {
    const auto* const four = reinterpret_cast<const unsigned char*>(text.data()) + 4 * group;
    const std::uint32_t bits =
        kPlaces[0][four[0]] | kPlaces[1][four[1]] | kPlaces[2][four[2]] | kPlaces[3][four[3]];
    if ((bits & kNoDigit) != 0) break;
    out[3 * group] = static_cast<char>(bits >> 16);
    out[3 * group + 1] = static_cast<char>(bits >> 8);
    out[3 * group + 2] = static_cast<char>(bits);
  }
  return group;
}

/// Whether `bytes` are the front of a text in any charset, or of a format with a known signature.
bool LooksLikeDocument(std::string_view bytes) {
  if (LooksLikeGzip(bytes) || bytes.starts_with("%PDF-")) return true;
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) return true;  // UTF-16
  const bool has_controls = std::any_of(bytes.begin(), bytes.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\x1B') ||
           byte == 0x7F;
  });
  if (has_controls) return false;
  const auto high = std::count_if(bytes.begin(), bytes.end(),
                                  [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  return high == 0 || bytes.find('<') != std::string_view::npos ||
         bytes.find(' ') != std::string_view::npos;
}

/// Whether `digits` are many and mixed, as those of pictures are; a checksum's are not.
bool MixesDigits(std::string_view digits) {
  constexpr std::size_t kMinSize = 64;
  const auto has = [digits](char first, char last) {
    return std::any_of(digits.begin(), digits.end(),
                       [=](char c) { return c >= first && c <= last; });
  };
  return digits.size() >= kMinSize && has('a', 'z') && has('A', 'Z') && has('0', '9');
}

}  // namespace

bool LooksLikeBase64Body(std::string_view body) {
  constexpr std::size_t kMinSize = 16;
  constexpr std::size_t kFrontSize = 1024;
  if (body.size() < kMinSize || body.size() % 4 != 0) return false;
  std::string_view digits = body;
  if (digits.ends_with('=')) digits.remove_suffix(1);
  if (digits.ends_with('=')) digits.remove_suffix(1);
  const bool is_base64 = std::all_of(digits.begin(), digits.end(), [](char c) {
    return kTable[static_cast<unsigned char>(c)] < 64 && c != '-' && c != '_';
  });
  if (!is_base64) return false;
  const auto front = DecodeBase64(body.substr(0, kFrontSize));
  return front && (LooksLikeDocument(*front) || MixesDigits(digits));
}

std::optional<std::string> DecodeBase64(std::string_view text) {
  std::string decoded(text.size() / 4 * 3 + 3, '\0');
  char* out = decoded.data();
  const auto append = [&out](std::uint32_t byte) { *out++ = static_cast<char>(byte); };
  std::uint32_t bits = 0;
  std::size_t digits = 0;  // of the group that is open
  std::size_t padding = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (digits == 0 && padding == 0) {
      const std::size_t groups = DecodeGroups(text.substr(i), out);
      out += 3 * groups;
      i += 4 * groups;
      if (i == text.size()) break;
    }
    const std::uint8_t digit = kTable[static_cast<unsigned char>(text[i])];
    if (digit < 64) {
      if (padding > 0) return std::nullopt;
      bits = bits << 6 | digit;
      if (++digits == 4) {
        append(bits >> 16);
        append(bits >> 8);
        append(bits);
        digits = 0;
      }
    } else if (digit == kPadding) {
      ++padding;
    } else if (digit == kInvalid) {
      return std::nullopt;
    }
  }
  if (digits == 1 || padding > 2 || (padding > 0 && digits + padding != 4)) return std::nullopt;
  if (digits == 2) append(bits >> 4);
  if (digits == 3) {
    append(bits >> 10);
    append(bits >> 2);
  }
  decoded.resize(static_cast<std::size_t>(out - decoded.data()));
  return decoded;
}

}  // namespace crawlsieve::consumer

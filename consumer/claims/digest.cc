#include "consumer/claims/digest.h"

#include "consumer/input/formats/header_block.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include <openssl/evp.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::size_t kSha1Bytes = 20;
constexpr std::size_t kSha256Bytes = 32;
constexpr std::string_view kSha1 = "sha1:";
constexpr std::string_view kSha256 = "sha256:";

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/// RFC 4648, section 6.
int Base32Value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a';
  return c >= '2' && c <= '7' ? c - '2' + 26 : -1;
}

/// `size` bytes out of digits of `bits` bits each; nullopt: not as many, or other characters.
std::optional<std::string> ReadDigits(std::string_view digits, unsigned bits, int (*value_of)(char),
                                      std::size_t size) {
  if (digits.size() != (size * 8 + bits - 1) / bits) return std::nullopt;
  std::string bytes;
  std::uint32_t window = 0;
  unsigned held = 0;
  for (const char digit : digits) {
    const int value = value_of(digit);
    if (value < 0) return std::nullopt;
    window = window << bits | static_cast<std::uint32_t>(value);
    held += bits;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(window >> held & 0xFF);
  }
  return bytes;
}

std::optional<std::string> ReadBytes(std::string_view text, std::size_t size) {
  if (auto bytes = ReadDigits(text, 4, HexValue, size)) return bytes;
  while (text.ends_with('=')) text.remove_suffix(1);
  return ReadDigits(text, 5, Base32Value, size);
}

}  // namespace

bool Digest::IsOfKnownAlgorithm(std::string_view text) {
  return StartsWithIgnoringCase(text, kSha1) || StartsWithIgnoringCase(text, kSha256);
}

std::optional<Digest> Digest::Parse(std::string_view text) {
  const bool is_long = StartsWithIgnoringCase(text, kSha256);
  const bool is_named = is_long || StartsWithIgnoringCase(text, kSha1);
  if (is_named) text.remove_prefix(is_long ? kSha256.size() : kSha1.size());
  // A bare text in hexadecimal digits may be of any algorithm.
  if (!is_named && text.size() != kSha1Bytes * 8 / 5) return std::nullopt;
  auto bytes = ReadBytes(text, is_long ? kSha256Bytes : kSha1Bytes);
  if (!bytes) return std::nullopt;
  return Digest(is_long ? Algorithm::kSha256 : Algorithm::kSha1, std::move(*bytes));
}

bool Digest::Matches(std::string_view bytes) const {
  std::array<unsigned char, EVP_MAX_MD_SIZE> found{};
  unsigned size = 0;
  const EVP_MD* const algorithm = algorithm_ == Algorithm::kSha1 ? EVP_sha1() : EVP_sha256();
  if (EVP_Digest(bytes.data(), bytes.size(), found.data(), &size, algorithm, nullptr) != 1) {
    return false;
  }
  return std::string_view(reinterpret_cast<const char*>(found.data()), size) == bytes_;
}

}  // namespace crawlsieve::consumer

#include "consumer/input/formats/digest.h"

#include "consumer/input/formats/header_block.h"

#include <cstddef>
#include <cstdint>

#include <openssl/evp.h>

namespace crawlsieve::consumer {
namespace {

constexpr std::string_view kSha1 = "sha1:";
constexpr std::string_view kSha256 = "sha256:";
constexpr std::string_view kBase32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

constexpr std::size_t SizeOf(DigestKind kind) { return kind == DigestKind::kSha1 ? 20 : 32; }

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
  const DigestKind kind = is_long ? DigestKind::kSha256 : DigestKind::kSha1;
  // A bare text in hexadecimal digits may be of any algorithm.
  if (!is_named && text.size() != SizeOf(kind) * 8 / 5) return std::nullopt;
  auto bytes = ReadBytes(text, SizeOf(kind));
  if (!bytes) return std::nullopt;
  return Digest(kind, std::move(*bytes));
}

Digest Digest::Of(DigestKind kind, std::string_view bytes) {
  std::string digest(SizeOf(kind), '\0');
  auto* const out = reinterpret_cast<unsigned char*>(digest.data());
  const EVP_MD* const algorithm = kind == DigestKind::kSha1 ? EVP_sha1() : EVP_sha256();
  // Fails only where the library was built without the algorithm: then it matches nothing.
  if (EVP_Digest(bytes.data(), bytes.size(), out, nullptr, algorithm, nullptr) != 1) {
    digest.clear();
  }
  return {kind, std::move(digest)};
}

std::optional<Digest> Digest::FromBytes(DigestKind kind, std::string_view digest) {
  if (digest.size() != SizeOf(kind)) return std::nullopt;
  return Digest(kind, std::string(digest));
}

bool Digest::Matches(std::string_view bytes) const { return Of(kind_, bytes).bytes_ == bytes_; }

std::string Digest::Text() const {
  constexpr unsigned kDigitBits = 5;
  std::string text(kind_ == DigestKind::kSha1 ? kSha1 : kSha256);
  std::uint32_t window = 0;
  unsigned held = 0;
  for (const char c : bytes_) {
    window = (window << 8 | static_cast<unsigned char>(c)) & 0xFFF;
    for (held += 8; held >= kDigitBits;) {
      held -= kDigitBits;
      text += kBase32[window >> held & 0x1F];
    }
  }
  if (held > 0) text += kBase32[window << (kDigitBits - held) & 0x1F];
  const std::size_t digits = text.size() - text.find(':') - 1;
  text.append((8 - digits % 8) % 8, '=');
  return text;
}

}  // namespace crawlsieve::consumer

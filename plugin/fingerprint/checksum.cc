#include "plugin/fingerprint/checksum.h"

#include "plugin/base/hex.h"
#include "plugin/fingerprint/secret.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace crawlsieve {
namespace {

constexpr std::size_t kChecksumBytes = 16;

Checksum FromXxh(XXH128_hash_t hash) { return {.high = hash.high64, .low = hash.low64}; }

void AppendBigEndian(std::uint64_t value, std::string& bytes) {
  for (int shift = 56; shift >= 0; shift -= 8) {
    bytes.push_back(static_cast<char>(static_cast<unsigned char>(value >> shift)));
  }
}

std::uint64_t ReadBigEndian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

}  // namespace

std::string Hex(const Checksum& checksum) { return Hex(checksum.high) + Hex(checksum.low); }

std::string ToBytes(const Checksum& checksum) {
  std::string bytes;
  bytes.reserve(kChecksumBytes);
  AppendBigEndian(checksum.high, bytes);
  AppendBigEndian(checksum.low, bytes);
  return bytes;
}

Result<Checksum> ChecksumFromBytes(std::string_view bytes) {
  if (bytes.size() != kChecksumBytes) {
    return MakeError(ErrorCode::kCorruption,
                     "a checksum has 16 bytes, this one " + std::to_string(bytes.size()));
  }
  return Checksum{.high = ReadBigEndian(bytes.substr(0, 8)), .low = ReadBigEndian(bytes.substr(8))};
}

Checksum RawChecksum(std::string_view bytes) {
  return FromXxh(XXH3_128bits(bytes.data(), bytes.size()));
}

KeyedChecksum::KeyedChecksum(std::string_view key) { DeriveSecret("content", key, secret_); }

Checksum KeyedChecksum::operator()(std::string_view bytes) const {
  return FromXxh(
      XXH3_128bits_withSecret(bytes.data(), bytes.size(), secret_.data(), secret_.size()));
}

}  // namespace crawlsieve

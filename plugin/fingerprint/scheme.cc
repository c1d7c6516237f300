#include "plugin/fingerprint/scheme.h"

#include "plugin/base/hex.h"
#include "plugin/fingerprint/checksum.h"
#include "plugin/fingerprint/key.h"
#include "plugin/fingerprint/sha256.h"

#include <array>
#include <span>

namespace crawlsieve {
namespace {

constexpr std::string_view kFirstPrefix = "cs1-";

// These change whenever the same features and key would give another fingerprint or checksum.
constexpr std::string_view kFirstAlgorithm =
    "simhash 64 bits, weights 32 bits, tie 0; sketch 448 times 1 bit; features XXH3-64 and content "
    "XXH3-128 under secrets "
    "derived with XXH3_generateSecret";
constexpr std::string_view kAlgorithm =
    "simhash 64 bits, weights 32 bits, tie 0; sketch 448 times 1 bit; features and runs of "
    "them AES-128 of NH, above 240 bytes SipHash-2-4 of NH, keys by HMAC-SHA-256; content SHA-256, "
    "128 bits";

std::string FirstSchemeId(const FingerprintOptions& options, std::string_view extraction) {
  // Hashed apart first: neither part can reach into the other. A key's own hash is a keyed
  // checksum, so that it isn't the raw checksum of the key, which other tools could print.
  std::string parts = ToBytes(RawChecksum(kFirstAlgorithm));
  parts += ToBytes(KeyedChecksum(options.key)("scheme"));
  parts += ToBytes(RawChecksum(extraction));
  return std::string(kFirstPrefix) + Hex(RawChecksum(parts).high);
}

}  // namespace

std::string SchemeId(const FingerprintOptions& options, std::string_view extraction) {
  if (options.version == SchemeVersion::k1) return FirstSchemeId(options, extraction);
  std::array<char, 32> of_key;
  DeriveBytes(options.key, "scheme", std::as_writable_bytes(std::span(of_key)));
  Sha256 sha256;
  std::string parts = ToBytes(sha256.Add(kAlgorithm).FinishChecksum());
  parts.append(of_key.data(), of_key.size());
  parts += ToBytes(sha256.Add(extraction).FinishChecksum());
  return "cs2-" + Hex(sha256.Add(parts).FinishChecksum().high);
}

SchemeVersion VersionOfScheme(std::string_view id) {
  return id.starts_with(kFirstPrefix) ? SchemeVersion::k1 : SchemeVersion::k2;
}

}  // namespace crawlsieve

#include "plugin/fingerprint/scheme.h"

#include "plugin/base/hex.h"
#include "plugin/fingerprint/checksum.h"

namespace crawlsieve {
namespace {

// Changes whenever the same features and key would give another fingerprint or checksum.
constexpr std::string_view kAlgorithm =
    "simhash 64 bits, weights 32 bits, tie 0; sketch 448 times 1 bit; features XXH3-64 and content "
    "XXH3-128 under secrets "
    "derived with XXH3_generateSecret";

}  // namespace

std::string SchemeId(const FingerprintOptions& options, std::string_view extraction) {
  // Hashed apart first: neither part can reach into the other. A key's own hash is a keyed
  // checksum, so that it isn't the raw checksum of the key, which other tools could print.
  std::string parts = ToBytes(RawChecksum(kAlgorithm));
  parts += ToBytes(KeyedChecksum(options.key)("scheme"));
  parts += ToBytes(RawChecksum(extraction));
  return "cs1-" + Hex(RawChecksum(parts).high);
}

}  // namespace crawlsieve

#include "plugin/fingerprint/content_checksum.h"

#include "plugin/fingerprint/sha256.h"

namespace crawlsieve {
namespace {

constexpr std::string_view kText("\x01", 1);
constexpr std::string_view kBytes("\0", 1);

}  // namespace

ContentChecksum::ContentChecksum(const FingerprintOptions& options)
    : version_(options.version), keyed_(options.key) {}

Checksum ContentChecksum::OfText(std::string_view text) const {
  return version_ == SchemeVersion::k1 ? keyed_(text)
                                       : Sha256().Add(kText).Add(text).FinishChecksum();
}

Checksum ContentChecksum::OfBytes(std::string_view body) const {
  return version_ == SchemeVersion::k1 ? keyed_(body)
                                       : Sha256().Add(kBytes).Add(body).FinishChecksum();
}

}  // namespace crawlsieve

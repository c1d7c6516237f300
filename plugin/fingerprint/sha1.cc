#include "plugin/fingerprint/sha1.h"

#include "plugin/base/hex.h"

#include <array>
#include <cstdio>
#include <cstdlib>

#include <openssl/evp.h>

namespace crawlsieve {

std::string Sha1Hex(std::string_view bytes) {
  std::array<unsigned char, 20> digest;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha1(), nullptr) != 1) {
    std::fputs("crawlsieve: OpenSSL has no SHA-1\n", stderr);
    std::abort();
  }
  return HexOf(std::string_view(reinterpret_cast<const char*>(digest.data()), digest.size()));
}

}  // namespace crawlsieve

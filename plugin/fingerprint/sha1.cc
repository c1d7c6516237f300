#include "plugin/fingerprint/sha1.h"

#include <array>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <openssl/evp.h>

namespace crawlsieve {

std::string Sha1Hex(std::string_view bytes) {
  std::array<unsigned char, 20> digest;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha1(), nullptr) != 1) {
    std::fputs("crawlsieve: OpenSSL has no SHA-1\n", stderr);
    std::abort();
  }
  std::string hex;
  for (const unsigned char byte : digest) hex += fmt::format("{:02x}", byte);
  return hex;
}

}  // namespace crawlsieve

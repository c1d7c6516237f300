#include "plugin/fingerprint/key.h"

#include "plugin/base/hex.h"
#include "plugin/fingerprint/sha256.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

namespace crawlsieve {
namespace {

constexpr std::size_t kKeyBytes = 32;

}  // namespace

std::string RandomKey() {
  std::array<std::byte, kKeyBytes> bytes;
  FillRandom(bytes);
  return HexOf(bytes);
}

void FillRandom(std::span<std::byte> bytes) {
  const int done =
      RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  if (done == 1) return;
  std::fputs("crawlsieve: the system has no random numbers to give\n", stderr);
  std::abort();
}

void DeriveBytes(std::string_view key, std::string_view purpose, std::span<std::byte> bytes) {
  // HMAC itself takes keys for the same that differ in zeros at their end.
  const Sha256::Digest hmac_key = Sha256().Add(key).Finish();
  for (std::uint32_t counter = 1; !bytes.empty(); ++counter) {
    // The zero byte ends the purpose: no two pairs of purpose and counter are written alike.
    std::string message(purpose);
    message.push_back('\0');
    for (int shift = 24; shift >= 0; shift -= 8) {
      message.push_back(static_cast<char>(static_cast<unsigned char>(counter >> shift)));
    }
    std::array<unsigned char, EVP_MAX_MD_SIZE> block;
    unsigned size = 0;
    if (HMAC(EVP_sha256(), hmac_key.data(), static_cast<int>(hmac_key.size()),
             reinterpret_cast<const unsigned char*>(message.data()), message.size(), block.data(),
             &size) == nullptr) {
      std::fputs("crawlsieve: OpenSSL has no HMAC-SHA-256\n", stderr);
      std::abort();
    }
    const std::size_t taken = std::min<std::size_t>(size, bytes.size());
    std::memcpy(bytes.data(), block.data(), taken);
    bytes = bytes.subspan(taken);
  }
}

}  // namespace crawlsieve

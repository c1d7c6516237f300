#include "plugin/fingerprint/sha256.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <openssl/evp.h>

namespace crawlsieve {
namespace {

/// OpenSSL does all this without asking for anything but memory.
void Require(int done) {
  if (done == 1) return;
  std::fputs("crawlsieve: OpenSSL has no SHA-256\n", stderr);
  std::abort();
}

std::uint64_t ReadBigEndian(const std::byte* bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  return value;
}

}  // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) { Begin(); }

void Sha256::Begin() { Require(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr)); }

Sha256& Sha256::Add(std::string_view bytes) {
  Require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()));
  return *this;
}

Sha256::Digest Sha256::Finish() {
  Digest digest;
  Require(
      EVP_DigestFinal_ex(context_.get(), reinterpret_cast<unsigned char*>(digest.data()), nullptr));
  Begin();
  return digest;
}

Checksum Sha256::FinishChecksum() {
  const Digest digest = Finish();
  return {.high = ReadBigEndian(digest.data()), .low = ReadBigEndian(digest.data() + 8)};
}

}  // namespace crawlsieve

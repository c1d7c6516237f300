#include "plugin/fingerprint/aes.h"

#include <cstdio>
#include <cstdlib>

#include <openssl/evp.h>

namespace crawlsieve {
namespace {

/// OpenSSL does all this without asking for anything but memory.
void Require(int done) {
  if (done == 1) return;
  std::fputs("crawlsieve: OpenSSL has no AES-128\n", stderr);
  std::abort();
}

}  // namespace

void Aes128::Free::operator()(evp_cipher_ctx_st* context) const { EVP_CIPHER_CTX_free(context); }

Aes128::Aes128(const Key& key) : context_(EVP_CIPHER_CTX_new()) {
  Require(EVP_EncryptInit_ex(context_.get(), EVP_aes_128_ecb(), nullptr,
                             reinterpret_cast<const unsigned char*>(key.data()), nullptr));
  Require(EVP_CIPHER_CTX_set_padding(context_.get(), 0));
}

Aes128::Aes128(const Aes128& other) : context_(EVP_CIPHER_CTX_new()) {
  Require(EVP_CIPHER_CTX_copy(context_.get(), other.context_.get()));
}

void Aes128::Encrypt(std::span<NhValue> blocks) {
  auto* const bytes = reinterpret_cast<unsigned char*>(blocks.data());
  int size = 0;
  Require(EVP_EncryptUpdate(context_.get(), bytes, &size, bytes,
                            static_cast<int>(blocks.size_bytes())));
}

}  // namespace crawlsieve

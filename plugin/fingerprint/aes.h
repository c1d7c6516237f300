#pragma once

#include "plugin/fingerprint/nh.h"

#include <array>
#include <cstddef>
#include <memory>
#include <span>

struct evp_cipher_ctx_st;

namespace crawlsieve {

/// AES-128 (FIPS 197) of blocks of 16 bytes, each by itself: a pseudo-random permutation of 128
/// bits under a secret key. OpenSSL does it, with the processor's instructions where there are any.
/// Thread-compatible; a copy has the same key.
class Aes128 {
 public:
  using Key = std::array<std::byte, 16>;

  explicit Aes128(const Key& key);
  Aes128(const Aes128& other);
  Aes128& operator=(const Aes128&) = delete;

  /// Encrypts the blocks in place; 2^20 of them at most.
  void Encrypt(std::span<NhValue> blocks);

 private:
  struct Free {
    void operator()(evp_cipher_ctx_st* context) const;
  };
  std::unique_ptr<evp_cipher_ctx_st, Free> context_;
};

}  // namespace crawlsieve

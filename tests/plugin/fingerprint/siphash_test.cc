#include "plugin/fingerprint/siphash.h"

#include <array>
#include <cstring>
#include <random>
#include <string>

#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>

namespace crawlsieve {
namespace {

/// SipHash-2-4 by OpenSSL.
std::uint64_t Oracle(const SipKey& key, std::string_view bytes) {
  EVP_MAC* const mac = EVP_MAC_fetch(nullptr, "SIPHASH", nullptr);
  EVP_MAC_CTX* const context = EVP_MAC_CTX_new(mac);
  std::size_t size = 8;
  const std::array<OSSL_PARAM, 2> parameters = {
      OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size), OSSL_PARAM_construct_end()};
  std::array<unsigned char, 16> key_bytes;
  std::memcpy(key_bytes.data(), &key.k0, 8);
  std::memcpy(key_bytes.data() + 8, &key.k1, 8);
  std::uint64_t hash = 0;
  EXPECT_EQ(EVP_MAC_init(context, key_bytes.data(), key_bytes.size(), parameters.data()), 1);
  EXPECT_EQ(
      EVP_MAC_update(context, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()),
      1);
  EXPECT_EQ(EVP_MAC_final(context, reinterpret_cast<unsigned char*>(&hash), &size, sizeof(hash)),
            1);
  EVP_MAC_CTX_free(context);
  EVP_MAC_free(mac);
  return hash;
}

TEST(SipHash, IsThatOfItsPaper) {
  std::string bytes;
  for (int i = 0; i < 15; ++i) bytes.push_back(static_cast<char>(i));
  EXPECT_EQ(SipHash({0x0706050403020100, 0x0f0e0d0c0b0a0908}, bytes), 0xa129ca6149be45e5);
}

TEST(SipHash, IsOpenSslsAtEveryLength) {
  std::mt19937_64 random(1);
  std::string bytes;
  for (int length = 0; length < 300; ++length) {
    const SipKey key{random(), random()};
    EXPECT_EQ(SipHash(key, bytes), Oracle(key, bytes)) << length;
    bytes.push_back(static_cast<char>(random()));
  }
}

}  // namespace
}  // namespace crawlsieve

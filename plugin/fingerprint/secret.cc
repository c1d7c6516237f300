#include "plugin/fingerprint/secret.h"

#include <cassert>
#include <string>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace crawlsieve {

void DeriveSecret(std::string_view purpose, std::string_view key, std::span<std::byte> secret) {
  assert(secret.size() >= XXH3_SECRET_SIZE_MIN);
  // The zero byte ends the purpose: no two pairs of purpose and key give the same seed. It also
  // keeps the seed from being empty, for which XXH3 falls back to its public secret.
  std::string seed(purpose);
  seed.push_back('\0');
  seed.append(key);
  XXH3_generateSecret(secret.data(), secret.size(), seed.data(), seed.size());
}

}  // namespace crawlsieve

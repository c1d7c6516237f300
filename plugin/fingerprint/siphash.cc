#include "plugin/fingerprint/siphash.h"

#include "plugin/fingerprint/nh.h"

#include <bit>
#include <cstddef>

namespace crawlsieve {
namespace {

struct State {
  std::uint64_t v0, v1, v2, v3;

  void Round() {
    v0 += v1;
    v2 += v3;
    v1 = std::rotl(v1, 13) ^ v0;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 = std::rotl(v0, 32);
    v2 += v1;
    v0 += v3;
    v1 = std::rotl(v1, 17) ^ v2;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 = std::rotl(v2, 32);
  }

  void Compress(std::uint64_t word) {
    v3 ^= word;
    Round();
    Round();
    v0 ^= word;
  }

  std::uint64_t Finish() {
    v2 ^= 0xff;
    for (int i = 0; i < 4; ++i) Round();
    return v0 ^ v1 ^ v2 ^ v3;
  }
};

}  // namespace

std::uint64_t SipHash(const SipKey& key, std::string_view bytes) {
  State state{0x736f6d6570736575 ^ key.k0, 0x646f72616e646f6d ^ key.k1, 0x6c7967656e657261 ^ key.k0,
              0x7465646279746573 ^ key.k1};
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) state.Compress(nh_internal::Read64(at));
  // The last word has the length in its highest byte.
  std::uint64_t last = std::uint64_t{bytes.size()} << 56;
  for (std::size_t i = 0; i < left; ++i) {
    last |= std::uint64_t{static_cast<unsigned char>(at[i])} << 8 * i;
  }
  state.Compress(last);
  return state.Finish();
}

}  // namespace crawlsieve

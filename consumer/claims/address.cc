#include "consumer/claims/address.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <netinet/in.h>
#include <sys/socket.h>

namespace crawlsieve::consumer {
namespace {

/// The addresses that begin with `bits` bits of `bytes`.
struct Block {
  std::array<std::uint8_t, 4> bytes{};
  unsigned bits = 0;
};

// The registries of special-purpose addresses of RFC 6890 and its updates, and multicast.
constexpr std::array kNotPublicV4 = {
    Block{{0, 0, 0, 0}, 8},      Block{{10, 0, 0, 0}, 8},     Block{{100, 64, 0, 0}, 10},
    Block{{127, 0, 0, 0}, 8},    Block{{169, 254, 0, 0}, 16}, Block{{172, 16, 0, 0}, 12},
    Block{{192, 0, 0, 0}, 24},   Block{{192, 0, 2, 0}, 24},   Block{{192, 88, 99, 0}, 24},
    Block{{192, 168, 0, 0}, 16}, Block{{198, 18, 0, 0}, 15},  Block{{198, 51, 100, 0}, 24},
    Block{{203, 0, 113, 0}, 24}, Block{{224, 0, 0, 0}, 4},    Block{{240, 0, 0, 0}, 4},
};

bool IsIn(const Block& block, std::span<const std::uint8_t> address) {
  for (unsigned bit = 0; bit < block.bits; ++bit) {
    const unsigned difference = block.bytes[bit / 8] ^ address[bit / 8];
    if ((difference >> (7 - bit % 8) & 1) != 0) return false;
  }
  return true;
}

bool IsPublicV4(std::span<const std::uint8_t> address) {
  for (const Block& block : kNotPublicV4) {
    if (IsIn(block, address)) return false;
  }
  return true;
}

bool IsPublicV6(std::span<const std::uint8_t> address) {
  // Only 2000::/3 is given out.
  if (!IsIn({{0x20, 0, 0, 0}, 3}, address)) return false;
  if (IsIn({{0x20, 0x01, 0x00, 0x00}, 23}, address)) return false;  // Teredo, ORCHID, ...
  if (IsIn({{0x20, 0x01, 0x0d, 0xb8}, 32}, address)) return false;  // documentation
  if (IsIn({{0x3f, 0xff, 0, 0}, 20}, address)) return false;        // documentation
  if (IsIn({{0x20, 0x02, 0, 0}, 16}, address)) return false;        // 6to4
  return true;
}

}  // namespace

bool IsPublicAddress(const sockaddr& address) {
  // Copied, as nothing says that the address is aligned for its family.
  if (address.sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof(v4));
    std::array<std::uint8_t, 4> bytes{};
    std::memcpy(bytes.data(), &v4.sin_addr, bytes.size());
    return IsPublicV4(bytes);
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address, sizeof(v6));
    std::array<std::uint8_t, 16> bytes{};
    std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
    return IsPublicV6(bytes);
  }
  return false;
}

}  // namespace crawlsieve::consumer

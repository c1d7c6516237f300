#pragma once

#include "plugin/fingerprint/secret.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace crawlsieve::testing {

// Second preimages of XXH3 (64 and 128 bits) under a secret that is known, the public one included.
//
// Of inputs above 240 bytes XXH3 takes blocks of 1,024 bytes, each of 16 stripes of 8 words. Word i
// of stripe s, with the key that lies in the secret at byte 8 (s + i), adds to the accumulators
// lo32(word ^ key) * hi32(word ^ key) and the word itself. So a block leaves the accumulators as
// another one does when for each i the sums of the words and of the products are the same. Four
// stripes of free words are enough for any sums: two of them make the product, and two, whose
// products are 0, the sum of the words.

inline constexpr std::size_t kXxh3Block = 1024;
inline constexpr std::size_t kXxh3Stripe = 64;
/// In a block, the first of the four stripes that CollideXxh3 fills.
inline constexpr std::size_t kXxh3FreeStripe = 8;
/// Where they begin and end in a block.
inline constexpr std::size_t kXxh3FreeBegin = kXxh3FreeStripe * kXxh3Stripe;
inline constexpr std::size_t kXxh3FreeEnd = kXxh3FreeBegin + 4 * kXxh3Stripe;

namespace xxh3_internal {

inline std::uint64_t Read64(const void* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

inline std::uint64_t Product(std::uint64_t word, std::uint64_t key) {
  const std::uint64_t mixed = word ^ key;
  return (mixed & 0xffffffff) * (mixed >> 32);
}

}  // namespace xxh3_internal

/// The secret of XXH3 where none is given.
inline std::span<const std::byte> PublicSecret() {
  return std::as_bytes(std::span(XXH3_kSecret, sizeof(XXH3_kSecret)));
}

/// The secret of content checksums that version 1 of the scheme makes of a key.
inline std::array<std::byte, 192> SecretOf(std::string_view key) {
  std::array<std::byte, 192> secret;
  DeriveSecret("content", key, secret);
  return secret;
}

/// `body` with the free stripes of each block filled so that XXH3 under `secret`, 192 bytes, is
/// that of `target`. Both have n blocks and one byte, and the same last stripe. The filled bytes
/// hold no end of an HTML comment.
inline std::string CollideXxh3(std::string body, std::string_view target,
                               std::span<const std::byte> secret) {
  using xxh3_internal::Product;
  using xxh3_internal::Read64;
  if (body.size() != target.size() || body.size() % kXxh3Block != 1 || secret.size() != 192 ||
      std::string_view(body).substr(body.size() - kXxh3Stripe) !=
          target.substr(target.size() - kXxh3Stripe)) {
    throw std::invalid_argument("CollideXxh3");
  }
  std::mt19937_64 random(42);
  constexpr std::uint64_t kLow = 0xffffffff;
  for (std::size_t begin = 0; begin + kXxh3Block < body.size(); begin += kXxh3Block) {
    do {
      for (std::size_t lane = 0; lane < 8; ++lane) {
        const auto key = [&](std::size_t stripe) {
          return Read64(secret.data() + 8 * (stripe + lane));
        };
        const auto at = [&](std::size_t stripe) { return begin + stripe * kXxh3Stripe + 8 * lane; };
        std::uint64_t sum = 0;
        std::uint64_t product = 0;
        for (std::size_t stripe = 0; stripe < 16; ++stripe) {
          const std::uint64_t wanted = Read64(target.data() + at(stripe));
          sum += wanted;
          product += Product(wanted, key(stripe));
          const bool is_free = stripe >= kXxh3FreeStripe && stripe < kXxh3FreeStripe + 4;
          if (is_free) continue;
          const std::uint64_t own = Read64(body.data() + at(stripe));
          sum -= own;
          product -= Product(own, key(stripe));
        }
        // high * low + 1 * rest is any product.
        const std::uint64_t most = product >> 32;
        const std::uint64_t high = most + 1 + random() % (kLow - most);
        const std::uint64_t low = product / high;
        const std::uint64_t rest = product - high * low;
        const std::uint64_t first = (high << 32 | low) ^ key(kXxh3FreeStripe);
        const std::uint64_t second = (std::uint64_t{1} << 32 | rest) ^ key(kXxh3FreeStripe + 1);
        sum -= first + second;
        // The third has a low half, the fourth a high half of 0 under its key.
        const std::uint64_t third_key = key(kXxh3FreeStripe + 2);
        const std::uint64_t fourth_key = key(kXxh3FreeStripe + 3);
        const std::uint64_t fourth_low = (sum - (third_key & kLow)) & kLow;
        const std::uint64_t carry = ((third_key & kLow) + fourth_low) >> 32;
        const std::uint64_t third_high = ((sum >> 32) - (fourth_key >> 32) - carry) & kLow;
        const std::uint64_t words[] = {first, second, third_high << 32 | (third_key & kLow),
                                       (fourth_key & ~kLow) | fourth_low};
        for (std::size_t i = 0; i < 4; ++i) {
          std::memcpy(body.data() + at(kXxh3FreeStripe + i), &words[i], sizeof(words[i]));
        }
      }
    } while (std::string_view(body).substr(begin + kXxh3FreeBegin, 256).find("--") !=
             std::string_view::npos);
  }
  return body;
}

}  // namespace crawlsieve::testing

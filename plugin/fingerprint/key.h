#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace crawlsieve {

/// A key that nobody can guess: 256 random bits as 64 hexadecimal digits.
[[nodiscard]] std::string RandomKey();

/// Whether `key` is so short that somebody may guess it: fewer characters than 128 random bits
/// take. Scheme ids are public, and a guess can be checked against one.
[[nodiscard]] constexpr bool IsGuessable(std::string_view key) { return key.size() < 22; }

/// Fills `bytes` from the system's source of random numbers. Ends the process where there is none:
/// to go on would be to hash under a known key.
void FillRandom(std::span<std::byte> bytes);

/// Fills `bytes` with what follows from `key` for one `purpose`: HMAC-SHA-256 under the SHA-256 of
/// the key, in counter mode (NIST SP 800-108, section 4.1). One key serves several purposes; what
/// is known of one tells nothing of another, nor of the key.
void DeriveBytes(std::string_view key, std::string_view purpose, std::span<std::byte> bytes);

}  // namespace crawlsieve

#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace crawlsieve {

/// Fills `secret` (at least 136 bytes) with bytes derived from `key` for one `purpose`. Secrets of
/// different purposes have nothing visible in common, so one key serves several hashes.
void DeriveSecret(std::string_view purpose, std::string_view key, std::span<std::byte> secret);

}  // namespace crawlsieve

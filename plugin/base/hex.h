#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace crawlsieve {

/// 16 lower-case hexadecimal digits, most significant first.
[[nodiscard]] std::string Hex(std::uint64_t value);

/// Two lower-case hexadecimal digits for each byte, in their order.
[[nodiscard]] std::string HexOf(std::string_view bytes);
[[nodiscard]] std::string HexOf(std::span<const std::byte> bytes);

}  // namespace crawlsieve

#pragma once

#include <cstdint>
#include <string>

namespace crawlsieve {

/// 16 lower-case hexadecimal digits, most significant first.
[[nodiscard]] std::string Hex(std::uint64_t value);

}  // namespace crawlsieve

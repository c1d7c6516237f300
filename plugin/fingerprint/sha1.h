#pragma once

#include <string>
#include <string_view>

namespace crawlsieve {

/// SHA-1 (FIPS 180-4) as 40 lower-case hexadecimal digits. For names that other programs derive
/// with it; nothing of ours relies on it.
[[nodiscard]] std::string Sha1Hex(std::string_view bytes);

}  // namespace crawlsieve

#include "plugin/base/hex.h"

#include <fmt/format.h>

namespace crawlsieve {

std::string Hex(std::uint64_t value) { return fmt::format("{:016x}", value); }

}  // namespace crawlsieve

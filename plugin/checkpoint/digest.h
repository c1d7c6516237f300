#pragma once

#include "plugin/base/hex.h"
#include "plugin/fingerprint/sha256.h"

#include <string>
#include <string_view>

namespace crawlsieve {

/// Of `bytes`, as HexOf gives it.
[[nodiscard]] inline std::string HexSha256(std::string_view bytes) {
  return HexOf(Sha256().Add(bytes).Finish());
}

}  // namespace crawlsieve

// Any bytes as a configuration: loaded or refused with mistakes, never a crash or a hang; secrets
// stay out of mistakes and of what is shown; what is shown loads again as the same.

#include "config/load.h"
#include "config/options.h"
#include "config/print.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace {

using namespace crawlsieve::config;

constexpr std::string_view kSecret = "hunter2-Wq7";

void Require(bool condition) {
  if (!condition) std::abort();
}

bool HoldsSecret(std::string_view text) { return text.find(kSecret) != std::string_view::npos; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  if (HoldsSecret(text)) return 0;
  const Environment environment = [](const std::string& name) -> std::optional<std::string> {
    if (name == "N") return std::nullopt;
    return std::string(kSecret);
  };
  const Loaded loaded = ParseConfig(text, "fuzz", environment);
  if (!loaded) {
    Require(!loaded.error().empty());
    Require(!HoldsSecret(Describe(loaded.error())));
    return 0;
  }
  const std::string shown = EffectiveConfig(*loaded);
  Require(!HoldsSecret(shown));
  const Loaded again = ParseConfig(shown, "shown", environment);
  // A mask is refused, so only a configuration without secrets loads again.
  if (shown.find(kMask) != std::string::npos) {
    Require(!again);
    return 0;
  }
  Require(again.has_value());
  for (const Option& option : Options()) Require(option.read(*again) == option.read(*loaded));
  return 0;
}

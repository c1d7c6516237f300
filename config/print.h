#pragma once

#include "config/config.h"

#include <string>

namespace crawlsieve::config {

/// Every key with its value, as YAML that loads again. Values that are secret, or came from the
/// environment, are masked; loading refuses the mask.
[[nodiscard]] std::string EffectiveConfig(const Config& config);

/// The reference configuration: every key with its default, and comments that explain it. Loads as
/// Config{}. It is config/crawlsieve.yaml.
[[nodiscard]] std::string ReferenceConfig();

/// All keys, as a page in Markdown. It is docs/configuration.md.
[[nodiscard]] std::string ConfigDocument();

}  // namespace crawlsieve::config

#pragma once

#include "config/config.h"

#include <string>

namespace crawlsieve::consumer {

/// The configuration of a shadow: `config` with names of its own for all that two deployments must
/// not share, each with `suffix` behind it.
[[nodiscard]] config::Config ShadowOf(config::Config config, const std::string& suffix);

/// That configuration as YAML. The comments in front of it say what differs and what to do in which
/// order. `before` is the file of `config`.
[[nodiscard]] std::string MigrationPlan(const config::Config& config, const std::string& before,
                                        const std::string& suffix);

}  // namespace crawlsieve::consumer

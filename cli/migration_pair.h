#pragma once

#include "config/config.h"

#include <optional>

#include "cli/commands.h"

namespace crawlsieve::consumer {

/// A pair of configurations that may run beside each other.
struct MigrationPair {
  config::Config before;
  config::Config after;
};

/// Prints why there is none.
[[nodiscard]] std::optional<MigrationPair> LoadPair(const MigrateArguments& arguments);

}  // namespace crawlsieve::consumer

#pragma once

#include "config/config.h"

#include <string>
#include <vector>

namespace crawlsieve::config {

/// Values that are valid alone and contradict each other.
struct Conflict {
  /// The keys that take part, the one to point at first. A section stands for all that is in it, a
  /// property of librdkafka has the key `kafka.client.<name>` and so on.
  std::vector<std::string> keys;
  std::string message;  ///< never quotes a value
};

/// All contradictions in `config`, whose values are each within their bounds.
[[nodiscard]] std::vector<Conflict> FindConflicts(const Config& config);

}  // namespace crawlsieve::config

#pragma once

#include "consumer/kafka/config.h"

#include <string>

namespace crawlsieve::consumer {

/// Callbacks that put what a Kafka client of `stage` says into the log.
[[nodiscard]] ClientCallbacks LoggingCallbacks(std::string stage);

}  // namespace crawlsieve::consumer

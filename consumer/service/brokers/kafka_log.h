#pragma once

#include "consumer/kafka/config.h"

#include <string>

namespace crawlsieve::consumer {

/// Callbacks that log the messages of a Kafka client of `stage`.
[[nodiscard]] ClientCallbacks LoggingCallbacks(std::string stage);

}  // namespace crawlsieve::consumer

#pragma once

#include "consumer/kafka/admin.h"
#include "consumer/service/options.h"
#include "plugin/base/result.h"

#include <chrono>

namespace crawlsieve::consumer {

/// Sees to it that the topics between judge and slots exist and can be used: the one of changes
/// forgets nothing and has one partition, the one of candidates has a partition for each slot.
/// Errors: kInvalidConfig, with what to do; kIo (no broker answered in time, or it refused).
[[nodiscard]] Status EnsureSlotTopics(Admin& admin, const KafkaOptions& options,
                                      std::chrono::milliseconds timeout);

}  // namespace crawlsieve::consumer

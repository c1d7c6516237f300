#pragma once

#include "consumer/kafka/admin.h"
#include "consumer/options.h"
#include "plugin/base/result.h"

#include <chrono>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

/// Says how durable `topics` are, which exist, and refuses what breaks the promises, unless
/// kafka.log.accept_weak_durability is set. One broker with one replica is a trial, and is called
/// that. Errors: kInvalidConfig, kIo (no broker answered in time).
[[nodiscard]] Status CheckDurability(Admin& admin, const KafkaOptions& options,
                                     const std::vector<std::string>& topics,
                                     std::chrono::milliseconds timeout);

}  // namespace crawlsieve::consumer

#pragma once

#include "consumer/kafka/admin.h"
#include "consumer/service/options.h"
#include "plugin/base/result.h"

#include <chrono>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

/// Whether acknowledged records survive the loss of a broker.
enum class Durability {
  kKept,   ///< other brokers have them, or the loss is accepted (kafka.log.accept_weak_durability)
  kTrial,  ///< one broker keeps one copy of everything
};

/// Logs how durable each of `topics` is. Refuses settings that break the promises, unless
/// kafka.log.accept_weak_durability is set. Errors: kInvalidConfig; kIo (no broker answered in
/// time, or the one that did doesn't know a topic).
[[nodiscard]] Result<Durability> CheckDurability(Admin& admin, const KafkaOptions& options,
                                                 const std::vector<std::string>& topics,
                                                 std::chrono::milliseconds timeout);

}  // namespace crawlsieve::consumer

#pragma once

#include "consumer/kafka/admin.h"
#include "consumer/options.h"
#include "plugin/base/result.h"

#include <chrono>
#include <string>
#include <vector>

namespace crawlsieve::consumer {

/// What becomes of acknowledged records when a broker is lost.
enum class Durability {
  kKept,   ///< others have them; or the loss is accepted (kafka.log.accept_weak_durability)
  kTrial,  ///< one broker keeps one copy of everything
};

/// Says how durable each of `topics` is, and refuses what breaks the promises, unless
/// kafka.log.accept_weak_durability is set. Errors: kInvalidConfig; kIo (no broker answered in
/// time, or the one that did doesn't know a topic).
[[nodiscard]] Result<Durability> CheckDurability(Admin& admin, const KafkaOptions& options,
                                                 const std::vector<std::string>& topics,
                                                 std::chrono::milliseconds timeout);

}  // namespace crawlsieve::consumer

#pragma once

#include "consumer/kafka/config.h"
#include "plugin/base/broker_error.h"

#include <chrono>
#include <string>

namespace crawlsieve::consumer {

// Questions about permissions. Brokers check the permission first and then refuse what was asked
// for, so nothing is written, committed or joined. Each waits up to its timeout.

/// Whether this client may write to `topic`, which exists. Sends a record with an acknowledgement
/// that no broker knows (acks=2). Errors: kRefused (permission), kRetriable (no answer in time).
[[nodiscard]] BrokerStatus TryWrite(const KafkaClientOptions& options, const std::string& topic,
                                    std::chrono::milliseconds timeout);

/// Whether a client of `recipe` may read `topic` and commit offsets of it for its group. Commits an
/// offset of a partition that no topic has. Errors: as TryWrite.
[[nodiscard]] BrokerStatus TryReadInGroup(const ClientRecipe& recipe,
                                          const KafkaClientOptions& options,
                                          const std::string& topic,
                                          std::chrono::milliseconds timeout);

/// Whether a client of `recipe` may ask for its group, and for the offsets of `topic` in it.
/// Errors: as TryWrite.
[[nodiscard]] BrokerStatus TryDescribeGroup(const ClientRecipe& recipe,
                                            const KafkaClientOptions& options,
                                            const std::string& topic,
                                            std::chrono::milliseconds timeout);

}  // namespace crawlsieve::consumer

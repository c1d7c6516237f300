#pragma once

#include "consumer/service/brokers/sessions.h"
#include "consumer/service/options.h"

#include <optional>
#include <string>

namespace crawlsieve::consumer {

/// Whether the brokers know `topic`. Errors: may_pass where they don't answer or refuse to.
[[nodiscard]] BrokerResult<bool> HasTopic(const KafkaOptions& options, const std::string& topic);

/// The key of a deployment's fingerprints lies in `options.key_topic`, in the first record. Readers
/// of that topic can build pages that collide, so it needs ACLs of its own. It keeps its record for
/// ever. Later records are ignored, so two judges that both propose a key agree on one.

/// The key that the topic holds; nullopt where it holds none yet.
/// Errors: as HasTopic; final where the first record was deleted or isn't a key.
[[nodiscard]] BrokerResult<std::optional<std::string>> ReadKey(const KafkaOptions& options);

/// Logs how durable the topic is, and refuses a topic whose brokers may lose the key: see
/// CheckDurability. Errors: may_pass where brokers don't answer or don't know the topic yet.
[[nodiscard]] BrokerStatus CheckKeyTopic(const KafkaOptions& options);

/// Adds a record with `key` to the topic, which is created if it is missing. Returns the key that
/// the topic then holds: this one, or an earlier one.
/// Errors: as ReadKey; final where the topic or its brokers could forget the record.
[[nodiscard]] BrokerResult<std::string> ProposeKey(const KafkaOptions& options,
                                                   const std::string& key);

}  // namespace crawlsieve::consumer

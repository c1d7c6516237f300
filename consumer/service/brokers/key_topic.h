#pragma once

#include "consumer/service/brokers/sessions.h"
#include "consumer/service/options.h"

#include <optional>
#include <string>

namespace crawlsieve::consumer {

/// Whether the brokers know `topic`. Errors: may_pass where they don't answer or refuse to.
[[nodiscard]] tl::expected<bool, SessionFailure> HasTopic(const KafkaOptions& options,
                                                          const std::string& topic);

/// The key of a deployment's fingerprints lies in `options.key_topic`, in the first record. Readers
/// of that topic can build pages that collide, so it needs ACLs of its own. It keeps its record for
/// ever. Later records are ignored, so two judges that both propose a key agree on one.

/// The key that the topic holds; nullopt where it holds none yet.
/// Errors: as HasTopic; final where the first record was deleted or isn't a key.
[[nodiscard]] tl::expected<std::optional<std::string>, SessionFailure> ReadKey(
    const KafkaOptions& options);

/// Logs how durable the topic is, and refuses a topic whose brokers may lose the key: see
/// CheckDurability. Errors: may_pass where brokers don't answer or don't know the topic yet.
[[nodiscard]] SessionResult CheckKeyTopic(const KafkaOptions& options);

/// Adds a record with `key` to the topic, which is created if it is missing. Returns the key that
/// the topic then holds: this one, or an earlier one.
/// Errors: as ReadKey; final where the topic or its brokers could forget the record.
[[nodiscard]] tl::expected<std::string, SessionFailure> ProposeKey(const KafkaOptions& options,
                                                                   const std::string& key);

}  // namespace crawlsieve::consumer

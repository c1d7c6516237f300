#pragma once

#include "plugin/base/broker_error.h"

#include <cstdint>
#include <string_view>

struct rd_kafka_error_s;

namespace crawlsieve::consumer {

[[nodiscard]] std::string_view ErrorClassName(ErrorClass error_class);

/// The name of an error's broker_code: "_TIMED_OUT", "NOT_COORDINATOR"; empty for 0.
[[nodiscard]] std::string_view KafkaErrorName(const BrokerError& error);

/// The principal may not do this to a topic.
[[nodiscard]] bool IsMissingTopicPermission(const BrokerError& error);

/// No broker is reachable.
[[nodiscard]] bool IsOutage(const BrokerError& error);

/// Reads a librdkafka error code (rd_kafka_resp_err_t) that came alone, with a consumed message, a
/// commit or a delivery report. `doing` is what failed ("committing offsets of group g"); `detail`
/// librdkafka's words for it, if there are better ones than the code's.
[[nodiscard]] BrokerError KafkaErrorFromCode(std::int32_t code, std::string_view doing,
                                             std::string_view detail = {});

/// Reads librdkafka's error object, whose flags come before what the code alone would mean, and
/// destroys it. What is neither retriable, abortable, fenced nor refused is fatal.
[[nodiscard]] BrokerError KafkaErrorFrom(rd_kafka_error_s* error, std::string_view doing);

}  // namespace crawlsieve::consumer

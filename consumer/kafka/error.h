#pragma once

#include "plugin/base/error.h"
#include "plugin/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

struct rd_kafka_error_s;

namespace crawlsieve::consumer {

/// What the caller of a failed Kafka operation does next.
enum class KafkaErrorClass {
  kRetriable,  ///< make the same call again; what it began goes on meanwhile
  kBusy,       ///< a local queue is full: poll, then offer the same record again
  kAbortable,  ///< the work since the last commit can't be committed: abort and drop it, read again
               ///< from the committed offset
  kFenced,     ///< another process took this one's identity over: step back, don't fight for it
  kRefused,    ///< repeating won't help, a person must: permission, setting, missing topic, size
  kFatal,      ///< the client is of no more use, or nobody knows what became of the operation:
               ///< destroy it, make another, read again from the committed offset
};

[[nodiscard]] std::string_view KafkaErrorClassName(KafkaErrorClass error_class);

/// A failure told by librdkafka or a broker. Value type.
struct KafkaError {
  KafkaErrorClass error_class = KafkaErrorClass::kFatal;
  std::int32_t code = 0;  ///< rd_kafka_resp_err_t: negative are the client's own, others Kafka's
  std::string name;       ///< of the code: "_TIMED_OUT", "NOT_COORDINATOR"
  std::string message;    ///< what was being done, the name, and librdkafka's words

  /// No broker is reachable.
  [[nodiscard]] bool is_outage() const;
};

/// The same for callers that don't speak Kafka: kRetriable, kAbortable become kIo; kBusy, kFenced
/// kBusy; kRefused kInvalidConfig; kFatal kInternal.
[[nodiscard]] Error ToError(const KafkaError& error);

template <typename T>
using KafkaResult = tl::expected<T, KafkaError>;
using KafkaStatus = KafkaResult<void>;

/// Reads a librdkafka error code (rd_kafka_resp_err_t) that came alone, with a consumed message, a
/// commit or a delivery report. `doing` is what failed ("committing offsets of group g"); `detail`
/// librdkafka's words for it, if there are better ones than the code's.
[[nodiscard]] KafkaError KafkaErrorFromCode(std::int32_t code, std::string_view doing,
                                            std::string_view detail = {});

/// Reads librdkafka's error object, whose flags come before what the code alone would mean, and
/// destroys it. What is neither retriable, abortable, fenced nor refused is fatal.
[[nodiscard]] KafkaError KafkaErrorFrom(rd_kafka_error_s* error, std::string_view doing);

}  // namespace crawlsieve::consumer

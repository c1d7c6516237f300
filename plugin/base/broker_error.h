#pragma once

#include "plugin/base/error.h"

#include <cstdint>
#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace crawlsieve {

/// What the caller of a call that failed does next.
enum class ErrorClass {
  kRetriable,  ///< nothing is broken yet: make the same call again; what it began goes on meanwhile
  kBusy,       ///< a local queue is full: poll, then offer the same record again
  kAbortable,  ///< the work since the last commit can't be committed: drop it, read again from the
               ///< committed offset
  kFenced,     ///< another process took over: step back, don't fight for it
  kRefused,    ///< repeating won't help, a person must: permission, setting, missing topic, damage
  kFatal,      ///< the client is of no more use, or nobody knows whether the call took effect: make
               ///< another client, read again from the committed offset
};

/// The ErrorCode of an error of which only the class is known.
[[nodiscard]] constexpr ErrorCode ErrorCodeOf(ErrorClass error_class) {
  switch (error_class) {
    case ErrorClass::kRetriable:
    case ErrorClass::kAbortable:
      return ErrorCode::kIo;
    case ErrorClass::kBusy:
    case ErrorClass::kFenced:
      return ErrorCode::kBusy;
    case ErrorClass::kRefused:
      return ErrorCode::kInvalidConfig;
    case ErrorClass::kFatal:
      break;
  }
  return ErrorCode::kInternal;
}

/// An Error of the brokers, or of the admission log, which lies there. It also says what to do
/// next. Callers that only report it take it as an Error. Value type.
struct BrokerError : Error {
  ErrorClass error_class = ErrorClass::kFatal;
  std::int32_t broker_code = 0;  ///< Kafka's, negative: librdkafka's (rd_kafka_resp_err_t); 0: none

  /// Whether a new beginning, with new clients, can do better.
  [[nodiscard]] bool may_pass() const { return error_class != ErrorClass::kRefused; }

  /// Gives it another class, and that class's code.
  void Reclassify(ErrorClass other) {
    error_class = other;
    code = ErrorCodeOf(other);
  }
};

/// A value, or the BrokerError that kept it from being had. result.h says when which.
template <typename T>
using BrokerResult = tl::expected<T, BrokerError>;
using BrokerStatus = BrokerResult<void>;

[[nodiscard]] inline tl::unexpected<BrokerError> MakeBrokerError(ErrorClass error_class,
                                                                 ErrorCode code,
                                                                 std::string message) {
  return tl::unexpected<BrokerError>(BrokerError{{code, std::move(message)}, error_class});
}

[[nodiscard]] inline tl::unexpected<BrokerError> MakeBrokerError(ErrorClass error_class,
                                                                 std::string message) {
  return MakeBrokerError(error_class, ErrorCodeOf(error_class), std::move(message));
}

/// For errors that no new beginning mends.
[[nodiscard]] inline tl::unexpected<BrokerError> FinalError(Error error) {
  return tl::unexpected<BrokerError>(BrokerError{std::move(error), ErrorClass::kRefused});
}

}  // namespace crawlsieve

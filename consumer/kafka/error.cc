#include "consumer/kafka/error.h"

#include <string>

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

namespace crawlsieve::consumer {
namespace {

/// Whether the enumeration has this code.
bool IsKnown(std::int32_t code) {
  return RD_KAFKA_RESP_ERR__BEGIN <= code && code < RD_KAFKA_RESP_ERR_END_ALL;
}

ErrorClass ClassOf(rd_kafka_resp_err_t code) {
  switch (code) {
    case RD_KAFKA_RESP_ERR__QUEUE_FULL:
      return ErrorClass::kBusy;

    // The client keeps trying by itself, or another try finds the broker in a better state.
    case RD_KAFKA_RESP_ERR__TIMED_OUT:
    case RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE:
    case RD_KAFKA_RESP_ERR__TRANSPORT:
    case RD_KAFKA_RESP_ERR__RESOLVE:
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
    case RD_KAFKA_RESP_ERR__WAIT_COORD:
    case RD_KAFKA_RESP_ERR__WAIT_CACHE:
    case RD_KAFKA_RESP_ERR__IN_PROGRESS:
    case RD_KAFKA_RESP_ERR__PREV_IN_PROGRESS:
    case RD_KAFKA_RESP_ERR__RETRY:
    case RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS:
    case RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_NOT_COORDINATOR:
    case RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION:
    case RD_KAFKA_RESP_ERR_REPLICA_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT:
    case RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION:
    case RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS:
    case RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS_AFTER_APPEND:
    case RD_KAFKA_RESP_ERR_NOT_CONTROLLER:
    case RD_KAFKA_RESP_ERR_CONCURRENT_TRANSACTIONS:
    case RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT:
    case RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR:
    case RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_FENCED_LEADER_EPOCH:
    case RD_KAFKA_RESP_ERR_UNKNOWN_LEADER_EPOCH:
    case RD_KAFKA_RESP_ERR_THROTTLING_QUOTA_EXCEEDED:
      return ErrorClass::kRetriable;

    // The partitions went to another member, or the records of this transaction are gone.
    case RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION:
    case RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID:
    case RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS:
    case RD_KAFKA_RESP_ERR__ASSIGNMENT_LOST:
    case RD_KAFKA_RESP_ERR__MAX_POLL_EXCEEDED:
    case RD_KAFKA_RESP_ERR__PURGE_QUEUE:
    case RD_KAFKA_RESP_ERR__PURGE_INFLIGHT:
      return ErrorClass::kAbortable;

    case RD_KAFKA_RESP_ERR__FENCED:
    case RD_KAFKA_RESP_ERR_PRODUCER_FENCED:
    case RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH:
    case RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID:
      return ErrorClass::kFenced;

    case RD_KAFKA_RESP_ERR__INVALID_ARG:
    case RD_KAFKA_RESP_ERR__NOT_CONFIGURED:
    case RD_KAFKA_RESP_ERR__UNSUPPORTED_FEATURE:
    case RD_KAFKA_RESP_ERR__AUTHENTICATION:
    case RD_KAFKA_RESP_ERR__SSL:
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
    case RD_KAFKA_RESP_ERR__NO_OFFSET:
    case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET:
    case RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE:
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION:
    case RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS:
    case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
    case RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE:
    case RD_KAFKA_RESP_ERR_INVALID_RECORD:
    case RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP:
    case RD_KAFKA_RESP_ERR_INVALID_REQUIRED_ACKS:
    case RD_KAFKA_RESP_ERR_INVALID_PARTITIONS:
    case RD_KAFKA_RESP_ERR_INVALID_REPLICATION_FACTOR:
    case RD_KAFKA_RESP_ERR_INVALID_CONFIG:
    case RD_KAFKA_RESP_ERR_INVALID_REQUEST:
    case RD_KAFKA_RESP_ERR_POLICY_VIOLATION:
    case RD_KAFKA_RESP_ERR_UNSUPPORTED_VERSION:
    case RD_KAFKA_RESP_ERR_UNSUPPORTED_FOR_MESSAGE_FORMAT:
    case RD_KAFKA_RESP_ERR_UNSUPPORTED_COMPRESSION_TYPE:
    case RD_KAFKA_RESP_ERR_UNSUPPORTED_SASL_MECHANISM:
    case RD_KAFKA_RESP_ERR_ILLEGAL_SASL_STATE:
    case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
    case RD_KAFKA_RESP_ERR_SECURITY_DISABLED:
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_INVALID_GROUP_ID:
    case RD_KAFKA_RESP_ERR_INVALID_SESSION_TIMEOUT:
    case RD_KAFKA_RESP_ERR_INVALID_TRANSACTION_TIMEOUT:
    case RD_KAFKA_RESP_ERR_INCONSISTENT_GROUP_PROTOCOL:
    case RD_KAFKA_RESP_ERR_GROUP_MAX_SIZE_REACHED:
      return ErrorClass::kRefused;

    default:
      return ErrorClass::kFatal;
  }
}

BrokerError Make(ErrorClass error_class, rd_kafka_resp_err_t code, std::string_view doing,
                 std::string_view detail) {
  return {{ErrorCodeOf(error_class),
           fmt::format("{}: {} ({})", doing, detail.empty() ? rd_kafka_err2str(code) : detail,
                       rd_kafka_err2name(code))},
          error_class,
          code};
}

}  // namespace

std::string_view ErrorClassName(ErrorClass error_class) {
  switch (error_class) {
    case ErrorClass::kRetriable:
      return "retriable";
    case ErrorClass::kBusy:
      return "busy";
    case ErrorClass::kAbortable:
      return "abortable";
    case ErrorClass::kFenced:
      return "fenced";
    case ErrorClass::kRefused:
      return "refused";
    case ErrorClass::kFatal:
      return "fatal";
  }
  return "unknown";
}

bool IsMissingTopicPermission(const BrokerError& error) {
  return error.broker_code == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED;
}

bool IsOutage(const BrokerError& error) {
  return error.broker_code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN;
}

std::string_view KafkaErrorName(const BrokerError& error) {
  if (error.broker_code == 0) return {};
  return rd_kafka_err2name(IsKnown(error.broker_code)
                               ? static_cast<rd_kafka_resp_err_t>(error.broker_code)
                               : RD_KAFKA_RESP_ERR_UNKNOWN);
}

BrokerError KafkaErrorFromCode(std::int32_t code, std::string_view doing, std::string_view detail) {
  if (IsKnown(code)) {
    const auto known = static_cast<rd_kafka_resp_err_t>(code);
    return Make(ClassOf(known), known, doing, detail);
  }
  // No value of the enumeration can be made of it.
  BrokerError error = Make(ErrorClass::kFatal, RD_KAFKA_RESP_ERR_UNKNOWN, doing,
                           detail.empty() ? fmt::format("code {}", code) : std::string(detail));
  error.broker_code = code;
  return error;
}

BrokerError KafkaErrorFrom(rd_kafka_error_s* error, std::string_view doing) {
  const rd_kafka_resp_err_t code = rd_kafka_error_code(error);
  ErrorClass error_class = ClassOf(code);
  const bool fenced = error_class == ErrorClass::kFenced;
  if (rd_kafka_error_is_fatal(error) != 0) {
    // A cause that a new client would meet again keeps its class.
    if (!fenced && error_class != ErrorClass::kRefused) {
      error_class = ErrorClass::kFatal;
    }
  } else if (rd_kafka_error_txn_requires_abort(error) != 0) {
    // librdkafka calls some ways of being fenced abortable (MockTransaction.ClassOfEachError), but
    // the next transaction would only be refused. An old epoch by itself may be our own: the broker
    // raises it when it times a transaction out. There the abort tells which.
    if (!fenced || code == RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH) {
      error_class = ErrorClass::kAbortable;
    }
  } else if (rd_kafka_error_is_retriable(error) != 0) {
    error_class = ErrorClass::kRetriable;
  } else if (error_class == ErrorClass::kRetriable || error_class == ErrorClass::kAbortable) {
    // Harmless as a code, but librdkafka does not offer to repeat this operation: its outcome is
    // open, and a delayed request can still end a later transaction (KAFKA-17754).
    error_class = ErrorClass::kFatal;
  }
  BrokerError result = Make(error_class, code, doing, rd_kafka_error_string(error));
  rd_kafka_error_destroy(error);
  return result;
}

}  // namespace crawlsieve::consumer

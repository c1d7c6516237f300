#include "consumer/kafka/error.h"

#include <string>

#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>

namespace crawlsieve::consumer {
namespace {

TEST(BrokerError, ClassOfACodeAlone) {
  const struct {
    rd_kafka_resp_err_t code;
    ErrorClass expected;
  } kCases[] = {
      {RD_KAFKA_RESP_ERR__QUEUE_FULL, ErrorClass::kBusy},
      {RD_KAFKA_RESP_ERR__TIMED_OUT, ErrorClass::kRetriable},
      {RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, ErrorClass::kRetriable},
      {RD_KAFKA_RESP_ERR_NOT_COORDINATOR, ErrorClass::kRetriable},
      {RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS, ErrorClass::kRetriable},
      {RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT, ErrorClass::kRetriable},
      {RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION, ErrorClass::kAbortable},
      {RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS, ErrorClass::kAbortable},
      {RD_KAFKA_RESP_ERR__MAX_POLL_EXCEEDED, ErrorClass::kAbortable},
      {RD_KAFKA_RESP_ERR_PRODUCER_FENCED, ErrorClass::kFenced},
      {RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID, ErrorClass::kFenced},
      {RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, ErrorClass::kRefused},
      {RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, ErrorClass::kRefused},
      {RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, ErrorClass::kRefused},
      {RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET, ErrorClass::kRefused},
      {RD_KAFKA_RESP_ERR__FATAL, ErrorClass::kFatal},
      {RD_KAFKA_RESP_ERR__GAPLESS_GUARANTEE, ErrorClass::kFatal},
      {RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER, ErrorClass::kFatal},
      {RD_KAFKA_RESP_ERR_UNKNOWN, ErrorClass::kFatal},
  };
  for (const auto& [code, expected] : kCases) {
    EXPECT_EQ(ErrorClassName(KafkaErrorFromCode(code, "testing").error_class),
              ErrorClassName(expected))
        << rd_kafka_err2name(code);
  }
}

TEST(BrokerError, CodesOfTheFutureAreFatal) {
  const BrokerError error = KafkaErrorFromCode(30'000, "testing");
  EXPECT_EQ(error.error_class, ErrorClass::kFatal);
  EXPECT_EQ(error.broker_code, 30'000);
  EXPECT_EQ(error.message, "testing: code 30000 (UNKNOWN)");
}

TEST(BrokerError, MessageSaysWhatWasDoneAndWhatHappened) {
  const BrokerError error =
      KafkaErrorFromCode(RD_KAFKA_RESP_ERR_NOT_COORDINATOR, "committing", "broker 3 says no");
  EXPECT_EQ(error.message, "committing: broker 3 says no (NOT_COORDINATOR)");
  EXPECT_EQ(KafkaErrorName(error), "NOT_COORDINATOR");
  EXPECT_EQ(error.broker_code, RD_KAFKA_RESP_ERR_NOT_COORDINATOR);
}

TEST(BrokerError, AnObjectWithoutFlagsIsFatalEvenIfItsCodeIsHarmless) {
  const BrokerError error =
      KafkaErrorFrom(rd_kafka_error_new(RD_KAFKA_RESP_ERR__TIMED_OUT, "no answer"), "committing");
  EXPECT_EQ(error.error_class, ErrorClass::kFatal);
}

TEST(BrokerError, AnObjectWithoutFlagsKeepsACauseThatNeedsAPerson) {
  const BrokerError error = KafkaErrorFrom(
      rd_kafka_error_new(RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, "no"), "committing");
  EXPECT_EQ(error.error_class, ErrorClass::kRefused);
}

TEST(BrokerError, BecomesAnErrorOfTheHouse) {
  const struct {
    ErrorClass from;
    ErrorCode to;
  } kCases[] = {
      {ErrorClass::kRetriable, ErrorCode::kIo},          {ErrorClass::kBusy, ErrorCode::kBusy},
      {ErrorClass::kAbortable, ErrorCode::kIo},          {ErrorClass::kFenced, ErrorCode::kBusy},
      {ErrorClass::kRefused, ErrorCode::kInvalidConfig}, {ErrorClass::kFatal, ErrorCode::kInternal},
  };
  for (const auto& [from, to] : kCases) {
    BrokerError told{{ErrorCode::kInternal, "what happened"}};
    told.Reclassify(from);
    const Error error = told;
    EXPECT_EQ(error.code, to) << ErrorClassName(from);
    EXPECT_EQ(error.message, "what happened");
  }
}

}  // namespace
}  // namespace crawlsieve::consumer

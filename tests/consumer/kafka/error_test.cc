#include "consumer/kafka/error.h"

#include <string>

#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>

namespace crawlsieve::consumer {
namespace {

TEST(KafkaError, ClassOfACodeAlone) {
  const struct {
    rd_kafka_resp_err_t code;
    KafkaErrorClass expected;
  } kCases[] = {
      {RD_KAFKA_RESP_ERR__QUEUE_FULL, KafkaErrorClass::kBusy},
      {RD_KAFKA_RESP_ERR__TIMED_OUT, KafkaErrorClass::kRetriable},
      {RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, KafkaErrorClass::kRetriable},
      {RD_KAFKA_RESP_ERR_NOT_COORDINATOR, KafkaErrorClass::kRetriable},
      {RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS, KafkaErrorClass::kRetriable},
      {RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT, KafkaErrorClass::kRetriable},
      {RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION, KafkaErrorClass::kAbortable},
      {RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS, KafkaErrorClass::kAbortable},
      {RD_KAFKA_RESP_ERR__MAX_POLL_EXCEEDED, KafkaErrorClass::kAbortable},
      {RD_KAFKA_RESP_ERR_PRODUCER_FENCED, KafkaErrorClass::kFenced},
      {RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID, KafkaErrorClass::kFenced},
      {RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, KafkaErrorClass::kRefused},
      {RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, KafkaErrorClass::kRefused},
      {RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, KafkaErrorClass::kRefused},
      {RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET, KafkaErrorClass::kRefused},
      {RD_KAFKA_RESP_ERR__FATAL, KafkaErrorClass::kFatal},
      {RD_KAFKA_RESP_ERR__GAPLESS_GUARANTEE, KafkaErrorClass::kFatal},
      {RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER, KafkaErrorClass::kFatal},
      {RD_KAFKA_RESP_ERR_UNKNOWN, KafkaErrorClass::kFatal},
  };
  for (const auto& [code, expected] : kCases) {
    EXPECT_EQ(KafkaErrorClassName(KafkaErrorFromCode(code, "testing").error_class),
              KafkaErrorClassName(expected))
        << rd_kafka_err2name(code);
  }
}

TEST(KafkaError, CodesOfTheFutureAreFatal) {
  const KafkaError error = KafkaErrorFromCode(30'000, "testing");
  EXPECT_EQ(error.error_class, KafkaErrorClass::kFatal);
  EXPECT_EQ(error.code, 30'000);
  EXPECT_EQ(error.message, "testing: code 30000 (UNKNOWN)");
}

TEST(KafkaError, MessageSaysWhatWasDoneAndWhatHappened) {
  const KafkaError error =
      KafkaErrorFromCode(RD_KAFKA_RESP_ERR_NOT_COORDINATOR, "committing", "broker 3 says no");
  EXPECT_EQ(error.message, "committing: broker 3 says no (NOT_COORDINATOR)");
  EXPECT_EQ(error.name, "NOT_COORDINATOR");
  EXPECT_EQ(error.code, RD_KAFKA_RESP_ERR_NOT_COORDINATOR);
}

TEST(KafkaError, AnObjectWithoutFlagsIsFatalEvenIfItsCodeIsHarmless) {
  const KafkaError error =
      KafkaErrorFrom(rd_kafka_error_new(RD_KAFKA_RESP_ERR__TIMED_OUT, "no answer"), "committing");
  EXPECT_EQ(error.error_class, KafkaErrorClass::kFatal);
}

TEST(KafkaError, AnObjectWithoutFlagsKeepsACauseThatNeedsAPerson) {
  const KafkaError error = KafkaErrorFrom(
      rd_kafka_error_new(RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, "no"), "committing");
  EXPECT_EQ(error.error_class, KafkaErrorClass::kRefused);
}

TEST(KafkaError, BecomesAnErrorOfTheHouse) {
  const struct {
    KafkaErrorClass from;
    ErrorCode to;
  } kCases[] = {
      {KafkaErrorClass::kRetriable, ErrorCode::kIo},
      {KafkaErrorClass::kBusy, ErrorCode::kBusy},
      {KafkaErrorClass::kAbortable, ErrorCode::kIo},
      {KafkaErrorClass::kFenced, ErrorCode::kBusy},
      {KafkaErrorClass::kRefused, ErrorCode::kInvalidConfig},
      {KafkaErrorClass::kFatal, ErrorCode::kInternal},
  };
  for (const auto& [from, to] : kCases) {
    const Error error = ToError(KafkaError{from, 0, "NAME", "what happened"});
    EXPECT_EQ(error.code, to) << KafkaErrorClassName(from);
    EXPECT_EQ(error.message, "what happened");
  }
}

}  // namespace
}  // namespace crawlsieve::consumer

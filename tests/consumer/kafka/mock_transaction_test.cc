#include "consumer/kafka/error.h"
#include "consumer/kafka/producer.h"
#include "tests/support/mock_cluster.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;
using testing::MockCluster;
using testing::Request;

constexpr milliseconds kPatience{20'000};
constexpr char kTopic[] = "verdicts";

std::unique_ptr<Producer> MakeProducer(const MockCluster& cluster) {
  const KafkaOptions options = cluster.Options();
  auto producer = Producer::Make(TransactionalProducer(options), options, {}, nullptr);
  EXPECT_TRUE(producer.has_value());
  return *std::move(producer);
}

BrokerStatus RunTransaction(Producer& producer) {
  RecordView record;
  record.topic = kTopic;
  record.value = "verdict";
  const GroupMetadata group(rd_kafka_consumer_group_metadata_new("judge"));
  return producer.BeginTransaction()
      .and_then([&] { return producer.Produce(record, 1); })
      .and_then([&] {
        return producer.SendOffsets({{{"log", 0}, 5}}, group);
      })
      .and_then([&] { return producer.CommitTransaction(); });
}

std::string Outcome(const BrokerStatus& status) {
  return status ? "done" : std::string(ErrorClassName(status.error().error_class));
}

struct Case {
  rd_kafka_resp_err_t code;
  std::string outcome;  ///< "done": librdkafka repeats the request by itself
};

/// One producer as long as it lasts: making one and its first record take a second.
void CheckOutcomes(Request request, const std::vector<Case>& cases) {
  MockCluster cluster;
  cluster.CreateTopic(kTopic, 1);
  std::unique_ptr<Producer> producer;
  for (const Case& c : cases) {
    SCOPED_TRACE(rd_kafka_err2name(c.code));
    if (producer == nullptr) {
      producer = MakeProducer(cluster);
      ASSERT_EQ(Outcome(producer->InitTransactions(kPatience)), "done");
      ASSERT_EQ(Outcome(RunTransaction(*producer)), "done");
    }
    cluster.FailNext(request, {c.code});
    const BrokerStatus status = RunTransaction(*producer);
    EXPECT_EQ(Outcome(status), c.outcome) << (status ? "" : status.error().message);
    if (!status && status.error().error_class == ErrorClass::kAbortable) {
      EXPECT_EQ(Outcome(producer->AbortTransaction()), "done");
      EXPECT_EQ(Outcome(RunTransaction(*producer)), "done") << "after an abort";
    } else if (!status) {
      // What is neither retriable nor abortable leaves a producer of no more use.
      producer.reset();
    }
  }
}

TEST(MockTransaction, ClassOfEachErrorOfInitProducerId) {
  const std::vector<Case> kCases = {
      {RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS, "done"},
      {RD_KAFKA_RESP_ERR_NOT_COORDINATOR, "done"},
      {RD_KAFKA_RESP_ERR_CONCURRENT_TRANSACTIONS, "done"},
      {RD_KAFKA_RESP_ERR_PRODUCER_FENCED, "fenced"},
      {RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH, "fenced"},
      {RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED, "refused"},
      {RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED, "refused"},
      {RD_KAFKA_RESP_ERR_INVALID_TRANSACTION_TIMEOUT, "refused"},
  };
  MockCluster cluster;
  for (const Case& c : kCases) {
    const std::unique_ptr<Producer> producer = MakeProducer(cluster);
    cluster.FailNext(Request::kInitProducerId, {c.code});
    const BrokerStatus status = producer->InitTransactions(kPatience);
    EXPECT_EQ(Outcome(status), c.outcome)
        << rd_kafka_err2name(c.code) << (status ? "" : status.error().message);
    EXPECT_EQ(producer->FatalError().has_value(), c.outcome != "done");
  }
}

TEST(MockTransaction, ClassOfEachErrorOfAddPartitionsToTxn) {
  CheckOutcomes(Request::kAddPartitionsToTxn,
                {
                    {RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS, "done"},
                    {RD_KAFKA_RESP_ERR_CONCURRENT_TRANSACTIONS, "done"},
                    {RD_KAFKA_RESP_ERR__TRANSPORT, "done"},
                    {RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, "done"},
                    {RD_KAFKA_RESP_ERR_UNKNOWN_PRODUCER_ID, "abortable"},
                    {RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, "abortable"},
                    {RD_KAFKA_RESP_ERR_UNKNOWN, "abortable"},
                    {RD_KAFKA_RESP_ERR_PRODUCER_FENCED, "fenced"},
                    {RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH, "fenced"},
                    {RD_KAFKA_RESP_ERR_INVALID_TXN_STATE, "fatal"},
                    {RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED, "refused"},
                });
}

TEST(MockTransaction, ClassOfEachErrorOfAddOffsetsToTxn) {
  CheckOutcomes(Request::kAddOffsetsToTxn,
                {
                    {RD_KAFKA_RESP_ERR_NOT_COORDINATOR, "done"},
                    {RD_KAFKA_RESP_ERR_CONCURRENT_TRANSACTIONS, "done"},
                    {RD_KAFKA_RESP_ERR__TRANSPORT, "done"},
                    {RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, "abortable"},
                    {RD_KAFKA_RESP_ERR_PRODUCER_FENCED, "fenced"},
                    {RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH, "fenced"},
                    {RD_KAFKA_RESP_ERR_INVALID_TXN_STATE, "fatal"},
                });
}

TEST(MockTransaction, ClassOfEachErrorOfTxnOffsetCommit) {
  CheckOutcomes(Request::kTxnOffsetCommit,
                {
                    {RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE, "done"},
                    {RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT, "done"},
                    {RD_KAFKA_RESP_ERR__TRANSPORT, "done"},
                    {RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION, "abortable"},
                    {RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID, "abortable"},
                    {RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS, "abortable"},
                    {RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, "abortable"},
                    {RD_KAFKA_RESP_ERR_PRODUCER_FENCED, "fenced"},
                    {RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH, "fenced"},
                    {RD_KAFKA_RESP_ERR_INVALID_TXN_STATE, "fatal"},
                });
}

TEST(MockTransaction, ClassOfEachErrorOfEndTxn) {
  CheckOutcomes(Request::kEndTxn,
                {
                    {RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE, "done"},
                    {RD_KAFKA_RESP_ERR_CONCURRENT_TRANSACTIONS, "done"},
                    {RD_KAFKA_RESP_ERR__TRANSPORT, "done"},
                    {RD_KAFKA_RESP_ERR_UNKNOWN_PRODUCER_ID, "abortable"},
                    {RD_KAFKA_RESP_ERR_UNKNOWN, "abortable"},
                    // Nobody knows whether the commit took place.
                    {RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT, "fatal"},
                    {RD_KAFKA_RESP_ERR_PRODUCER_FENCED, "fenced"},
                    {RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH, "fenced"},
                    {RD_KAFKA_RESP_ERR_INVALID_TXN_STATE, "fatal"},
                    {RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED, "refused"},
                });
}

TEST(MockTransaction, CallsOutOfOrderFailAndLeaveTheProducerUsable) {
  MockCluster cluster;
  cluster.CreateTopic(kTopic, 1);
  const std::unique_ptr<Producer> producer = MakeProducer(cluster);
  EXPECT_FALSE(producer->BeginTransaction().has_value()) << "before InitTransactions";
  ASSERT_EQ(Outcome(producer->InitTransactions(kPatience)), "done");
  RecordView record;
  record.topic = kTopic;
  EXPECT_EQ(Outcome(producer->Produce(record, 1)), "abortable") << "outside a transaction";
  EXPECT_FALSE(producer->CommitTransaction().has_value()) << "outside a transaction";
  EXPECT_EQ(Outcome(RunTransaction(*producer)), "done");
}

TEST(MockTransaction, InitTransactionsSaysWhyNoBrokerAnswers) {
  KafkaOptions options;
  options.bootstrap_servers = "127.0.0.1:1";
  const auto producer = Producer::Make(TransactionalProducer(options), options, {}, nullptr);
  ASSERT_TRUE(producer.has_value());
  const auto start = std::chrono::steady_clock::now();
  const BrokerStatus status = (*producer)->InitTransactions(milliseconds(500));
  EXPECT_LT(std::chrono::steady_clock::now() - start, kPatience);
  ASSERT_EQ(Outcome(status), "retriable");
  EXPECT_NE(status.error().message.find("127.0.0.1:1"), std::string::npos)
      << status.error().message;
}

// librdkafka 2.0.2 may end the process by an assertion otherwise, while it drops the request that
// enters the partition.
TEST(MockTransaction, AProducerEndsOnceItsPartitionsAreInTheTransaction) {
  MockCluster cluster;
  cluster.CreateTopic(kTopic, 1);
  const KafkaOptions options = cluster.Options();
  std::vector<std::uint64_t> written;
  auto producer = Producer::Make(TransactionalProducer(options), options, {},
                                 [&](const DeliveryReport& report) {
                                   if (!report.error.has_value()) written.push_back(report.token);
                                 });
  ASSERT_TRUE(producer.has_value());
  ASSERT_EQ(Outcome((*producer)->InitTransactions(kPatience)), "done");
  ASSERT_EQ(Outcome((*producer)->FindLeaders(kTopic, kPatience)), "done");
  ASSERT_EQ(Outcome((*producer)->BeginTransaction()), "done");
  cluster.FailNextAfter(Request::kAddPartitionsToTxn, RD_KAFKA_RESP_ERR_NO_ERROR, 20);
  RecordView record;
  record.topic = kTopic;
  record.value = "verdict";
  ASSERT_EQ(Outcome((*producer)->Produce(record, 7)), "done");
  EXPECT_EQ(written.size(), 0U);
  producer->reset();
  EXPECT_EQ(written, std::vector<std::uint64_t>{7});
}

// The brokers don't answer: the end doesn't wait for them for long.
TEST(MockTransaction, AProducerEndsWithoutItsReportsWhereNoneCome) {
  MockCluster cluster;
  cluster.CreateTopic(kTopic, 1);
  std::unique_ptr<Producer> producer = MakeProducer(cluster);
  ASSERT_EQ(Outcome(producer->InitTransactions(kPatience)), "done");
  ASSERT_EQ(Outcome(producer->FindLeaders(kTopic, kPatience)), "done");
  ASSERT_EQ(Outcome(producer->BeginTransaction()), "done");
  cluster.FailNextAfter(Request::kAddPartitionsToTxn, RD_KAFKA_RESP_ERR_NO_ERROR, 60'000);
  RecordView record;
  record.topic = kTopic;
  record.value = "verdict";
  ASSERT_EQ(Outcome(producer->Produce(record, 7)), "done");
  const auto begin = std::chrono::steady_clock::now();
  producer.reset();
  // The record itself would wait for twice as long.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, milliseconds(5'000));
}

}  // namespace
}  // namespace crawlsieve::consumer

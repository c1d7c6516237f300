#include "consumer/kafka/consumer.h"
#include "consumer/kafka/producer.h"
#include "tests/support/kafka_clients.h"
#include "tests/support/mock_cluster.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;
using testing::kPatience;
using testing::MockCluster;
using testing::Request;
using testing::TestProducer;
using testing::Until;

constexpr char kTopic[] = "log";
constexpr milliseconds kStep{50};

std::unique_ptr<Consumer> ReaderOf(const MockCluster& cluster) {
  const KafkaOptions options = cluster.Options();
  auto consumer = Consumer::Make(JudgeConsumer(options), options, {});
  EXPECT_TRUE(consumer.has_value());
  EXPECT_TRUE((*consumer)->Assign({{{kTopic, 0}, kOffsetBeginning}}).has_value());
  return *std::move(consumer);
}

TEST(MockConsumer, ClassOfEachErrorOfACommit) {
  MockCluster cluster;
  cluster.CreateTopic(kTopic, 1);
  const auto consumer = ReaderOf(cluster);
  ASSERT_TRUE(consumer->Commit({{{kTopic, 0}, 1}}, kPatience).has_value());
  const struct {
    rd_kafka_resp_err_t code;
    KafkaErrorClass expected;
  } kCases[] = {
      {RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION, KafkaErrorClass::kAbortable},
      {RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID, KafkaErrorClass::kAbortable},
      {RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS, KafkaErrorClass::kAbortable},
      {RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, KafkaErrorClass::kRefused},
      {RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID, KafkaErrorClass::kFenced},
  };
  for (const auto& [code, expected] : kCases) {
    cluster.FailNext(Request::kOffsetCommit, {code});
    const KafkaStatus status = consumer->Commit({{{kTopic, 0}, 1}}, kPatience);
    ASSERT_FALSE(status.has_value()) << rd_kafka_err2name(code);
    EXPECT_EQ(KafkaErrorClassName(status.error().error_class), KafkaErrorClassName(expected))
        << status.error().message;
    EXPECT_TRUE(consumer->Commit({{{kTopic, 0}, 1}}, kPatience).has_value())
        << "the next after " << rd_kafka_err2name(code);
  }
}

TEST(MockConsumer, ACommitThatIsNotAnsweredEndsInTime) {
  MockCluster cluster;
  cluster.CreateTopic(kTopic, 1);
  const auto consumer = ReaderOf(cluster);
  ASSERT_TRUE(consumer->Commit({{{kTopic, 0}, 1}}, kPatience).has_value());
  cluster.SetRoundTripTime(1, 5'000);
  const KafkaStatus late = consumer->Commit({{{kTopic, 0}, 2}}, milliseconds(100));
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().error_class, KafkaErrorClass::kRetriable) << late.error().message;
  cluster.SetRoundTripTime(1, 0);
}

TEST(MockConsumer, CommittedAsksAgainWhileOffsetsAreUnstable) {
  MockCluster cluster;
  cluster.CreateTopic(kTopic, 1);
  const auto consumer = ReaderOf(cluster);
  ASSERT_TRUE(consumer->Commit({{{kTopic, 0}, 7}}, kPatience).has_value());
  cluster.FailNext(Request::kOffsetFetch,
                   std::vector(12, RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT));
  const auto committed = consumer->Committed({{kTopic, 0}}, kPatience);
  ASSERT_TRUE(committed.has_value()) << committed.error().message;
  EXPECT_THAT(*committed, ::testing::ElementsAre(7));
}

TEST(MockConsumer, EndsOfAPartitionWithoutLeaderAreToBeAskedForAgain) {
  MockCluster cluster;
  cluster.CreateTopic(kTopic, 1);
  cluster.DeposeLeader(kTopic, 0);
  const KafkaOptions options = cluster.Options();
  const auto consumer = Consumer::Make(JudgeConsumer(options), options, {});
  ASSERT_TRUE(consumer.has_value());
  auto ends = (*consumer)->QueryWatermarks({kTopic, 0}, milliseconds(500));
  ASSERT_FALSE(ends.has_value());
  EXPECT_EQ(KafkaErrorClassName(ends.error().error_class),
            KafkaErrorClassName(KafkaErrorClass::kRetriable))
      << ends.error().message;
  // Nothing but these questions makes the client ask who leads the partition now.
  cluster.MakeLeader(kTopic, 0, 1);
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!ends.has_value() && std::chrono::steady_clock::now() < deadline) {
    ends = (*consumer)->QueryWatermarks({kTopic, 0}, milliseconds(500));
  }
  EXPECT_TRUE(ends.has_value()) << ends.error().message;
}

TEST(MockProducer, KeepsOrderThroughErrorsAndAnOutage) {
  MockCluster cluster;
  cluster.CreateTopic(kTopic, 1);
  KafkaOptions options = cluster.Options();
  options.producer["linger.ms"] = "0";
  options.producer["retry.backoff.ms"] = "10";
  TestProducer producer(IdempotentProducer(options), options);
  cluster.FailNext(Request::kProduce,
                   {RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION, RD_KAFKA_RESP_ERR__TRANSPORT,
                    RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT, RD_KAFKA_RESP_ERR_NO_ERROR,
                    RD_KAFKA_RESP_ERR__TRANSPORT});
  constexpr int kCount = 100;
  for (int i = 0; i < kCount; ++i) {
    if (i == kCount / 2) {
      cluster.SetBrokerDown(1);
    }
    const std::string value = std::to_string(i);
    RecordView record;
    record.topic = kTopic;
    record.partition = 0;
    record.value = value;
    ASSERT_TRUE(producer->Produce(record, static_cast<std::uint64_t>(i)).has_value());
    producer->Poll(milliseconds(0));
  }
  cluster.SetBrokerUp(1);
  ASSERT_TRUE(producer->Flush(kPatience).has_value());
  ASSERT_EQ(producer.reports.size(), static_cast<std::size_t>(kCount));
  for (int i = 0; i < kCount; ++i) {
    const auto& report = producer.reports[static_cast<std::size_t>(i)];
    EXPECT_EQ(report.token, static_cast<std::uint64_t>(i));
    EXPECT_FALSE(report.error.has_value()) << report.error->message;
  }
  // A cluster without memory of producers stores what it answered with an error, too: what can be
  // seen here is that nothing is missing and nothing overtakes.
  const auto reader = ReaderOf(cluster);
  int next = 0;
  ASSERT_TRUE(Until([&] { return next == kCount; },
                    [&] {
                      auto record = reader->Poll(kStep);
                      ASSERT_TRUE(record.has_value()) << record.error().message;
                      if (record->has_value() && (*record)->value() == std::to_string(next)) {
                        ++next;
                      }
                    }));
}

}  // namespace
}  // namespace crawlsieve::consumer

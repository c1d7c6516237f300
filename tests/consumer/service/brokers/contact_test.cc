#include "consumer/service/brokers/contact.h"

#include "tests/support/kafka_clients.h"
#include "tests/support/mock_cluster.h"

#include <chrono>
#include <optional>

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;

class BrokerContactTest : public ::testing::Test {
 protected:
  Metrics metrics_{{"test", "0", {Role::kJudge}, Timestamp{}}};
  StatusBoard board_{{Role::kJudge}, metrics_};
  BrokerContact contact_{Role::kJudge, board_};
  BrokerContact::Clock::time_point start_ = BrokerContact::Clock::now();
};

TEST_F(BrokerContactTest, BeginsUnconnectedAndAsksAtOnce) {
  EXPECT_FALSE(metrics_.connected());
  EXPECT_TRUE(contact_.IsSilent(start_));
}

TEST_F(BrokerContactTest, AnAnswerCountsForAWhile) {
  contact_.Answered(start_);
  EXPECT_TRUE(metrics_.connected());
  EXPECT_FALSE(contact_.IsSilent(start_ + BrokerContact::kSilence - milliseconds(1)));
  EXPECT_TRUE(contact_.IsSilent(start_ + BrokerContact::kSilence));
}

TEST_F(BrokerContactTest, AFailureEndsItAndIsFollowedBySoonerQuestions) {
  contact_.Answered(start_);
  contact_.Failed(start_);
  EXPECT_FALSE(metrics_.connected());
  EXPECT_FALSE(contact_.IsSilent(start_ + BrokerContact::kPause - milliseconds(1)));
  EXPECT_TRUE(contact_.IsSilent(start_ + BrokerContact::kPause));
  contact_.Answered(start_);
  EXPECT_TRUE(metrics_.connected());
}

TEST_F(BrokerContactTest, ItsEndLeavesTheStageUnconnected) {
  {
    BrokerContact other(Role::kJudge, board_);
    other.Answered();
    EXPECT_TRUE(metrics_.connected());
  }
  EXPECT_FALSE(metrics_.connected());
}

TEST_F(BrokerContactTest, OneStageWithoutBrokersIsEnough) {
  Metrics metrics({"test", "0", {Role::kExtract, Role::kJudge}, Timestamp{}});
  StatusBoard board({Role::kExtract, Role::kJudge}, metrics);
  BrokerContact extract(Role::kExtract, board);
  BrokerContact judge(Role::kJudge, board);
  extract.Answered();
  EXPECT_FALSE(metrics.connected());
  judge.Answered();
  EXPECT_TRUE(metrics.connected());
  extract.Failed();
  EXPECT_FALSE(metrics.connected());
}

TEST_F(BrokerContactTest, AStageIsSilentFromItsLastRoundOn) {
  contact_.Round(start_);
  EXPECT_EQ(board_.Silence(start_ + milliseconds(300)), milliseconds(300));
  contact_.Round(start_ + milliseconds(300));
  EXPECT_EQ(board_.Silence(start_ + milliseconds(400)), milliseconds(100));
}

TEST_F(BrokerContactTest, OneHungStageIsEnough) {
  Metrics metrics({"test", "0", {Role::kExtract, Role::kJudge}, Timestamp{}});
  StatusBoard board({Role::kExtract, Role::kJudge}, metrics);
  EXPECT_EQ(board.Silence(start_), milliseconds(0)) << "no stage has begun";
  BrokerContact extract(Role::kExtract, board);
  BrokerContact judge(Role::kJudge, board);
  extract.Round(start_);
  judge.Round(start_ + milliseconds(500));
  EXPECT_EQ(board.Silence(start_ + milliseconds(500)), milliseconds(500));
}

TEST_F(BrokerContactTest, AnIdleConsumerNoticesThatBrokersGoAndComeBack) {
  testing::MockCluster cluster;
  cluster.CreateTopic("log", 1);
  const KafkaOptions options = cluster.Options();
  int told = 0;
  ClientCallbacks callbacks;
  callbacks.error = [&](const BrokerError&) { ++told; };
  auto consumer = Consumer::Make(JudgeConsumer(options), options,
                                 contact_.Listen(std::move(callbacks), "consumer"));
  ASSERT_TRUE(consumer.has_value());
  const auto step = [&] {
    (void)(*consumer)->Poll(milliseconds(10));
    contact_.AskIfSilent(**consumer, {"log", 0});
  };
  EXPECT_TRUE(testing::Until([&] { return metrics_.connected(); }, step));
  cluster.SetBrokerDown(1);
  EXPECT_TRUE(testing::Until([&] { return !metrics_.connected(); }, step));
  EXPECT_GT(told, 0) << "the caller's own callback is still called";
  cluster.SetBrokerUp(1);
  EXPECT_TRUE(testing::Until([&] { return metrics_.connected(); }, step));
}

TEST_F(BrokerContactTest, ShowsTheQueuesOfAClientUntilItsStageEnds) {
  testing::MockCluster cluster;
  cluster.CreateTopic("log", 1);
  const KafkaOptions options = cluster.Options();
  {
    BrokerContact contact(Role::kJudge, board_);
    auto producer = Producer::Make(IdempotentProducer(options), options,
                                   contact.Listen({}, "producer"), [](const DeliveryReport&) {});
    ASSERT_TRUE(producer.has_value());
    const auto produce = [&] {
      RecordView record;
      record.topic = "log";
      record.value = "x";
      (void)(*producer)->Produce(record, 0);
      (*producer)->Poll(milliseconds(50));
    };
    EXPECT_TRUE(testing::Until(
        [&] {
          const auto clients = metrics_.Read().kafka_clients;
          const auto found = clients.find("judge_producer");
          return found != clients.end() && found->second.broker_latency.has_value();
        },
        produce));
  }
  EXPECT_TRUE(metrics_.Read().kafka_clients.empty());
}

}  // namespace
}  // namespace crawlsieve::consumer

#include "consumer/kafka/client.h"
#include "consumer/kafka/consumer.h"
#include "consumer/kafka/error.h"
#include "consumer/kafka/partition_list.h"
#include "consumer/kafka/producer.h"
#include "tests/support/kafka_clients.h"
#include "tests/support/mock_cluster.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
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
    ErrorClass expected;
  } kCases[] = {
      {RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION, ErrorClass::kAbortable},
      {RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID, ErrorClass::kAbortable},
      {RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS, ErrorClass::kAbortable},
      {RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, ErrorClass::kRefused},
      {RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID, ErrorClass::kFenced},
  };
  for (const auto& [code, expected] : kCases) {
    cluster.FailNext(Request::kOffsetCommit, {code});
    const BrokerStatus status = consumer->Commit({{{kTopic, 0}, 1}}, kPatience);
    ASSERT_FALSE(status.has_value()) << rd_kafka_err2name(code);
    EXPECT_EQ(ErrorClassName(status.error().error_class), ErrorClassName(expected))
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
  const BrokerStatus late = consumer->Commit({{{kTopic, 0}, 2}}, milliseconds(100));
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().error_class, ErrorClass::kRetriable) << late.error().message;
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
  EXPECT_EQ(ErrorClassName(ends.error().error_class), ErrorClassName(ErrorClass::kRetriable))
      << ends.error().message;
  // Nothing but these questions makes the client ask who leads the partition now.
  cluster.MakeLeader(kTopic, 0, 1);
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!ends.has_value() && std::chrono::steady_clock::now() < deadline) {
    ends = (*consumer)->QueryWatermarks({kTopic, 0}, milliseconds(500));
  }
  EXPECT_TRUE(ends.has_value()) << ends.error().message;
}

TEST(MockConsumer, ALeaderThatIsDownIsAskedForTheEndsNoLongerThanAllowed) {
  MockCluster cluster(2);
  cluster.CreateTopic(kTopic, 1);
  cluster.MakeLeader(kTopic, 0, 1);
  const KafkaOptions options = cluster.Options();
  const auto consumer = Consumer::Make(JudgeConsumer(options), options, {});
  ASSERT_TRUE(consumer.has_value());
  ASSERT_TRUE((*consumer)->Assign({{{kTopic, 0}, 0}}).has_value());
  ASSERT_TRUE((*consumer)->QueryWatermarks({kTopic, 0}, kPatience).has_value());

  cluster.SetBrokerDown(1);
  const auto begin = std::chrono::steady_clock::now();
  auto ends = (*consumer)->QueryWatermarks({kTopic, 0}, milliseconds(500));
  EXPECT_FALSE(ends.has_value());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kPatience / 2);
  EXPECT_EQ(ErrorClassName(ends.error().error_class), ErrorClassName(ErrorClass::kRetriable))
      << ends.error().message;

  cluster.MakeLeader(kTopic, 0, 2);
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!ends.has_value() && std::chrono::steady_clock::now() < deadline) {
    ends = (*consumer)->QueryWatermarks({kTopic, 0}, milliseconds(2'000));
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

// librdkafka drops a record that is late, and writes those behind it, in spite of its guarantee
// that there are no gaps. A log with such a hole raised an alarm, and the verdicts of its records
// came late.
TEST(MockProducer, NoRecordPassesOneThatWaits) {
  MockCluster cluster;
  cluster.CreateTopic(kTopic, 1);
  KafkaOptions options = cluster.Options();
  options.producer["linger.ms"] = "0";
  options.producer["reconnect.backoff.ms"] = "10";
  options.producer["reconnect.backoff.max.ms"] = "50";
  constexpr milliseconds kTimeout{1'000};
  options.producer["message.timeout.ms"] = std::to_string(kTimeout.count());
  TestProducer producer(IdempotentProducer(options), options);
  const auto produce = [&](const std::string& value) {
    RecordView record;
    record.topic = kTopic;
    record.partition = 0;
    record.value = value;
    ASSERT_TRUE(producer->Produce(record, 0).has_value());
  };
  produce("written");
  ASSERT_TRUE(producer->Flush(kPatience).has_value());
  cluster.SetBrokerDown(1);
  produce("late");
  const auto is_late = std::chrono::steady_clock::now() + 3 * kTimeout;
  while (std::chrono::steady_clock::now() < is_late) producer->Poll(kStep);
  produce("behind it");
  cluster.SetBrokerUp(1);
  static_cast<void>(producer->Flush(kPatience));

  const auto reader = ReaderOf(cluster);
  std::vector<std::string> log;
  ASSERT_TRUE(Until([&] { return !log.empty() && log.back() == "behind it"; },
                    [&] {
                      auto record = reader->Poll(kStep);
                      ASSERT_TRUE(record.has_value()) << record.error().message;
                      if (record->has_value()) log.emplace_back((*record)->value().value_or(""));
                    }));
  EXPECT_THAT(log, ::testing::ElementsAre("written", "late", "behind it"));
}

/// Watches a producer's requests through librdkafka's interceptors. Thread-safe.
class RequestWatch {
 public:
  /// `watch` outlives the client.
  static void Install(rd_kafka_conf_t* conf, RequestWatch& watch) {
    rd_kafka_conf_interceptor_add_on_new(conf, kName, OnNew, &watch);
  }

  [[nodiscard]] int sent() const { return sent_; }
  /// Records whose fate was known when the client's main thread had ended its work, the transaction
  /// manager's included; none before that.
  [[nodiscard]] std::optional<int> answered_at_the_end() const {
    const int answered = answered_at_the_end_;
    return answered < 0 ? std::nullopt : std::optional(answered);
  }

 private:
  static constexpr char kName[] = "request_watch";
  static constexpr std::int16_t kProduce = 0;

  static rd_kafka_resp_err_t OnNew(rd_kafka_t* handle, const rd_kafka_conf_t*, void* watch, char*,
                                   std::size_t) {
    rd_kafka_interceptor_add_on_request_sent(handle, kName, OnSent, watch);
    rd_kafka_interceptor_add_on_acknowledgement(handle, kName, OnAnswered, watch);
    rd_kafka_interceptor_add_on_thread_exit(handle, kName, OnThreadExit, watch);
    return RD_KAFKA_RESP_ERR_NO_ERROR;
  }

  static rd_kafka_resp_err_t OnSent(rd_kafka_t*, int, const char*, std::int32_t, std::int16_t key,
                                    std::int16_t, std::int32_t, std::size_t, void* watch) {
    static_cast<RequestWatch*>(watch)->sent_ += key == kProduce ? 1 : 0;
    return RD_KAFKA_RESP_ERR_NO_ERROR;
  }

  static rd_kafka_resp_err_t OnAnswered(rd_kafka_t*, rd_kafka_message_t*, void* watch) {
    ++static_cast<RequestWatch*>(watch)->answered_;
    return RD_KAFKA_RESP_ERR_NO_ERROR;
  }

  static rd_kafka_resp_err_t OnThreadExit(rd_kafka_t*, rd_kafka_thread_type_t type, const char*,
                                          void* opaque) {
    auto* watch = static_cast<RequestWatch*>(opaque);
    if (type == RD_KAFKA_THREAD_MAIN) {
      watch->answered_at_the_end_ = watch->answered_.load();
      // An answer that is still to come is to come now, where it does harm.
      static_cast<void>(
          Until([&] { return watch->answered_ > 0; }, [] { std::this_thread::yield(); }));
    }
    return RD_KAFKA_RESP_ERR_NO_ERROR;
  }

  std::atomic<int> sent_{0};
  std::atomic<int> answered_{0};
  std::atomic<int> answered_at_the_end_{-1};
};

// librdkafka 2.0.2 frees the transaction manager's last error twice when an answer says "fenced"
// after the manager has ended: the address sanitizer shows it if this test fails.
TEST(MockProducer, WaitsForNoAnswerWhenItIsDestroyed) {
  RequestWatch watch;
  MockCluster cluster;
  cluster.CreateTopic(kTopic, 1);
  KafkaOptions options = cluster.Options();
  options.producer["linger.ms"] = "0";
  Result<ClientConfig> config = ClientConfig::Make(TransactionalProducer(options), options);
  ASSERT_TRUE(config.has_value()) << config.error().message;
  RequestWatch::Install(config->get(), watch);
  auto client = Client::Make(*std::move(config), {}, nullptr);
  ASSERT_TRUE(client.has_value()) << client.error().message;
  rd_kafka_t* const handle = (*client)->handle();
  ASSERT_EQ(rd_kafka_init_transactions(handle, TimeoutMs(kPatience)), nullptr);
  ASSERT_EQ(rd_kafka_begin_transaction(handle), nullptr);

  // Fenced by another producer: the coordinator says so at once, the partition's leader later.
  cluster.FailNextAfter(Request::kProduce, RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH, 2'000);
  cluster.FailNext(Request::kAddOffsetsToTxn, {RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH});
  std::string verdict = "verdict";
  rd_kafka_topic_t* const topic = rd_kafka_topic_new(handle, kTopic, nullptr);
  ASSERT_EQ(rd_kafka_produce(topic, 0, RD_KAFKA_MSG_F_COPY, verdict.data(), verdict.size(), nullptr,
                             0, nullptr),
            0);
  rd_kafka_topic_destroy(topic);
  ASSERT_TRUE(Until([&] { return watch.sent() > 0; }, [&] { rd_kafka_poll(handle, 10); }));
  const auto offsets = MakePartitionList(std::vector<PartitionOffset>{{{"pages", 0}, 5}});
  const GroupMetadata group(rd_kafka_consumer_group_metadata_new("judge"));
  rd_kafka_error_t* const refused = rd_kafka_send_offsets_to_transaction(
      handle, offsets.get(), group.get(), TimeoutMs(kPatience));
  ASSERT_NE(refused, nullptr);
  EXPECT_EQ(KafkaErrorFrom(refused, "sending offsets").error_class, ErrorClass::kFenced);

  client->reset();
  EXPECT_EQ(watch.answered_at_the_end(), 1);
}

}  // namespace
}  // namespace crawlsieve::consumer

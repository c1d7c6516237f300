#include "consumer/service/brokers/contact.h"
#include "consumer/service/brokers/status_board.h"
#include "consumer/service/judge/kafka_judge_group.h"
#include "consumer/service/judge/kafka_verdict_sink.h"
#include "tests/plugin/judge/ends_conformance.h"
#include "tests/support/kafka_broker.h"
#include "tests/support/kafka_clients.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using testing::EndsUnderTest;
using testing::IdleMember;
using testing::JudgeSeat;
using testing::kPatience;
using testing::MakeTopic;
using testing::TestProducer;
using testing::Until;

class KafkaSeat final : public JudgeSeat {
 public:
  explicit KafkaSeat(const KafkaOptions& options)
      : metrics_({"test", "0", {Role::kJudge}, Timestamp()}),
        board_({Role::kJudge}, metrics_),
        contact_(Role::kJudge, board_) {
    auto group = KafkaJudgeGroup::Make(options, contact_);
    EXPECT_TRUE(group.has_value()) << group.error().message;
    group_ = std::move(*group);
    sink_ = std::make_unique<KafkaVerdictSink>(options, 0, "test", *group_, contact_, metrics_);
  }
  JudgeGroup& group() override { return *group_; }
  VerdictSink& sink() override { return *sink_; }

 private:
  Metrics metrics_;
  StatusBoard board_;
  BrokerContact contact_;
  std::unique_ptr<KafkaJudgeGroup> group_;
  std::unique_ptr<KafkaVerdictSink> sink_;
};

/// Gives access to the broker of BrokerTest.
class SharedBroker : public testing::BrokerTest {
 public:
  static KafkaOptions Prepare() {
    SharedBroker starter;
    starter.SetUp();
    KafkaOptions options = Options();
    // The last test waits for a transaction that takes too long.
    options.producer["transaction.timeout.ms"] = "8000";
    options.producer["message.timeout.ms"] = "4000";
    return options;
  }

 private:
  void TestBody() override {}
};

class KafkaUnderTest final : public EndsUnderTest {
 public:
  KafkaUnderTest() : options_(SharedBroker::Prepare()) {
    MakeTopic(options_, options_.verdict_topic);
    MakeTopic(options_, options_.log_topic);
  }

  std::unique_ptr<JudgeSeat> NewJudge() override { return std::make_unique<KafkaSeat>(options_); }

  void Own(JudgeSeat& judge, IdleMember& member) override {
    ASSERT_TRUE(judge.group().Join(member).has_value());
    ASSERT_TRUE(Until([&] { return member.is_assigned; },
                      [&] { (void)judge.group().Poll(std::chrono::milliseconds(100)); }));
  }

  std::vector<std::int64_t> Visible() override {
    std::vector<std::int64_t> sources;
    for (const std::string& text : testing::ReadCommitted(options_, options_.verdict_topic)) {
      const nlohmann::json record = nlohmann::json::parse(text, nullptr, false);
      if (record.is_object()) sources.push_back(record["source"]["offset"].get<std::int64_t>());
    }
    return sources;
  }

  std::int64_t VisibleEnd() override {
    const auto reader = Consumer::Make(JudgeConsumer(options_), options_, {});
    const auto ends = (*reader)->QueryWatermarks({options_.verdict_topic, 0}, kPatience);
    EXPECT_TRUE(ends.has_value()) << ends.error().message;
    return ends ? ends->high : -1;
  }

  bool ShowsMoreThan(std::int64_t end) override {
    return Until([&] { return VisibleEnd() > end; }, [] {});
  }

  /// A record behind the transaction can be seen as soon as the broker has ended it.
  void TimeOutTransaction() override {
    const std::int64_t before = VisibleEnd();
    TestProducer other(IdempotentProducer(options_), options_);
    RecordView record;
    record.topic = options_.verdict_topic;
    record.partition = 0;
    record.value = "behind it";
    ASSERT_TRUE(other->Produce(record, 0).has_value());
    ASSERT_TRUE(other->Flush(kPatience).has_value());
    // No later than the transaction itself: what is seen before it begins isn't behind it.
    ASSERT_TRUE(ShowsMoreThan(before + 1));
  }

  void LeaveOutOffset() override {
    KafkaOptions foreign = options_;
    foreign.group += "-foreign";
    TestProducer producer(TransactionalProducer(foreign), foreign);
    ASSERT_TRUE(producer->InitTransactions(kPatience).has_value());
    ASSERT_TRUE(producer->BeginTransaction().has_value());
    RecordView record;
    record.topic = options_.log_topic;
    record.partition = 0;
    record.value = "aborted";
    ASSERT_TRUE(producer->Produce(record, 0).has_value());
    ASSERT_TRUE(producer->Flush(kPatience).has_value());
    ASSERT_TRUE(producer->AbortTransaction().has_value());
  }

 private:
  const KafkaOptions options_;
};

}  // namespace
}  // namespace crawlsieve::consumer

namespace crawlsieve::testing {
namespace {

INSTANTIATE_TEST_SUITE_P(Kafka, EndsConformance, ::testing::Values(MakeEnds([] {
                           return std::make_unique<consumer::KafkaUnderTest>();
                         })));

}  // namespace
}  // namespace crawlsieve::testing

#include "consumer/kafka/consumer.h"
#include "tests/support/kafka_broker.h"
#include "tests/support/kafka_clients.h"

#include <atomic>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;
using testing::BrokerTest;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::kPatience;
using testing::MakeTopic;
using testing::TestProducer;
using testing::Until;

constexpr milliseconds kStep{20};

/// A member of the extract group that starts where the group left off, as the stages do.
class Member : public RebalanceListener {
 public:
  explicit Member(const KafkaOptions& options, std::string_view instance = {}) {
    ClientCallbacks callbacks;
    callbacks.log = [this](KafkaLogLevel, std::string_view line) {
      if (line.find("maximum poll interval") != std::string_view::npos &&
          !said_left.exchange(true)) {
        left_group.set_value();
      }
    };
    auto made = Consumer::Make(ExtractConsumer(options, instance), options, callbacks);
    EXPECT_TRUE(made.has_value()) << made.error().message;
    consumer = *std::move(made);
    const BrokerStatus subscribed = consumer->Subscribe(options.input_topics, *this);
    EXPECT_TRUE(subscribed.has_value()) << subscribed.error().message;
  }

  BrokerResult<std::vector<PartitionOffset>> OnAssigned(
      const std::vector<TopicPartition>& partitions) override {
    if (fail_assignment) {
      return tl::unexpected(BrokerError{{ErrorCode::kInternal, "can't start"}});
    }
    auto committed = consumer->Committed(partitions, kPatience);
    if (!committed) {
      return tl::unexpected(committed.error());
    }
    std::vector<PartitionOffset> starts;
    for (std::size_t i = 0; i < partitions.size(); ++i) {
      starts.push_back({partitions[i], committed->at(i).value_or(kOffsetBeginning)});
    }
    assigned = partitions;
    events.push_back("assigned " + std::to_string(partitions.size()));
    return starts;
  }

  void OnRevoked(const std::vector<TopicPartition>& partitions) override {
    events.push_back("revoked " + std::to_string(partitions.size()));
    if (on_revoked) {
      on_revoked();
    }
    assigned.clear();
  }

  void OnLost(const std::vector<TopicPartition>& partitions) override {
    events.push_back("lost " + std::to_string(partitions.size()));
    assigned.clear();
  }

  void Poll() {
    auto record = consumer->Poll(kStep);
    if (!record) {
      errors.push_back(record.error());
    } else if (record->has_value()) {
      values.emplace_back((*record)->value().value_or("(null)"));
      next.emplace_back(PartitionOffset{{std::string((*record)->topic()), (*record)->partition()},
                                        (*record)->offset() + 1});
    }
  }

  /// What it has read so far, the last offset of each partition.
  [[nodiscard]] std::vector<PartitionOffset> Progress() const {
    std::map<TopicPartition, std::int64_t> last;
    for (const PartitionOffset& entry : next) {
      last[entry.partition] = entry.offset;
    }
    std::vector<PartitionOffset> progress;
    for (const auto& [partition, offset] : last) {
      progress.push_back({partition, offset});
    }
    return progress;
  }

  std::atomic<bool> said_left = false;
  std::promise<void> left_group;
  std::unique_ptr<Consumer> consumer;
  std::vector<TopicPartition> assigned;
  std::vector<std::string> events;
  std::vector<std::string> values;
  std::vector<PartitionOffset> next;
  std::vector<BrokerError> errors;
  std::function<void()> on_revoked;
  bool fail_assignment = false;
};

class KafkaGroup : public BrokerTest {
 protected:
  void SetUp() override {
    BrokerTest::SetUp();
    if (HasFatalFailure()) {
      return;
    }
    options_ = Options();
    options_.consumer["session.timeout.ms"] = "6000";
    options_.consumer["heartbeat.interval.ms"] = "200";  // a rebalance is noticed by these
    MakeTopic(options_, options_.input_topics[0], 4);
  }

  void Write(int first, int last) {
    TestProducer producer(IdempotentProducer(options_), options_);
    for (int i = first; i <= last; ++i) {
      const std::string value = std::to_string(i);
      RecordView record;
      record.topic = options_.input_topics[0];
      record.partition = i % 4;
      record.value = value;
      ASSERT_TRUE(producer->Produce(record, 0).has_value());
    }
    ASSERT_TRUE(producer->Flush(kPatience).has_value());
  }

  KafkaOptions options_;
};

TEST_F(KafkaGroup, TwoMembersShareThePartitionsAndOneTakesAllBack) {
  Member first(options_);
  ASSERT_TRUE(Until([&] { return first.assigned.size() == 4; }, [&] { first.Poll(); }));
  EXPECT_EQ(first.consumer->Assignment().size(), 4U);
  Member second(options_);
  const auto poll = [&] {
    first.Poll();
    second.Poll();
  };
  ASSERT_TRUE(
      Until([&] { return first.assigned.size() == 2 && second.assigned.size() == 2; }, poll));
  // Eager: all went before any came.
  EXPECT_THAT(first.events, ElementsAre("assigned 4", "revoked 4", "assigned 2"));
  EXPECT_THAT(second.events, ElementsAre("assigned 2"));

  Write(0, 39);
  ASSERT_TRUE(Until([&] { return first.values.size() + second.values.size() == 40; }, poll));
  EXPECT_EQ(first.values.size(), 20U);

  ASSERT_TRUE(second.consumer->Commit(second.Progress(), kPatience).has_value());
  ASSERT_TRUE(first.consumer->Commit(first.Progress(), kPatience).has_value());
  const BrokerStatus closed = second.consumer->Close(kPatience);
  EXPECT_TRUE(closed.has_value()) << closed.error().message;
  EXPECT_EQ(second.events.back(), "revoked 2");
  ASSERT_TRUE(Until([&] { return first.assigned.size() == 4; }, [&] { first.Poll(); }));
  Write(40, 43);
  ASSERT_TRUE(Until([&] { return first.values.size() == 24; }, [&] { first.Poll(); }));
  EXPECT_TRUE(first.errors.empty());
  EXPECT_TRUE(second.errors.empty());
}

TEST_F(KafkaGroup, WorkIsCommittedInTheLastMoment) {
  Write(0, 19);
  Member first(options_);
  ASSERT_TRUE(Until([&] { return first.values.size() == 20; }, [&] { first.Poll(); }));
  bool committed = false;
  first.on_revoked = [&] {
    committed = first.consumer->Commit(first.Progress(), kPatience).has_value();
  };
  ASSERT_TRUE(first.consumer->Close(kPatience).has_value());
  EXPECT_TRUE(committed);
  Member second(options_);
  ASSERT_TRUE(Until([&] { return second.assigned.size() == 4; }, [&] { second.Poll(); }));
  Write(20, 23);
  ASSERT_TRUE(Until([&] { return second.values.size() >= 4; }, [&] { second.Poll(); }));
  EXPECT_THAT(second.values, ::testing::UnorderedElementsAre("20", "21", "22", "23"));
}

TEST_F(KafkaGroup, AsynchronousCommitsAreAnswered) {
  Write(0, 3);
  Member member(options_);
  ASSERT_TRUE(Until([&] { return member.values.size() == 4; }, [&] { member.Poll(); }));
  std::vector<BrokerStatus> answers;
  const BrokerStatus sent = member.consumer->CommitAsync(
      member.Progress(), [&](const BrokerStatus& status) { answers.push_back(status); });
  ASSERT_TRUE(sent.has_value()) << sent.error().message;
  EXPECT_TRUE(answers.empty());
  ASSERT_TRUE(Until([&] { return !answers.empty(); }, [&] { member.Poll(); }));
  EXPECT_TRUE(answers[0].has_value()) << answers[0].error().message;
  const auto committed = member.consumer->Committed({{options_.input_topics[0], 2}}, kPatience);
  ASSERT_TRUE(committed.has_value());
  EXPECT_THAT(*committed, ElementsAre(1));
}

TEST_F(KafkaGroup, NothingCommittedIsNotOffsetZero) {
  Member member(options_);
  ASSERT_TRUE(Until([&] { return member.assigned.size() == 4; }, [&] { member.Poll(); }));
  ASSERT_TRUE(member.consumer->Commit({{{options_.input_topics[0], 1}, 0}}, kPatience).has_value());
  const auto committed = member.consumer->Committed(
      {{options_.input_topics[0], 0}, {options_.input_topics[0], 1}}, kPatience);
  ASSERT_TRUE(committed.has_value()) << committed.error().message;
  EXPECT_THAT(*committed, ElementsAre(std::nullopt, std::optional<std::int64_t>(0)));
}

TEST_F(KafkaGroup, AnAssignmentThatCantStartIsAnErrorOfPoll) {
  Member member(options_);
  member.fail_assignment = true;
  ASSERT_TRUE(Until([&] { return !member.errors.empty(); }, [&] { member.Poll(); }));
  EXPECT_EQ(member.errors[0].message, "can't start");
  EXPECT_THAT(member.consumer->Assignment(), IsEmpty());
}

TEST_F(KafkaGroup, AMemberThatPollsTooLateLosesItsPartitions) {
  options_.consumer["session.timeout.ms"] = "1000";
  options_.consumer["max.poll.interval.ms"] = "1000";
  Member slow(options_);
  ASSERT_TRUE(Until([&] { return slow.assigned.size() == 4; }, [&] { slow.Poll(); }));
  // Not polling: librdkafka leaves the group and says so in its log, on a thread of its own.
  ASSERT_EQ(slow.left_group.get_future().wait_for(kPatience), std::future_status::ready);
  ASSERT_TRUE(
      Until([&] { return !slow.errors.empty() && slow.events.size() >= 3; }, [&] { slow.Poll(); }));
  EXPECT_EQ(slow.errors[0].error_class, ErrorClass::kAbortable) << slow.errors[0].message;
  EXPECT_THAT(slow.events, ElementsAre("assigned 4", "lost 4", "assigned 4"));
}

TEST_F(KafkaGroup, ACommitOfSomebodyElsesPartitionsIsRefused) {
  options_.consumer["session.timeout.ms"] = "1000";
  options_.consumer["max.poll.interval.ms"] = "1000";
  Member slow(options_);
  ASSERT_TRUE(Until([&] { return slow.assigned.size() == 4; }, [&] { slow.Poll(); }));
  Member quick(options_);
  ASSERT_TRUE(Until([&] { return quick.assigned.size() == 4; }, [&] { quick.Poll(); }));
  const BrokerStatus late = slow.consumer->Commit({{{options_.input_topics[0], 0}, 17}}, kPatience);
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().error_class, ErrorClass::kAbortable) << late.error().message;
  const auto committed = quick.consumer->Committed({{options_.input_topics[0], 0}}, kPatience);
  EXPECT_THAT(*committed, ElementsAre(std::nullopt));
}

TEST_F(KafkaGroup, TheSameInstanceTwiceFencesTheFirst) {
  Member first(options_, "instance-1");
  ASSERT_TRUE(Until([&] { return first.assigned.size() == 4; }, [&] { first.Poll(); }));
  Member second(options_, "instance-1");
  ASSERT_TRUE(Until([&] { return !first.errors.empty() && second.assigned.size() == 4; },
                    [&] {
                      first.Poll();
                      second.Poll();
                    }));
  EXPECT_EQ(first.errors[0].error_class, ErrorClass::kFenced) << first.errors[0].message;
}

TEST_F(KafkaGroup, AMissingTopicIsAnErrorThatNamesIt) {
  options_.input_topics = {testing::UniqueName("missing")};
  Member member(options_);
  ASSERT_TRUE(Until([&] { return !member.errors.empty(); }, [&] { member.Poll(); }));
  EXPECT_EQ(member.errors[0].error_class, ErrorClass::kRefused) << member.errors[0].message;
  EXPECT_THAT(member.errors[0].message, ::testing::HasSubstr(options_.input_topics[0]));
}

}  // namespace
}  // namespace crawlsieve::consumer

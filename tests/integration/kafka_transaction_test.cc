#include "consumer/kafka/producer.h"
#include "tests/support/kafka_broker.h"
#include "tests/support/kafka_clients.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;
using testing::BrokerTest;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::kPatience;
using testing::MakeTopic;
using testing::ReadCommitted;
using testing::TestProducer;
using testing::Until;

class KafkaTransaction : public BrokerTest {
 protected:
  void SetUp() override {
    BrokerTest::SetUp();
    if (HasFatalFailure()) {
      return;
    }
    options_ = Options();
    MakeTopic(options_, options_.verdict_topic);
    MakeTopic(options_, options_.log_topic);
  }

  [[nodiscard]] BrokerStatus Write(TestProducer& producer, const std::string& value) const {
    RecordView record;
    record.topic = options_.verdict_topic;
    record.partition = 0;
    record.value = value;
    return producer->Produce(record, 1);
  }

  /// One transaction: this verdict, and the log read up to `offset`.
  [[nodiscard]] BrokerStatus Judge(TestProducer& producer, const std::string& value,
                                   std::int64_t offset) const {
    const GroupMetadata group(
        rd_kafka_consumer_group_metadata_new((options_.group + ".judge").c_str()));
    return producer->BeginTransaction()
        .and_then([&] { return Write(producer, value); })
        .and_then([&] {
          return producer->SendOffsets({{{options_.log_topic, 0}, offset}}, group);
        });
  }

  [[nodiscard]] std::optional<std::int64_t> CommittedOffset() const {
    const auto reader = Consumer::Make(JudgeConsumer(options_), options_, {});
    const auto committed = (*reader)->Committed({{options_.log_topic, 0}}, kPatience);
    EXPECT_TRUE(committed.has_value()) << committed.error().message;
    return committed ? committed->at(0) : std::nullopt;
  }

  [[nodiscard]] std::vector<std::string> Verdicts() const {
    return ReadCommitted(options_, options_.verdict_topic);
  }

  KafkaOptions options_;
};

#define ASSERT_DONE(expression)                                  \
  do {                                                           \
    const BrokerStatus status_ = (expression);                   \
    ASSERT_TRUE(status_.has_value()) << status_.error().message; \
  } while (false)

TEST_F(KafkaTransaction, CommitShowsRecordsAndOffsetsTogether) {
  TestProducer judge(TransactionalProducer(options_), options_);
  ASSERT_DONE(judge->InitTransactions(kPatience));
  EXPECT_EQ(CommittedOffset(), std::nullopt);
  ASSERT_DONE(Judge(judge, "one", 11));
  ASSERT_DONE(judge->Flush(kPatience));  // in the topic, and not to be seen
  const auto reader = Consumer::Make(JudgeConsumer(options_), options_, {});
  EXPECT_EQ((*reader)->QueryWatermarks({options_.verdict_topic, 0}, kPatience)->high, 0);
  ASSERT_DONE(judge->CommitTransaction());
  EXPECT_EQ(CommittedOffset(), 11);
  EXPECT_THAT(Verdicts(), ElementsAre("one"));
}

TEST_F(KafkaTransaction, AbortShowsNeither) {
  TestProducer judge(TransactionalProducer(options_), options_);
  ASSERT_DONE(judge->InitTransactions(kPatience));
  ASSERT_DONE(Judge(judge, "kept", 11));
  ASSERT_DONE(judge->CommitTransaction());
  ASSERT_DONE(Judge(judge, "dropped", 22));
  ASSERT_DONE(judge->AbortTransaction());
  ASSERT_DONE(Judge(judge, "kept too", 33));
  ASSERT_DONE(judge->CommitTransaction());
  EXPECT_THAT(Verdicts(), ElementsAre("kept", "kept too"));
  EXPECT_EQ(CommittedOffset(), 33);
}

TEST_F(KafkaTransaction, AnAbortRightAfterTheFirstRecordLeavesTheProducerUsable) {
  TestProducer judge(TransactionalProducer(options_), options_);
  ASSERT_DONE(judge->InitTransactions(kPatience));
  for (int i = 0; i < 20; ++i) {
    ASSERT_DONE(judge->BeginTransaction());
    ASSERT_DONE(Write(judge, "dropped"));
    ASSERT_DONE(judge->AbortTransaction());
  }
  ASSERT_DONE(Judge(judge, "kept", 1));
  ASSERT_DONE(judge->CommitTransaction());
  EXPECT_THAT(Verdicts(), ElementsAre("kept"));
}

TEST_F(KafkaTransaction, TakingOverTheIdFencesTheOldProducerAndDropsItsTransaction) {
  TestProducer old_judge(TransactionalProducer(options_), options_);
  ASSERT_DONE(old_judge->InitTransactions(kPatience));
  ASSERT_DONE(Judge(old_judge, "committed by the old", 11));
  ASSERT_DONE(old_judge->CommitTransaction());
  ASSERT_DONE(Judge(old_judge, "open in the old", 22));
  ASSERT_DONE(old_judge->Flush(kPatience));

  TestProducer new_judge(TransactionalProducer(options_), options_);
  ASSERT_DONE(new_judge->InitTransactions(kPatience));
  EXPECT_EQ(CommittedOffset(), 11);
  const BrokerStatus commit = old_judge->CommitTransaction();
  ASSERT_FALSE(commit.has_value());
  EXPECT_EQ(commit.error().error_class, ErrorClass::kFenced) << commit.error().message;
  ASSERT_TRUE(old_judge->FatalError().has_value());
  EXPECT_EQ(old_judge->FatalError()->error_class, ErrorClass::kFenced);
  const BrokerStatus produced = Write(old_judge, "after being fenced");
  ASSERT_FALSE(produced.has_value());
  EXPECT_EQ(produced.error().error_class, ErrorClass::kFenced) << produced.error().message;

  ASSERT_DONE(Judge(new_judge, "by the new", 22));
  ASSERT_DONE(new_judge->CommitTransaction());
  EXPECT_THAT(Verdicts(), ElementsAre("committed by the old", "by the new"));
  EXPECT_EQ(CommittedOffset(), 22);
}

TEST_F(KafkaTransaction, AFencedProducerLearnsItWhereverItStands) {
  for (const bool open : {false, true}) {
    SCOPED_TRACE(open ? "with an open transaction" : "between transactions");
    TestProducer old_judge(TransactionalProducer(options_), options_);
    ASSERT_DONE(old_judge->InitTransactions(kPatience));
    ASSERT_DONE(Judge(old_judge, "warm", 1));
    ASSERT_DONE(old_judge->CommitTransaction());
    if (open) {
      ASSERT_DONE(old_judge->BeginTransaction());
    }
    TestProducer new_judge(TransactionalProducer(options_), options_);
    ASSERT_DONE(new_judge->InitTransactions(kPatience));
    BrokerStatus late;
    if (open) {
      late = Write(old_judge, "late");
    } else {
      late = Judge(old_judge, "late", 2);
    }
    if (late) {
      late = old_judge->CommitTransaction();
    }
    // An old epoch may be the producer's own doing (its transaction timed out): the abort tells.
    if (!late && late.error().error_class == ErrorClass::kAbortable) {
      late = old_judge->AbortTransaction();
    }
    ASSERT_FALSE(late.has_value());
    EXPECT_EQ(late.error().error_class, ErrorClass::kFenced) << late.error().message;
  }
  EXPECT_THAT(Verdicts(), ElementsAre("warm", "warm"));
}

TEST_F(KafkaTransaction, OneThatTookTooLongIsLostAndItsProducerSaysSo) {
  KafkaOptions hasty = options_;
  hasty.producer["transaction.timeout.ms"] = "2000";
  hasty.producer["message.timeout.ms"] = "1000";
  TestProducer judge(TransactionalProducer(hasty), hasty);
  ASSERT_DONE(judge->InitTransactions(kPatience));
  ASSERT_DONE(judge->FindLeaders(options_.verdict_topic, kPatience));
  ASSERT_DONE(Judge(judge, "too slow", 11));
  ASSERT_DONE(judge->Flush(kPatience));
  // The broker ends it: an offset that comes later in the partition becomes visible.
  {
    TestProducer other(IdempotentProducer(options_), options_);
    ASSERT_DONE(Write(other, "behind it"));
    ASSERT_DONE(other->Flush(kPatience));
  }
  EXPECT_THAT(Verdicts(), ElementsAre("behind it"));
  const BrokerStatus commit = judge->CommitTransaction();
  ASSERT_FALSE(commit.has_value());
  EXPECT_THAT(commit.error().error_class,
              ::testing::AnyOf(ErrorClass::kFenced, ErrorClass::kFatal, ErrorClass::kAbortable))
      << commit.error().message;
  EXPECT_EQ(CommittedOffset(), std::nullopt);
}

TEST_F(KafkaTransaction, CommittedWaitsForAnOpenTransaction) {
  TestProducer judge(TransactionalProducer(options_), options_);
  ASSERT_DONE(judge->InitTransactions(kPatience));
  ASSERT_DONE(Judge(judge, "one", 11));
  const auto reader = Consumer::Make(JudgeConsumer(options_), options_, {});
  const auto early = (*reader)->Committed({{options_.log_topic, 0}}, milliseconds(700));
  ASSERT_FALSE(early.has_value()) << "an offset that may still be aborted was given out";
  EXPECT_EQ(early.error().error_class, ErrorClass::kRetriable) << early.error().message;
  ASSERT_DONE(judge->CommitTransaction());
  EXPECT_EQ(CommittedOffset(), 11);
}

TEST_F(KafkaTransaction, OffsetsOfAFormerGenerationAreNotCommitted) {
  TestProducer judge(TransactionalProducer(options_), options_);
  ASSERT_DONE(judge->InitTransactions(kPatience));
  ASSERT_DONE(judge->BeginTransaction());
  ASSERT_DONE(Write(judge, "late"));
  const GroupMetadata stale(rd_kafka_consumer_group_metadata_new_with_genid(
      (options_.group + ".judge").c_str(), 3, "member-of-old", nullptr));
  const BrokerStatus sent = judge->SendOffsets({{{options_.log_topic, 0}, 5}}, stale);
  ASSERT_FALSE(sent.has_value());
  EXPECT_EQ(sent.error().error_class, ErrorClass::kAbortable) << sent.error().message;
  ASSERT_DONE(judge->AbortTransaction());
  EXPECT_THAT(Verdicts(), IsEmpty());
  EXPECT_EQ(CommittedOffset(), std::nullopt);
}

}  // namespace
}  // namespace crawlsieve::consumer

#include "consumer/kafka/admin.h"
#include "consumer/service/brokers/deployment.h"
#include "consumer/service/verify.h"
#include "plugin/fingerprint/checksum.h"
#include "tests/integration/service_fixture.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>

namespace crawlsieve {
namespace {

using consumer::Admin;
using consumer::Role;
using ::testing::HasSubstr;
using testing::kPatience;
using testing::Page;
using testing::RunningService;
using testing::ServiceTest;

/// What brokers and operators take away, and what someone else writes.
class LossTest : public ServiceTest {
 protected:
  static std::vector<consumer::FileRecord> Pages(int from, int to) {
    std::vector<consumer::FileRecord> pages;
    for (int number = from; number < to; ++number) pages.push_back(Page(number));
    return pages;
  }

  /// Sets a group's offset, as a broker that lost or an operator who moved it.
  void SetOffset(const consumer::ClientRecipe& recipe, const std::string& topic,
                 std::int64_t offset, const std::string& metadata = "") {
    auto consumer = consumer::Consumer::Make(recipe, setup_.kafka, {});
    ASSERT_TRUE(consumer.has_value());
    ASSERT_TRUE((*consumer)->Commit({{{topic, 0}, offset, metadata}}, kPatience).has_value());
  }

  void SetInputOffset(std::int64_t offset, const std::string& metadata = "") {
    SetOffset(consumer::ExtractConsumer(setup_.kafka, ""), input_, offset, metadata);
  }

  /// What the extract group has committed with its offset.
  std::string InputMetadata() {
    auto consumer =
        consumer::Consumer::Make(consumer::ExtractConsumer(setup_.kafka, ""), setup_.kafka, {});
    const auto places = (*consumer)->CommittedPlaces({{input_, 0}}, kPatience);
    EXPECT_TRUE(places.has_value() && places->front().has_value());
    return places.has_value() && places->front().has_value() ? places->front()->metadata : "";
  }

  std::int64_t LogEnd() {
    auto consumer =
        consumer::Consumer::Make(consumer::JudgeConsumer(setup_.kafka), setup_.kafka, {});
    const auto ends = (*consumer)->QueryWatermarks({setup_.kafka.log_topic, 0}, kPatience);
    EXPECT_TRUE(ends.has_value());
    return ends.has_value() ? ends->high : -1;
  }

  /// Where no record is left to be read, but something to be said in the log.
  void RunUntilTheLogHasGrown() {
    const std::int64_t before = LogEnd();
    RunningService service(setup_);
    EXPECT_TRUE(
        testing::Until([&] { return LogEnd() > before; }, [] { std::this_thread::yield(); }));
    WaitUntilDone();
    const Status ended = service.Stop();
    EXPECT_TRUE(ended.has_value()) << ended.error().message;
  }

  /// A counter that the last process reported at its end.
  std::uint64_t Counted(const std::string& name) {
    const auto records = testing::ReadCommitted(setup_.kafka, setup_.metrics.topic);
    return nlohmann::json::parse(records.back())["counters"]["total"][name];
  }

  void RecreateInput() {
    const auto admin = Admin::Make(setup_.kafka, {});
    ASSERT_TRUE((*admin)->DeleteTopic(input_, kPatience).has_value());
    EXPECT_TRUE(testing::Until(
        [&] {
          const auto found = (*admin)->DescribeTopic(input_, kPatience);
          return found.has_value() && !found->has_value();
        },
        [] { std::this_thread::yield(); }));
    testing::MakeTopic(setup_.kafka, input_);
  }

  /// As retention does.
  void DeleteInputBelow(std::int64_t offset) {
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "bootstrap.servers", setup_.kafka.bootstrap_servers.c_str(), nullptr,
                      0);
    rd_kafka_t* handle = rd_kafka_new(RD_KAFKA_PRODUCER, conf, nullptr, 0);
    rd_kafka_topic_partition_list_t* before = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(before, input_.c_str(), 0)->offset = offset;
    rd_kafka_DeleteRecords_t* records = rd_kafka_DeleteRecords_new(before);
    rd_kafka_queue_t* queue = rd_kafka_queue_new(handle);
    rd_kafka_DeleteRecords(handle, &records, 1, nullptr, queue);
    rd_kafka_event_t* answer = rd_kafka_queue_poll(queue, 10'000);
    ASSERT_NE(answer, nullptr);
    EXPECT_EQ(rd_kafka_event_error(answer), RD_KAFKA_RESP_ERR_NO_ERROR);
    rd_kafka_event_destroy(answer);
    rd_kafka_queue_destroy(queue);
    rd_kafka_DeleteRecords_destroy(records);
    rd_kafka_topic_partition_list_destroy(before);
    rd_kafka_destroy(handle);
  }

  std::string WriteToLog(const std::string& value) {
    testing::TestProducer producer(consumer::IdempotentProducer(setup_.kafka), setup_.kafka);
    consumer::RecordView record;
    record.topic = setup_.kafka.log_topic;
    record.partition = 0;
    record.value = value;
    EXPECT_TRUE(producer->Produce(record, 0).has_value());
    EXPECT_TRUE(producer->Flush(kPatience).has_value());
    return Hex(RawChecksum(value));
  }

  std::string FailureOf(const consumer::ServiceSetup& setup) {
    RunningService service(setup);
    const Status ended = service.Join();
    EXPECT_FALSE(ended.has_value());
    return ended.has_value() ? "" : ended.error().message;
  }
};

TEST_F(LossTest, RecordsThatTheLogHasNoEntryForAreNamedAndJudgedWhenTheyComeAgain) {
  Feed(Pages(0, 10));
  RunUntilDone();
  Feed(Pages(10, 20));
  SetInputOffset(15);  // as after a log that lost the entries of 10 to 14
  RunUntilDone();
  EXPECT_EQ(Verdicts().size(), 15U);
  EXPECT_EQ(Counted("lost"), 5U);
  SetInputOffset(10);
  RunUntilDone();
  EXPECT_EQ(Verdicts().size(), 20U);
  EXPECT_EQ(Counted("recovered"), 5U);
  EXPECT_EQ(Counted("lost"), 0U) << "repeats raise no alarm";
}

TEST_F(LossTest, RecordsDeletedUnreadAreNamed) {
  Feed(Pages(0, 4));
  RunUntilDone();
  Feed(Pages(4, 10));
  DeleteInputBelow(7);
  RunUntilDone();
  EXPECT_EQ(Verdicts().size(), 4U + 3U);
  EXPECT_EQ(Counted("unread"), 3U);
  EXPECT_EQ(Counted("lost"), 3U);
}

TEST_F(LossTest, WhatLogAndInputHaveBothLostIsNamedWithoutAFurtherRecord) {
  Feed(Pages(0, 10));
  RunUntilDone();
  Feed(Pages(10, 16));
  SetInputOffset(16);  // as after a log that lost the entries of 10 to 15
  DeleteInputBelow(16);
  RunUntilTheLogHasGrown();
  EXPECT_EQ(Verdicts().size(), 10U);
  EXPECT_EQ(Counted("lost"), 6U);
  RunUntilTheLogHasGrown();
  EXPECT_EQ(Counted("lost"), 0U) << "once";
  Feed(Pages(16, 18));
  RunUntilDone();
  EXPECT_EQ(Verdicts().size(), 12U);
  EXPECT_EQ(Counted("lost"), 0U);
}

TEST_F(LossTest, AGroupWhoseOffsetOutlivedItsTopicIsRefused) {
  Feed(Pages(0, 5));
  RunUntilDone();
  const std::string metadata = InputMetadata();
  EXPECT_THAT(metadata, HasSubstr("time="));
  RecreateInput();
  Feed(Pages(5, 8));
  SetInputOffset(5, metadata);  // which the brokers forget with the topic, and mirrors don't
  EXPECT_THAT(FailureOf(setup_), HasSubstr("which ends at 3"));
  Feed(Pages(8, 15));
  EXPECT_THAT(FailureOf(setup_), HasSubstr("the topic was recreated"));
  EXPECT_EQ(Verdicts().size(), 5U);
  setup_.kafka.input_generation = 2;
  SetInputOffset(0);
  RunUntilDone();
  EXPECT_EQ(Verdicts().size(), 5U + 10U) << "the documented way out";
}

TEST_F(LossTest, ARecreatedInputTopicWhoseGroupStartsOverIsNamedByTheFold) {
  Feed(Pages(0, 5));
  RunUntilDone();
  RecreateInput();
  Feed(Pages(5, 15));
  RunUntilDone();
  EXPECT_GE(Counted("other_topic"), 1U);
  setup_.kafka.input_generation = 2;
  SetInputOffset(0);
  RunUntilDone();
  EXPECT_EQ(Verdicts().size(), 5U + 5U + 10U) << "the documented way out judges all of them";
}

TEST_F(LossTest, AnEntryOfSomeoneElseIsPassedOverAsConfiguredAndNothingElseIsLost) {
  Feed(Pages(0, 5));
  RunUntilDone();
  const std::string checksum = WriteToLog("\xff\xff not an entry");
  Feed(Pages(5, 10));
  const std::string refusal = FailureOf(setup_);
  EXPECT_THAT(refusal, HasSubstr("6:" + checksum)) << "what to put into kafka.log.skip";
  setup_.kafka.log_skip = {{6, std::string(32, '0')}};
  EXPECT_THAT(FailureOf(setup_), HasSubstr(checksum)) << "another checksum passes nothing over";
  setup_.kafka.log_skip = {{6, checksum}};
  RunUntilDone();
  EXPECT_EQ(Verdicts().size(), 10U);
  EXPECT_EQ(Counted("skipped"), 1U);
  auto state = Store::Open({.directory = setup_.service.state_directory});
  auto scratch = Store::Open({.directory = directory_.path() / "scratch"});
  ASSERT_TRUE(state.has_value() && scratch.has_value());
  const auto compared = consumer::CompareWithRefold(
      setup_.kafka, **state, **scratch, testing::MakeIndex, consumer::SchemeOf(setup_.processor),
      [](std::int64_t, std::int64_t) {});
  ASSERT_TRUE(compared.has_value()) << compared.error().message;
  EXPECT_TRUE(compared->equal());
}

TEST_F(LossTest, ExtractRefusesALogWhoseFirstEntryItCannotRead) {
  setup_.service.roles = {Role::kJudge};
  {
    RunningService judge(setup_);  // makes the topics
    WaitForGroup("judge", setup_.kafka.log_topic);
  }
  setup_.kafka.log_topic = testing::UniqueName("log");
  const auto admin = Admin::Make(setup_.kafka, {});
  ASSERT_TRUE(
      (*admin)
          ->CreateTopic(
              {setup_.kafka.log_topic,
               1,
               1,
               {{"retention.ms", "-1"}, {"retention.bytes", "-1"}, {"cleanup.policy", "delete"}}},
              kPatience)
          .has_value());
  WriteToLog("\xff\xff not an entry");
  setup_.service.roles = {Role::kExtract};
  EXPECT_THAT(FailureOf(setup_), HasSubstr("begins with what is not an entry"));
}

TEST_F(LossTest, ASecondDeploymentInTheGroupIsRefusedAndTheFirstGoesOn) {
  RunningService first(setup_);
  WaitForGroup("judge", setup_.kafka.log_topic);
  consumer::ServiceSetup second = setup_;
  second.service.state_directory = (directory_.path() / "second").string();
  second.kafka.log_topic = testing::UniqueName("log");
  second.kafka.verdict_topic = testing::UniqueName("verdicts");
  EXPECT_THAT(FailureOf(second), HasSubstr("another deployment"));
  Feed(Pages(0, 5));
  WaitForGroup("extract", input_);
  WaitForGroup("judge", setup_.kafka.log_topic);
  const Status ended = first.Stop();
  EXPECT_TRUE(ended.has_value()) << ended.error().message;
  EXPECT_EQ(Verdicts().size(), 5U);
  second.service.roles = {Role::kJudge};
  EXPECT_THAT(FailureOf(second), HasSubstr("has committed offsets of " + setup_.kafka.log_topic))
      << "also when the first doesn't run";
}

TEST_F(LossTest, AJudgeJoinsBehindTheOneThatIsThereWhateverItsClockSays) {
  setup_.service.roles = {Role::kJudge};
  RunningService first(setup_);
  WaitForGroup("judge", setup_.kafka.log_topic);
  const auto admin = Admin::Make(setup_.kafka, {});
  std::vector<std::string> members;
  EXPECT_TRUE(testing::Until(
      [&] {
        const auto found = (*admin)->GroupMembers(setup_.kafka.group + ".judge", kPatience);
        if (found.has_value()) members = *found;
        return members.size() == 1;
      },
      [] { std::this_thread::yield(); }));
  const auto next = consumer::JudgeClientId(setup_.kafka, kPatience);
  ASSERT_TRUE(next.has_value()) << next.error().message;
  EXPECT_GT(*next, members.at(0));
}

}  // namespace
}  // namespace crawlsieve

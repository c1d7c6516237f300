#include "consumer/kafka/topics.h"
#include "tests/support/kafka_broker.h"
#include "tests/support/kafka_clients.h"

#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>

namespace crawlsieve::consumer {
namespace {

using ::testing::AllOf;
using testing::BrokerTest;
using ::testing::HasSubstr;
using testing::kPatience;

class KafkaTopics : public BrokerTest {
 protected:
  void SetUp() override {
    BrokerTest::SetUp();
    if (HasFatalFailure()) {
      return;
    }
    options_ = Options();
    auto admin = Admin::Make(options_, {});
    ASSERT_TRUE(admin.has_value()) << admin.error().message;
    admin_ = *std::move(admin);
  }

  void Create(std::int32_t partitions, std::map<std::string, std::string> settings) {
    const BrokerStatus created =
        admin_->CreateTopic({options_.log_topic, partitions, 1, std::move(settings)}, kPatience);
    ASSERT_TRUE(created.has_value()) << created.error().message;
  }

  [[nodiscard]] std::string RefusalOfLog() {
    const Status ensured = EnsureLogTopic(*admin_, options_, MissingTopic::kCreate, kPatience);
    if (ensured) {
      return "";
    }
    EXPECT_EQ(ensured.error().code, ErrorCode::kInvalidConfig);
    return ensured.error().message;
  }

  KafkaOptions options_;
  std::unique_ptr<Admin> admin_;
};

TEST_F(KafkaTopics, AreDescribedAsTheyWereMade) {
  Create(3, {{"max.message.bytes", "123456"}, {"retention.ms", "777000"}});
  const auto description = admin_->DescribeTopic(options_.log_topic, kPatience);
  ASSERT_TRUE(description.has_value()) << description.error().message;
  ASSERT_TRUE(description->has_value());
  EXPECT_EQ((*description)->partitions, 3);
  EXPECT_EQ((*description)->settings.at("max.message.bytes"), "123456");
  EXPECT_EQ((*description)->settings.at("retention.ms"), "777000");
  EXPECT_EQ((*description)->settings.at("cleanup.policy"), "delete");
}

TEST_F(KafkaTopics, AskingForAMissingOneDoesNotMakeIt) {
  for (int i = 0; i < 2; ++i) {
    const auto description = admin_->DescribeTopic(options_.log_topic, kPatience);
    ASSERT_TRUE(description.has_value()) << description.error().message;
    EXPECT_FALSE(description->has_value());
  }
}

TEST_F(KafkaTopics, AreDeleted) {
  Create(1, {});
  ASSERT_TRUE(admin_->DeleteTopic(options_.log_topic, kPatience).has_value());
  EXPECT_TRUE(testing::Until(
      [&] {
        const auto description = admin_->DescribeTopic(options_.log_topic, kPatience);
        return description.has_value() && !description->has_value();
      },
      [] {}));
  const BrokerStatus again = admin_->DeleteTopic(options_.log_topic, kPatience);
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().error_class, ErrorClass::kRefused);
}

TEST_F(KafkaTopics, WhatTheBrokerRefusesIsAnErrorWithItsWords) {
  Create(1, {});
  const BrokerStatus twice = admin_->CreateTopic({options_.log_topic, 1, 1, {}}, kPatience);
  ASSERT_FALSE(twice.has_value());
  EXPECT_EQ(twice.error().broker_code, RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS);
  const BrokerStatus setting =
      admin_->CreateTopic({"other", 1, 1, {{"retention.ms", "soon"}}}, kPatience);
  ASSERT_FALSE(setting.has_value());
  EXPECT_EQ(setting.error().error_class, ErrorClass::kRefused);
  EXPECT_THAT(setting.error().message, AllOf(HasSubstr("other"), HasSubstr("retention.ms")));
  const BrokerStatus replicas = admin_->CreateTopic({"other", 1, 5, {}}, kPatience);
  ASSERT_FALSE(replicas.has_value());
  EXPECT_EQ(replicas.error().error_class, ErrorClass::kRefused);
  EXPECT_FALSE(admin_->CreateTopic({"no spaces", 1, 1, {}}, kPatience).has_value());
  EXPECT_FALSE(admin_->CreateTopic({"", 1, 1, {}}, kPatience).has_value());
  EXPECT_FALSE(admin_->DescribeTopic("", kPatience).has_value());
}

TEST_F(KafkaTopics, AMissingLogIsMadeWhole) {
  EXPECT_EQ(RefusalOfLog(), "");
  const auto description = admin_->DescribeTopic(options_.log_topic, kPatience);
  ASSERT_TRUE(description.has_value() && description->has_value());
  EXPECT_EQ((*description)->partitions, 1);
  EXPECT_EQ((*description)->settings.at("cleanup.policy"), "delete");
  EXPECT_EQ((*description)->settings.at("retention.ms"), "-1");
  EXPECT_EQ((*description)->settings.at("retention.bytes"), "-1");
  EXPECT_EQ(RefusalOfLog(), "") << "the second time";
}

TEST_F(KafkaTopics, AMissingLogIsRefusedWhereItMustNotBeMade) {
  const Status refused = EnsureLogTopic(*admin_, options_, MissingTopic::kRefuse, kPatience);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kIo);
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr(options_.log_topic + " (kafka.log.topic)"),
                                             HasSubstr("--create"), HasSubstr("retention.ms=-1")));
  EXPECT_FALSE(admin_->DescribeTopic(options_.log_topic, kPatience)->has_value());
}

TEST_F(KafkaTopics, ALogWithTwoPartitionsIsRefused) {
  Create(2, {{"retention.ms", "-1"}, {"retention.bytes", "-1"}});
  EXPECT_THAT(RefusalOfLog(), AllOf(HasSubstr("2 partitions"), HasSubstr(options_.log_topic)));
}

TEST_F(KafkaTopics, ALogThatForgetsIsRefusedWithTheCommandThatMendsIt) {
  Create(1, {});  // Kafka's defaults: seven days
  EXPECT_THAT(RefusalOfLog(), AllOf(HasSubstr("retention.ms=604800000 instead of -1"),
                                    HasSubstr("--entity-name " + options_.log_topic),
                                    HasSubstr("--add-config retention.ms=-1")));
}

TEST_F(KafkaTopics, ACompactedLogIsRefused) {
  Create(1, {{"cleanup.policy", "compact"}, {"retention.ms", "-1"}});
  EXPECT_THAT(RefusalOfLog(), HasSubstr("--add-config cleanup.policy=delete"));
}

TEST_F(KafkaTopics, ALogWithASizeLimitIsRefused) {
  Create(1, {{"retention.ms", "-1"}, {"retention.bytes", "1000000000"}});
  EXPECT_THAT(RefusalOfLog(), HasSubstr("retention.bytes=1000000000 instead of -1"));
}

TEST_F(KafkaTopics, ALogThatDoesNotTakeEveryEntryIsRefused) {
  Create(1, {{"retention.ms", "-1"}, {"max.message.bytes", "1048575"}});
  EXPECT_THAT(RefusalOfLog(), AllOf(HasSubstr("max.message.bytes=1048575"),
                                    HasSubstr("--add-config max.message.bytes=1048576")));
}

TEST_F(KafkaTopics, ALogWithTheBrokersOwnLimitIsTaken) {
  Create(1, {{"retention.ms", "-1"}});
  EXPECT_EQ(RefusalOfLog(), "");
}

TEST_F(KafkaTopics, AnOutputTopicTellsWhatItTakes) {
  Create(1, {{"max.message.bytes", "70000"}});
  EXPECT_EQ(EnsureTopic(*admin_, options_, options_.log_topic, 1, kPatience), 70'000U);
}

TEST_F(KafkaTopics, AnOutputTopicIsMadeOnceAndThenLeftAlone) {
  const std::string topic = options_.verdict_topic;
  ASSERT_TRUE(EnsureTopic(*admin_, options_, topic, 4, kPatience).has_value());
  ASSERT_TRUE(EnsureTopic(*admin_, options_, topic, 9, kPatience).has_value());
  const auto description = admin_->DescribeTopic(topic, kPatience);
  ASSERT_TRUE(description.has_value() && description->has_value());
  EXPECT_EQ((*description)->partitions, 4);
  EXPECT_EQ((*description)->settings.at("max.message.bytes"),
            std::to_string(MaxWrittenBytes(options_)));
}

}  // namespace
}  // namespace crawlsieve::consumer

#include "consumer/kafka/config.h"

#include "consumer/kafka/client.h"
#include "consumer/kafka/producer.h"
#include "consumer/service/options.h"
#include "plugin/base/mutex.h"
#include "tests/support/temporary_directory.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string ErrorOf(const ClientRecipe& recipe, const KafkaOptions& options) {
  const Result<ClientConfig> config = ClientConfig::Make(recipe, options);
  return config ? "" : config.error().message;
}

TEST(ClientConfig, EveryRecipeIsTakenByLibrdkafka) {
  const KafkaOptions options;
  for (const ClientRecipe& recipe :
       {ExtractConsumer(options, "host-7"), ExtractConsumer(options, ""), JudgeConsumer(options),
        IdempotentProducer(options), TransactionalProducer(options), BestEffortProducer(options),
        AdminClient(options)}) {
    Result<ClientConfig> config = ClientConfig::Make(recipe, options);
    ASSERT_TRUE(config.has_value()) << config.error().message;
    const auto client = Client::Make(*std::move(config), {}, nullptr);
    EXPECT_TRUE(client.has_value()) << client.error().message;
  }
}

TEST(ClientConfig, GroupsAndIdsFollowTheConfiguredGroup) {
  KafkaOptions options;
  options.group = "news";
  EXPECT_EQ(ClientConfig::Make(ExtractConsumer(options, "a"), options)->Value("group.id"),
            "news.extract");
  EXPECT_EQ(ClientConfig::Make(ExtractConsumer(options, "a"), options)->Value("group.instance.id"),
            "a");
  EXPECT_EQ(ClientConfig::Make(ExtractConsumer(options, ""), options)->Value("group.instance.id"),
            "");
  EXPECT_EQ(ClientConfig::Make(JudgeConsumer(options), options)->Value("group.id"), "news.judge");
  EXPECT_EQ(ClientConfig::Make(TransactionalProducer(options), options)->Value("transactional.id"),
            "news.judge");
}

TEST(ClientConfig, ConsumersStandOnTheseProperties) {
  const KafkaOptions options;
  for (const ClientRecipe& recipe : {ExtractConsumer(options, ""), JudgeConsumer(options)}) {
    const Result<ClientConfig> config = ClientConfig::Make(recipe, options);
    ASSERT_TRUE(config.has_value());
    EXPECT_EQ(config->Value("enable.auto.commit"), "false");
    EXPECT_EQ(config->Value("enable.auto.offset.store"), "false");
    EXPECT_EQ(config->Value("isolation.level"), "read_committed");
    EXPECT_EQ(config->Value("partition.assignment.strategy"), "range");
    EXPECT_EQ(config->Value("auto.offset.reset"), "error");
  }
}

TEST(ClientConfig, AllSizeLimitsFollowOneOption) {
  KafkaOptions options;
  options.max_message_bytes = 5'000'000;
  const auto consumer = ClientConfig::Make(JudgeConsumer(options), options);
  const auto producer = ClientConfig::Make(IdempotentProducer(options), options);
  ASSERT_TRUE(consumer.has_value() && producer.has_value());
  const auto value = [](const ClientConfig& config, const std::string& property) {
    return std::stoull(config.Value(property));
  };
  EXPECT_EQ(value(*producer, "message.max.bytes"), MaxWrittenBytes(options));
  EXPECT_GE(value(*consumer, "fetch.message.max.bytes"), MaxWrittenBytes(options));
  EXPECT_GE(value(*consumer, "fetch.max.bytes"), value(*consumer, "fetch.message.max.bytes"));
  EXPECT_GT(value(*consumer, "receive.message.max.bytes"), value(*consumer, "fetch.max.bytes"));
}

TEST(ClientConfig, AFetchOfPagesIsSmallerThanTheLargestAnswerThatIsTaken) {
  KafkaOptions options;
  options.max_message_bytes = 32 << 20;
  const auto consumer = ClientConfig::Make(ExtractConsumer(options, ""), options);
  ASSERT_TRUE(consumer.has_value());
  const auto value = [&](const std::string& property) {
    return std::stoull(consumer->Value(property));
  };
  EXPECT_EQ(value("fetch.max.bytes"), 1U << 20);
  EXPECT_EQ(value("fetch.message.max.bytes"), 1U << 20);
  EXPECT_GT(value("receive.message.max.bytes"), MaxWrittenBytes(options));
}

TEST(ClientConfig, TheSmallestAndTheLargestSizeWork) {
  KafkaOptions options;
  for (const std::uint32_t bytes : {1'000U, 32U << 20, 900'000'000U}) {
    options.max_message_bytes = bytes;
    for (const ClientRecipe& recipe : {ExtractConsumer(options, ""), IdempotentProducer(options)}) {
      Result<ClientConfig> config = ClientConfig::Make(recipe, options);
      ASSERT_TRUE(config.has_value()) << bytes << ": " << config.error().message;
      const auto client = Client::Make(*std::move(config), {}, nullptr);
      EXPECT_TRUE(client.has_value()) << bytes << ": " << client.error().message;
    }
  }
  options.max_message_bytes = 2'000'000'000;
  EXPECT_THAT(ErrorOf(IdempotentProducer(options), options), HasSubstr("message.max.bytes"));
}

TEST(ClientConfig, TheUsersPropertiesChangeDefaults) {
  KafkaOptions options;
  options.client["client.id"] = "mine";
  options.consumer["session.timeout.ms"] = "9000";
  options.producer["compression.type"] = "zstd";
  EXPECT_EQ(ClientConfig::Make(JudgeConsumer(options), options)->Value("client.id"), "mine");
  EXPECT_EQ(ClientConfig::Make(JudgeConsumer(options), options)->Value("session.timeout.ms"),
            "9000");
  EXPECT_EQ(ClientConfig::Make(IdempotentProducer(options), options)->Value("compression.type"),
            "zstd");
}

TEST(ClientConfig, TheSpecificMapComesAfterTheGeneralOne) {
  KafkaOptions options;
  options.client["client.id"] = "general";
  options.consumer["client.id"] = "specific";
  EXPECT_EQ(ClientConfig::Make(JudgeConsumer(options), options)->Value("client.id"), "specific");
  EXPECT_EQ(ClientConfig::Make(IdempotentProducer(options), options)->Value("client.id"),
            "general");
}

TEST(ClientConfig, RefusesWhatBreaksPromisesUnderAnyName) {
  const struct {
    std::string property, value, also_known_as;
  } kCases[] = {
      {"isolation.level", "read_uncommitted", "isolation.level"},
      {"enable.auto.commit", "true", "enable.auto.commit"},
      {"partition.assignment.strategy", "cooperative-sticky", "partition.assignment.strategy"},
      {"group.id", "other", "group.id"},
      {"max.partition.fetch.bytes", "1000", "fetch.message.max.bytes"},
      {"metadata.broker.list", "elsewhere:9092", "bootstrap.servers"},
  };
  for (const auto& [property, value, also_known_as] : kCases) {
    KafkaOptions options;
    options.consumer[property] = value;
    EXPECT_THAT(ErrorOf(JudgeConsumer(options), options), HasSubstr("kafka.consumer: property "))
        << property;
    EXPECT_THAT(ErrorOf(JudgeConsumer(options), options), HasSubstr(also_known_as)) << property;
  }
  KafkaOptions options;
  options.producer["request.required.acks"] = "1";
  EXPECT_THAT(ErrorOf(TransactionalProducer(options), options), HasSubstr("acks"));
  EXPECT_EQ(ErrorOf(BestEffortProducer(options), options), "");
}

TEST(ClientConfig, AllowsARequiredPropertyToBeRepeated) {
  KafkaOptions options;
  options.consumer["isolation.level"] = "read_committed";
  EXPECT_EQ(ErrorOf(JudgeConsumer(options), options), "");
}

TEST(ClientConfig, ASecretIsReadFromItsFileWheneverAClientIsMade) {
  const crawlsieve::testing::TemporaryDirectory directory;
  const std::string file = (directory.path() / "password").native();
  KafkaOptions options;
  options.client = {{"sasl.password.file", file}};
  for (const std::string& password : {std::string("first"), std::string("se cond=")}) {
    std::ofstream(file, std::ios::binary) << password << '\n';
    const auto config = ClientConfig::Make(AdminClient(options), options);
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(config->Value("sasl.password"), password);
    EXPECT_THAT(config->secrets(), ::testing::ElementsAre(password));
  }
}

TEST(ClientConfig, NamesAFileThatHoldsNoSecret) {
  const crawlsieve::testing::TemporaryDirectory directory;
  const std::string file = (directory.path() / "password").native();
  KafkaOptions options;
  options.client = {{"sasl.password.file", file}};
  EXPECT_THAT(ErrorOf(AdminClient(options), options),
              AllOf(HasSubstr("sasl.password.file"), HasSubstr(file), HasSubstr("can't be read")));
  for (const std::string& content :
       {std::string(), std::string("\n"), std::string("x\0y", 3), std::string(70'000, 'x')}) {
    std::ofstream(file, std::ios::binary) << content;
    EXPECT_THAT(ErrorOf(AdminClient(options), options), HasSubstr(file)) << content.size();
  }
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  EXPECT_THAT(ErrorOf(AdminClient(options), options), HasSubstr(file));
}

TEST(ClientConfig, OnlySecretsAreReadFromFiles) {
  KafkaOptions options;
  options.client = {{"group.id.file", "/etc/hostname"}};
  EXPECT_THAT(ErrorOf(JudgeConsumer(options), options), HasSubstr("only passwords"));
}

TEST(ClientConfig, NamesAnUnknownProperty) {
  KafkaOptions options;
  options.client["sesion.timeout.ms"] = "1";
  EXPECT_THAT(ErrorOf(JudgeConsumer(options), options),
              ::testing::AllOf(HasSubstr("kafka.client"), HasSubstr("sesion.timeout.ms")));
}

TEST(ClientConfig, NamesAPropertyWithABadValue) {
  KafkaOptions options;
  options.producer["compression.type"] = "rar";
  EXPECT_THAT(ErrorOf(IdempotentProducer(options), options),
              ::testing::AllOf(HasSubstr("kafka.producer"), HasSubstr("compression.type"),
                               HasSubstr("rar")));
}

TEST(ClientConfig, RefusesATransactionThatEndsBeforeItsMessagesDo) {
  KafkaOptions options;
  for (const char* timeout : {"15000", "20000", "0"}) {
    options.producer["message.timeout.ms"] = timeout;
    EXPECT_THAT(ErrorOf(TransactionalProducer(options), options), HasSubstr("message.timeout.ms"))
        << timeout;
  }
  options.producer["message.timeout.ms"] = "14999";
  EXPECT_EQ(ErrorOf(TransactionalProducer(options), options), "");
}

TEST(ClientConfig, TheLogsProducerIsNotGivenTheTimeLimitOfARecord) {
  for (const char* name : {"message.timeout.ms", "delivery.timeout.ms"}) {
    KafkaOptions options;
    options.producer[name] = "4000";
    EXPECT_EQ(ClientConfig::Make(IdempotentProducer(options), options)->Value("message.timeout.ms"),
              "0");
    EXPECT_EQ(LogDeliveryTimeout(options).value(), std::chrono::seconds(4));
    EXPECT_EQ(ErrorOf(TransactionalProducer(options), options), "");
  }
  EXPECT_EQ(LogDeliveryTimeout(KafkaOptions()).value(), std::chrono::minutes(5));
  KafkaOptions options;
  options.producer["message.timeout.ms"] = "soon";
  EXPECT_THAT(LogDeliveryTimeout(options).error().message, HasSubstr("message.timeout.ms"));
}

TEST(Client, PropertiesThatDontGoTogetherAreAnError) {
  KafkaOptions options;
  options.client["security.protocol"] = "ssl";
  options.client["ssl.ca.location"] = "/nonexistent/ca.pem";
  const auto producer = Producer::Make(IdempotentProducer(options), options, {}, nullptr);
  ASSERT_FALSE(producer.has_value());
  EXPECT_EQ(producer.error().code, ErrorCode::kInvalidConfig);
  EXPECT_THAT(producer.error().message, HasSubstr("ssl.ca.location"));
}

TEST(Client, LogLinesAndErrorsHoldNoSecrets) {
  Mutex mutex;
  std::vector<std::string> lines;
  ClientCallbacks callbacks;
  callbacks.log = [&](KafkaLogLevel, std::string_view line) {
    MutexLock lock(mutex);
    lines.emplace_back(line);
  };
  KafkaOptions options;
  options.bootstrap_servers = "127.0.0.1:1";
  options.client["debug"] = "all";
  options.client["security.protocol"] = "sasl_plaintext";
  options.client["sasl.mechanism"] = "PLAIN";
  options.client["sasl.username"] = "visible-user";
  options.client["sasl.password"] = "hunter2-hunter2";
  // A property that is not secret by its name and is logged with its value.
  options.client["client.id"] = "prefix-hunter2-hunter2-suffix";
  {
    const auto producer = Producer::Make(IdempotentProducer(options), options, callbacks, nullptr);
    ASSERT_TRUE(producer.has_value()) << producer.error().message;
  }
  MutexLock lock(mutex);
  ASSERT_FALSE(lines.empty());
  for (const std::string& line : lines) {
    EXPECT_THAT(line, Not(HasSubstr("hunter2-hunter2")));
  }
  EXPECT_THAT(lines, ::testing::Contains(HasSubstr("prefix-[redacted]-suffix")));
}

}  // namespace
}  // namespace crawlsieve::consumer

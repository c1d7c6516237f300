#include "consumer/kafka/consumer.h"
#include "consumer/kafka/producer.h"
#include "consumer/record_limits.h"
#include "consumer/service/extract/copy_record.h"
#include "tests/support/kafka_broker.h"
#include "tests/support/kafka_clients.h"

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;
using testing::BrokerTest;
using testing::kPatience;
using testing::MakeTopic;
using testing::TestProducer;
using testing::UniqueName;
using testing::Until;

constexpr milliseconds kStep{100};

std::unique_ptr<Consumer> ReaderOf(const KafkaOptions& options, const std::string& topic,
                                   std::int64_t offset = kOffsetBeginning) {
  auto consumer = Consumer::Make(JudgeConsumer(options), options, {});
  EXPECT_TRUE(consumer.has_value());
  EXPECT_TRUE((*consumer)->Assign({{{topic, 0}, offset}}).has_value());
  return *std::move(consumer);
}

/// The next record; fails the test where there is none in time.
std::optional<ConsumedRecord> Next(Consumer& consumer) {
  std::optional<ConsumedRecord> record;
  EXPECT_TRUE(Until([&] { return record.has_value(); },
                    [&] {
                      auto polled = consumer.Poll(kStep);
                      ASSERT_TRUE(polled.has_value()) << polled.error().message;
                      record = *std::move(polled);
                    }));
  return record;
}

void Write(const KafkaOptions& options, const std::string& topic, int first, int last) {
  TestProducer producer(IdempotentProducer(options), options);
  for (int i = first; i <= last; ++i) {
    const std::string value = std::to_string(i);
    RecordView record;
    record.topic = topic;
    record.partition = 0;
    record.value = value;
    ASSERT_TRUE(producer->Produce(record, static_cast<std::uint64_t>(i)).has_value());
  }
  ASSERT_TRUE(producer->Flush(kPatience).has_value());
}

/// Compression makes nothing smaller of it.
std::string Noise(std::size_t size) {
  std::string noise(size, '\0');
  std::uint64_t state = 17;
  for (char& c : noise) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    c = static_cast<char>(state >> 56);
  }
  return noise;
}

class KafkaClient : public BrokerTest {};

TEST_F(KafkaClient, RecordsComeBackAsTheyWere) {
  const KafkaOptions options = Options();
  const std::string topic = options.input_topics[0];
  MakeTopic(options, topic);
  const std::string binary("\0\xff\r\n", 4);
  const Timestamp time{milliseconds(1'700'000'000'123)};

  std::vector<RecordView> written(5);
  written[0].key = "key";
  written[0].value = binary;
  written[0].headers = {{"a", "1"}, {"", ""}, {"a", "2"}, {"null", std::nullopt}, {"bin", binary}};
  written[0].timestamp = time;
  written[1].key = "tombstone";
  written[2].value = "no key";
  written[3].key = "";
  written[3].value = "";
  // written[4]: nothing at all
  TestProducer producer(IdempotentProducer(options), options);
  for (std::size_t i = 0; i < written.size(); ++i) {
    written[i].topic = topic;
    written[i].partition = 0;
    ASSERT_TRUE(producer->Produce(written[i], i + 100).has_value());
  }
  ASSERT_TRUE(producer->Flush(kPatience).has_value());
  ASSERT_EQ(producer.reports.size(), written.size());

  const auto reader = ReaderOf(options, topic);
  for (std::size_t i = 0; i < written.size(); ++i) {
    SCOPED_TRACE(i);
    const std::optional<ConsumedRecord> record = Next(*reader);
    ASSERT_TRUE(record.has_value());
    EXPECT_EQ(record->topic(), topic);
    EXPECT_EQ(record->partition(), 0);
    EXPECT_EQ(record->offset(), static_cast<std::int64_t>(i));
    EXPECT_EQ(record->key(), written[i].key);
    EXPECT_EQ(record->value(), written[i].value);
    EXPECT_EQ(record->headers(), written[i].headers);
    std::size_t bytes = written[i].key.value_or("").size() + written[i].value.value_or("").size();
    for (const HeaderView& header : written[i].headers) {
      bytes += header.name.size() + header.value.value_or("").size() + kHeaderOverheadBytes;
    }
    EXPECT_EQ(record->size_bytes(), bytes);
    EXPECT_EQ(producer.reports[i].token, i + 100);
    EXPECT_EQ(producer.reports[i].offset, static_cast<std::int64_t>(i));
    EXPECT_FALSE(producer.reports[i].error.has_value());
    if (written[i].timestamp) {
      EXPECT_EQ(record->timestamp(), *written[i].timestamp);
    } else {
      EXPECT_GT(record->timestamp(), time);
    }
    const InputRecord copy = CopyRecord(*record);
    EXPECT_EQ(copy.key.has_value(), written[i].key.has_value());
    EXPECT_EQ(copy.value.has_value(), written[i].value.has_value());
    EXPECT_EQ(copy.headers.size(), written[i].headers.size());
    EXPECT_EQ(copy.timestamp, record->timestamp());
  }
  EXPECT_EQ(reader->Position({topic, 0}), 5);
}

TEST_F(KafkaClient, TheLargestRecordPassesAndALargerOneIsRefused) {
  KafkaOptions options = Options();
  options.max_message_bytes = 3'000'000;
  const std::string topic = options.input_topics[0];
  const auto admin = Admin::Make(options, {});
  ASSERT_TRUE(
      (*admin)
          ->CreateTopic(
              {topic, 1, 1, {{"max.message.bytes", std::to_string(MaxWrittenBytes(options))}}},
              kPatience)
          .has_value());
  std::string value = Noise(options.max_message_bytes);
  RecordView record;
  record.topic = topic;
  record.value = value;
  TestProducer producer(IdempotentProducer(options), options);
  ASSERT_TRUE(producer->Produce(record, 1).has_value());
  const BrokerStatus flushed = producer->Flush(kPatience);
  ASSERT_TRUE(flushed.has_value()) << flushed.error().message;
  ASSERT_FALSE(producer.reports.at(0).error.has_value()) << producer.reports.at(0).error->message;
  const auto reader = ReaderOf(options, topic);
  const auto read = Next(*reader);
  ASSERT_TRUE(read.has_value());
  EXPECT_TRUE(read->value() == value);

  value += std::string(100'000, 'x');
  record.value = value;
  const BrokerStatus refused = producer->Produce(record, 2);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().error_class, ErrorClass::kRefused);
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("max_message_bytes"));
}

TEST_F(KafkaClient, BatchesLargerThanAFetchAreReadBesideSmallOnes) {
  KafkaOptions options = Options();
  options.max_message_bytes = 5'000'000;
  const std::string topic = options.input_topics[0];
  const auto admin = Admin::Make(options, {});
  ASSERT_TRUE(
      (*admin)
          ->CreateTopic(
              {topic, 2, 1, {{"max.message.bytes", std::to_string(MaxWrittenBytes(options))}}},
              kPatience)
          .has_value());
  constexpr std::size_t kLarge = 3'000'000;
  constexpr std::size_t kSmall = 20'000;
  constexpr int kCount = 200;
  const std::string large = Noise(kLarge);
  TestProducer producer(IdempotentProducer(options), options);
  for (int i = 0; i < kCount; ++i) {
    RecordView record;
    record.topic = topic;
    record.partition = 0;
    record.value = std::string_view(large).substr(0, kSmall);
    ASSERT_TRUE(producer->Produce(record, 0).has_value());
    record.value = large;
    record.partition = 1;
    if (i % 50 == 0) {
      ASSERT_TRUE(producer->Produce(record, 0).has_value());
    }
  }
  ASSERT_TRUE(producer->Flush(kPatience).has_value());
  auto reader = Consumer::Make(ExtractConsumer(options, ""), options, {});
  ASSERT_TRUE(reader.has_value());
  ASSERT_TRUE((*reader)
                  ->Assign({{{topic, 0}, kOffsetBeginning}, {{topic, 1}, kOffsetBeginning}})
                  .has_value());
  std::map<std::size_t, int> read;  // by size
  for (int i = 0; i < kCount + kCount / 50; ++i) {
    const auto record = Next(**reader);
    ASSERT_TRUE(record.has_value());
    ++read[record->value()->size()];
  }
  EXPECT_EQ(read, (std::map<std::size_t, int>{{kSmall, kCount}, {kLarge, kCount / 50}}));
}

TEST_F(KafkaClient, ARecordLargerThanTheTopicTakesIsReported) {
  const KafkaOptions options = Options();
  const std::string topic = options.verdict_topic;
  const auto admin = Admin::Make(options, {});
  ASSERT_TRUE(
      (*admin)->CreateTopic({topic, 1, 1, {{"max.message.bytes", "1000"}}}, kPatience).has_value());
  KafkaOptions uncompressed = options;
  uncompressed.producer["compression.type"] = "none";
  TestProducer producer(BestEffortProducer(uncompressed), uncompressed);
  const std::string value(5'000, 'x');
  RecordView record;
  record.topic = topic;
  record.value = value;
  ASSERT_TRUE(producer->Produce(record, 7).has_value());
  ASSERT_TRUE(producer->Flush(kPatience).has_value());
  ASSERT_EQ(producer.reports.size(), 1U);
  ASSERT_TRUE(producer.reports[0].error.has_value());
  EXPECT_EQ(producer.reports[0].token, 7U);
  EXPECT_EQ(producer.reports[0].error->error_class, ErrorClass::kRefused);
  EXPECT_THAT(producer.reports[0].error->message, ::testing::HasSubstr(topic));
}

TEST_F(KafkaClient, AFullQueueLosesNothing) {
  KafkaOptions options = Options();
  options.producer["queue.buffering.max.messages"] = "10";
  const std::string topic = options.verdict_topic;
  MakeTopic(options, topic);
  TestProducer producer(IdempotentProducer(options), options);
  int busy = 0;
  for (int i = 0; i < 500; ++i) {
    const std::string value = std::to_string(i);
    RecordView record;
    record.topic = topic;
    record.partition = 0;
    record.value = value;
    BrokerStatus produced;
    ASSERT_TRUE(Until(
        [&] {
          produced = producer->Produce(record, static_cast<std::uint64_t>(i));
          return produced.has_value() || produced.error().error_class != ErrorClass::kBusy;
        },
        [&] {
          ++busy;
          producer->Poll(kStep);
        }));
    ASSERT_TRUE(produced.has_value()) << produced.error().message;
  }
  ASSERT_TRUE(producer->Flush(kPatience).has_value());
  EXPECT_GT(busy, 0);
  EXPECT_EQ(producer->outstanding(), 0U);
  ASSERT_EQ(producer.reports.size(), 500U);
  const std::vector<std::string> values = testing::ReadCommitted(options, topic);
  ASSERT_EQ(values.size(), 500U);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(values[i], std::to_string(i));
  }
}

TEST_F(KafkaClient, APausedPartitionIsSilentUntilItIsResumed) {
  const KafkaOptions options = Options();
  const std::string paused = UniqueName("paused");
  const std::string open = UniqueName("open");
  MakeTopic(options, paused);
  MakeTopic(options, open);
  Write(options, paused, 0, 9);
  Write(options, open, 0, 9);
  auto made = Consumer::Make(JudgeConsumer(options), options, {});
  Consumer& consumer = **made;
  ASSERT_TRUE(consumer.Assign({{{paused, 0}, kOffsetBeginning}, {{open, 0}, kOffsetBeginning}})
                  .has_value());
  std::map<std::string, std::vector<std::int64_t>, std::less<>> seen;
  const auto poll = [&] {
    auto record = consumer.Poll(kStep);
    ASSERT_TRUE(record.has_value()) << record.error().message;
    if (record->has_value()) {
      seen[std::string((*record)->topic())].push_back((*record)->offset());
    }
  };
  ASSERT_TRUE(Until([&] { return seen[paused].size() >= 3; }, poll));
  ASSERT_TRUE(consumer.Pause({{paused, 0}, {"not assigned", 7}}).has_value());
  const std::size_t before = seen[paused].size();
  Write(options, open, 10, 19);
  ASSERT_TRUE(Until([&] { return seen[open].size() == 20; }, poll));
  EXPECT_EQ(seen[paused].size(), before);
  ASSERT_TRUE(consumer.Resume({{paused, 0}, {open, 0}}).has_value());
  ASSERT_TRUE(Until([&] { return seen[paused].size() == 10; }, poll));
  // In order, none missing, none twice.
  for (const auto& [topic, offsets] : seen) {
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      EXPECT_EQ(offsets[i], static_cast<std::int64_t>(i)) << topic;
    }
  }
}

TEST_F(KafkaClient, SeekGoesBackAndForth) {
  const KafkaOptions options = Options();
  const std::string topic = options.log_topic;
  MakeTopic(options, topic);
  Write(options, topic, 0, 9);
  const auto reader = ReaderOf(options, topic);
  for (int i = 0; i < 6; ++i) {
    ASSERT_EQ(Next(*reader)->offset(), i);
  }
  for (const std::int64_t target : {2, 8, 0}) {
    const BrokerStatus sought = reader->Seek({{topic, 0}, target}, kPatience);
    ASSERT_TRUE(sought.has_value()) << sought.error().message;
    EXPECT_EQ(reader->Position({topic, 0}), target);
    EXPECT_EQ(Next(*reader)->offset(), target);
    EXPECT_EQ(Next(*reader)->offset(), target + 1);
  }
  EXPECT_FALSE(reader->Seek({{"not assigned", 0}, 0}, kPatience).has_value());
}

TEST_F(KafkaClient, WatermarksAreTheEndsOfThePartition) {
  const KafkaOptions options = Options();
  const std::string topic = options.log_topic;
  MakeTopic(options, topic);
  Write(options, topic, 0, 9);
  const auto reader = ReaderOf(options, topic);
  EXPECT_FALSE(reader->Position({topic, 0}).has_value());
  const BrokerResult<Watermarks> asked = reader->QueryWatermarks({topic, 0}, kPatience);
  ASSERT_TRUE(asked.has_value()) << asked.error().message;
  EXPECT_EQ(asked->low, 0);
  EXPECT_EQ(asked->high, 10);
  ASSERT_TRUE(Next(*reader).has_value());
  const std::optional<Watermarks> cached = reader->CachedWatermarks({topic, 0});
  ASSERT_TRUE(cached.has_value());
  EXPECT_EQ(cached->high, 10);
}

TEST_F(KafkaClient, AnOffsetThatDoesNotExistIsRefusedAndNotSkipped) {
  const KafkaOptions options = Options();
  MakeTopic(options, options.log_topic);
  Write(options, options.log_topic, 0, 4);
  const auto reader = ReaderOf(options, options.log_topic, 77);
  std::optional<BrokerError> error;
  ASSERT_TRUE(Until([&] { return error.has_value(); },
                    [&] {
                      auto polled = reader->Poll(kStep);
                      if (!polled) {
                        error = polled.error();
                      }
                    }));
  EXPECT_EQ(error->error_class, ErrorClass::kRefused) << error->message;
  EXPECT_THAT(error->message, ::testing::HasSubstr(options.log_topic));
}

TEST_F(KafkaClient, WithoutABrokerEveryCallEndsInTimeAndSaysWhy) {
  KafkaOptions options = Options();
  options.bootstrap_servers = "127.0.0.1:1";
  const milliseconds limit{500};
  const auto start = std::chrono::steady_clock::now();
  {
    auto consumer = Consumer::Make(JudgeConsumer(options), options, {});
    ASSERT_TRUE(consumer.has_value());
    ASSERT_TRUE((*consumer)->Assign({{{"log", 0}, 0}}).has_value());
    auto polled = (*consumer)->Poll(limit);
    EXPECT_TRUE(polled.has_value() && !polled->has_value());
    const auto committed = (*consumer)->Committed({{"log", 0}}, limit);
    ASSERT_FALSE(committed.has_value());
    EXPECT_EQ(committed.error().error_class, ErrorClass::kRetriable);
    EXPECT_THAT(committed.error().message, ::testing::HasSubstr("127.0.0.1:1"));
    const BrokerStatus commit = (*consumer)->Commit({{{"log", 0}, 1}}, limit);
    ASSERT_FALSE(commit.has_value());
    EXPECT_EQ(commit.error().error_class, ErrorClass::kRetriable) << commit.error().message;
    EXPECT_FALSE((*consumer)->QueryWatermarks({"log", 0}, limit).has_value());

    const auto admin = Admin::Make(options, {});
    const auto described = (*admin)->DescribeTopic("log", limit);
    ASSERT_FALSE(described.has_value());
    EXPECT_EQ(described.error().error_class, ErrorClass::kRetriable);
    EXPECT_THAT(described.error().message, ::testing::HasSubstr("127.0.0.1:1"));
    EXPECT_FALSE((*admin)->CreateTopic({"log", 1, 1, {}}, limit).has_value());
    EXPECT_FALSE((*admin)->DeleteTopic("log", limit).has_value());

    TestProducer producer(IdempotentProducer(options), options);
    RecordView record;
    record.topic = "log";
    ASSERT_TRUE(producer->Produce(record, 1).has_value());
    const BrokerStatus flushed = producer->Flush(limit);
    ASSERT_FALSE(flushed.has_value());
    EXPECT_EQ(flushed.error().error_class, ErrorClass::kRetriable);
    EXPECT_THAT(flushed.error().message, ::testing::HasSubstr("127.0.0.1:1"));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, kPatience);
}

TEST(KafkaBroker, KeepsDataAndAddressOverStopAndCrash) {
  auto started = testing::KafkaBroker::Start();
  ASSERT_TRUE(started.has_value()) << started.error().message;
  testing::KafkaBroker& broker = **started;
  KafkaOptions options;
  options.bootstrap_servers = broker.bootstrap();
  options.group = "restart";
  MakeTopic(options, "log");
  TestProducer producer(IdempotentProducer(options), options);
  const auto reader = ReaderOf(options, "log");
  std::int64_t offset = 0;
  const auto write_and_read = [&] {
    RecordView record;
    record.topic = "log";
    record.partition = 0;
    ASSERT_TRUE(producer->Produce(record, 1).has_value());
    ASSERT_TRUE(producer->Flush(kPatience).has_value());
    ASSERT_EQ(Next(*reader)->offset(), offset++);
  };
  write_and_read();
  for (const bool crash : {false, true}) {
    SCOPED_TRACE(crash ? "crash" : "stop");
    const Status ended = crash ? broker.Kill() : broker.Stop();
    ASSERT_TRUE(ended.has_value()) << ended.error().message;
    const Status again = broker.StartAgain();
    ASSERT_TRUE(again.has_value()) << again.error().message;
    EXPECT_EQ(broker.bootstrap(), options.bootstrap_servers);
    write_and_read();  // by the clients that were there before
  }
}

}  // namespace
}  // namespace crawlsieve::consumer

#include "consumer/service/extract/entry_writer.h"

#include "tests/support/kafka_clients.h"
#include "tests/support/mock_cluster.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using testing::kPatience;
using testing::MockCluster;
using testing::Request;
using testing::Until;

class EntryWriterTest : public ::testing::Test {
 protected:
  EntryWriterTest() { cluster_.CreateTopic(log_.topic, 1); }

  std::unique_ptr<EntryWriter> MakeWriter(const KafkaOptions& options) {
    auto writer = EntryWriter::Make(options, log_, {},
                                    [this](const EntryWriter::Origin& origin, std::string_view) {
                                      written_.push_back(origin.offset);
                                    });
    EXPECT_TRUE(writer.has_value()) << writer.error().message;
    return *std::move(writer);
  }

  [[nodiscard]] KafkaOptions Options(const std::string& message_timeout) const {
    KafkaOptions options = cluster_.Options();
    options.producer["linger.ms"] = "0";
    options.producer["message.timeout.ms"] = message_timeout;
    return options;
  }

  BrokerStatus Write(EntryWriter& writer, std::int64_t offset,
                     milliseconds patience = milliseconds(0)) {
    const std::string value = "entry " + std::to_string(offset);
    RecordView record;
    record.topic = log_.topic;
    record.partition = log_.partition;
    record.value = value;
    return writer.Write(record, {{"pages", 0}, 1, offset}, stop_.get_token(), patience);
  }

  MockCluster cluster_;
  const TopicPartition log_{"log", 0};
  std::stop_source stop_;
  std::vector<std::int64_t> written_;
};

TEST_F(EntryWriterTest, SaysWhatWasWritten) {
  const auto writer = MakeWriter(Options("300000"));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(Write(*writer, i).has_value());
  EXPECT_TRUE(Until([&] { return writer->outstanding() == 0; },
                    [&] { ASSERT_TRUE(writer->Poll().has_value()); }));
  ASSERT_EQ(written_.size(), 100U);
  EXPECT_TRUE(std::is_sorted(written_.begin(), written_.end()));
}

TEST_F(EntryWriterTest, TheFirstEntryIsInTheLogBeforeTheSecondIsSent) {
  const auto writer = MakeWriter(Options("300000"));
  ASSERT_TRUE(Write(*writer, 7).has_value());
  EXPECT_EQ(writer->outstanding(), 0U);
  EXPECT_THAT(written_, ::testing::ElementsAre(7));
}

TEST_F(EntryWriterTest, AnEntryThatWaitsTooLongFailsTheWriterAndNothingPassesIt) {
  const auto writer = MakeWriter(Options("3000"));
  ASSERT_TRUE(Write(*writer, 0).has_value());
  cluster_.SetBrokerDown(1);
  ASSERT_TRUE(Write(*writer, 1).has_value());
  BrokerStatus status;
  std::int64_t next = 2;
  ASSERT_TRUE(Until([&] { return !status.has_value(); },
                    [&] {
                      status = Write(*writer, next++);
                      if (status.has_value()) status = writer->Poll();
                    }));
  EXPECT_THAT(status.error().message, HasSubstr("message.timeout.ms, 3000 ms"));
  EXPECT_EQ(status.error().error_class, ErrorClass::kFatal);
  EXPECT_FALSE(writer->Poll().has_value()) << "it has failed for good";
  EXPECT_THAT(written_, ::testing::ElementsAre(0));
}

TEST_F(EntryWriterTest, AnEntryThatIsRefusedFailsTheWriter) {
  const auto writer = MakeWriter(Options("300000"));
  ASSERT_TRUE(Write(*writer, 0).has_value());
  cluster_.FailNext(Request::kProduce, {RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED});
  ASSERT_TRUE(Write(*writer, 1).has_value());
  BrokerStatus status;
  ASSERT_TRUE(Until([&] { return !status.has_value(); }, [&] { status = writer->Poll(); }));
  EXPECT_THAT(written_, ::testing::ElementsAre(0));
}

TEST_F(EntryWriterTest, AStopWaitsForTheFirstEntryNoLongerThanItsPatience) {
  cluster_.SetBrokerDown(1);
  const auto writer = MakeWriter(Options("0"));
  stop_.request_stop();
  const BrokerStatus status = Write(*writer, 0, milliseconds(100));
  ASSERT_FALSE(status.has_value());
  EXPECT_THAT(status.error().message, HasSubstr("stopping"));
}

TEST_F(EntryWriterTest, DeadLettersDontWaitForTheFirstEntry) {
  cluster_.CreateTopic("letters", 1);
  cluster_.SetBrokerDown(1);
  const auto writer = MakeWriter(Options("300000"));
  RecordView letter;
  letter.topic = "letters";
  letter.partition = 0;
  letter.value = "no page";
  ASSERT_TRUE(
      writer->Write(letter, {{"pages", 0}, 1, 0}, stop_.get_token(), milliseconds(0)).has_value());
  EXPECT_EQ(writer->outstanding(), 1U);
}

}  // namespace
}  // namespace crawlsieve::consumer

#include "consumer/service/service.h"

#include "consumer/output/verdict_record.h"
#include "consumer/pipeline/scan.h"
#include "plugin/index/sharded_index.h"
#include "tests/support/kafka_broker.h"
#include "tests/support/kafka_clients.h"
#include "tests/support/memory_reader.h"
#include "tests/support/schema.h"
#include "tests/support/temporary_directory.h"

#include <deque>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace crawlsieve::consumer {
namespace {

using testing::BrokerTest;
using ::testing::HasSubstr;
using testing::kPatience;
using testing::MemoryReader;
using testing::ReadCommitted;
using testing::TemporaryDirectory;
using testing::Until;

Result<std::unique_ptr<HammingIndex>> MakeIndex(int max_distance) {
  return ShardedIndex::Create(
      {.max_distance = max_distance, .shards = 4, .expected_entries = 1000});
}

std::string Words(int count, const std::string& stem) {
  std::string text;
  for (int i = 0; i < count; ++i) text += stem + std::to_string(i) + ' ';
  return text;
}

FileRecord Record(std::optional<std::string> key, std::optional<std::string> value) {
  FileRecord record;
  record.record.key = std::move(key);
  record.record.value = std::move(value);
  record.record.headers = {{std::string(kFetchTimeHeader), "2026-03-01T12:00:00Z"},
                           {"traceparent", "00-0af7651916cd43dd8448eb211c80319c-01"}};
  return record;
}

FileRecord Page(int number) {
  const nlohmann::json page = {
      {"url",
       "http://host" + std::to_string(number % 5) + ".example/" + std::to_string(number % 37)},
      {"content_type", "text/html"},
      {"body", "<p>" + Words(120 + number % 3, "w" + std::to_string(number % 23) + "x")},
      {"attrs", {{"number", number}}}};
  return Record(std::nullopt, page.dump());
}

/// Pages with everything in them that has a reason of its own.
std::vector<FileRecord> MixedRecords() {
  std::vector<FileRecord> records;
  for (int i = 0; i < 120; ++i) {
    records.push_back(Page(i));
    if (i % 30 == 7) records.push_back(Record("k", "json failed to parse"));
    if (i % 30 == 9) records.push_back(Record("http://host0.example/5", std::nullopt));
    if (i % 30 == 11) records.push_back(Record(std::nullopt, std::nullopt));
    if (i % 30 == 13) {
      records.push_back(
          Record(std::nullopt, R"({"url":"http://gone.example/","status_code":404})"));
    }
    if (i % 30 == 15) {
      records.push_back(Record(std::nullopt, R"({"url":"http://short.example/","body":"few"})"));
    }
  }
  return records;
}

constexpr std::size_t kMixedVerdicts = 120 + 4 * 3;
constexpr std::size_t kMixedDeadLetters = 4 * 2;

/// A verdict without what scan and run, or run and refold, may differ in.
nlohmann::json Comparable(const std::string& text) {
  nlohmann::json json = nlohmann::json::parse(text);
  json.erase("source");
  json.erase("processed_at");
  json.erase("instance");
  return json;
}

/// The service on a thread of this process.
class RunningService {
 public:
  explicit RunningService(ServiceSetup setup)
      : thread_(
            [this, setup = std::move(setup)] { ended_ = RunService(setup, stop_.get_token()); }) {}
  ~RunningService() { (void)Stop(); }

  Status Stop() {
    stop_.request_stop();
    return Join();
  }

  /// Waits for a service that is to end by itself.
  Status Join() {
    if (thread_.joinable()) thread_.join();
    return ended_;
  }

 private:
  std::stop_source stop_;
  Status ended_;
  std::thread thread_;
};

class ServiceTest : public BrokerTest {
 protected:
  void SetUp() override {
    BrokerTest::SetUp();
    if (HasFatalFailure()) return;
    setup_.kafka = Options();
    setup_.kafka.commit_interval = std::chrono::milliseconds(50);
    setup_.service.state_directory = (directory_.path() / "state").string();
    setup_.extract_stage.threads = 2;
    setup_.make_index = MakeIndex;
    setup_.http.enabled = false;
    setup_.metrics.topic = testing::UniqueName("metrics");
    setup_.metrics.interval = std::chrono::milliseconds(200);
    input_ = setup_.kafka.input_topics.front();
    testing::MakeTopic(setup_.kafka, input_);
  }

  void Feed(const std::vector<FileRecord>& records) {
    testing::TestProducer producer(IdempotentProducer(setup_.kafka), setup_.kafka);
    for (const FileRecord& file_record : records) {
      const InputRecord& input = file_record.record;
      RecordView record;
      record.topic = input_;
      record.partition = 0;
      if (input.key.has_value()) record.key = *input.key;
      if (input.value.has_value()) record.value = *input.value;
      for (const Header& header : input.headers) {
        record.headers.push_back({header.name, header.value});
      }
      ASSERT_TRUE(producer->Produce(record, 0).has_value());
    }
    ASSERT_TRUE(producer->Flush(kPatience).has_value());
  }

  /// Waits until the group has committed everything up to the end of a topic.
  void WaitForGroup(const std::string& group, const std::string& topic) {
    KafkaOptions options = setup_.kafka;
    auto consumer = Consumer::Make(
        group == "judge" ? JudgeConsumer(options) : ExtractConsumer(options, ""), options, {});
    ASSERT_TRUE(consumer.has_value()) << consumer.error().message;
    const TopicPartition partition{topic, 0};
    EXPECT_TRUE(Until(
        [&] {
          const auto end = (*consumer)->QueryWatermarks(partition, kPatience);
          const auto committed = (*consumer)->Committed({partition}, kPatience);
          return end.has_value() && committed.has_value() && end->high > 0 &&
                 committed->front() == end->high;
        },
        [] { std::this_thread::yield(); }))
        << group << " did not reach the end of " << topic;
  }

  void WaitUntilDone() {
    WaitForGroup("extract", input_);
    WaitForGroup("judge", setup_.kafka.log_topic);
  }

  void RunUntilDone() {
    RunningService service(setup_);
    WaitUntilDone();
    const Status ended = service.Stop();
    EXPECT_TRUE(ended.has_value()) << ended.error().message;
  }

  std::vector<std::string> Verdicts() {
    return ReadCommitted(setup_.kafka, setup_.kafka.verdict_topic);
  }

  /// What a scan says of the same records.
  std::vector<nlohmann::json> Scanned(const std::vector<FileRecord>& records) {
    struct Listener final : ScanListener {
      Status OnVerdict(const log::Page& page, const Verdict& verdict) override {
        verdicts.push_back(Comparable(VerdictRecord(page, verdict, {"scan", Timestamp{}})));
        return {};
      }
      Status OnDeadLetter(const std::string&, const DecodeFailure&) override { return {}; }
      Status OnCommit() override { return {}; }
      std::vector<nlohmann::json> verdicts;
    } listener;
    TemporaryDirectory directory;
    auto store = Store::Open({.directory = directory.path()});
    EXPECT_TRUE(store.has_value());
    auto detector = Detector::Open(**store, MakeIndex, SchemeOf(setup_.processor));
    EXPECT_TRUE(detector.has_value());
    MemoryReader reader;
    for (const FileRecord& record : records) reader.Add(record);
    ScanOptions options;
    options.processor = setup_.processor;
    options.judge = setup_.judge;
    EXPECT_TRUE(Scan(reader, **detector, options, listener).has_value());
    return listener.verdicts;
  }

  TemporaryDirectory directory_;
  ServiceSetup setup_;
  std::string input_;
};

std::vector<nlohmann::json> AllComparable(const std::vector<std::string>& texts) {
  std::vector<nlohmann::json> all;
  for (const std::string& text : texts) all.push_back(Comparable(text));
  return all;
}

TEST_F(ServiceTest, GivesTheVerdictsOfAScanOfTheSamePages) {
  const auto records = MixedRecords();
  Feed(records);
  RunUntilDone();
  const auto verdicts = Verdicts();
  ASSERT_EQ(verdicts.size(), kMixedVerdicts);
  EXPECT_EQ(AllComparable(verdicts), Scanned(records));
  for (const std::string& verdict : verdicts) {
    ASSERT_TRUE(ConformsTo(nlohmann::json::parse(verdict),
                           CRAWLSIEVE_SOURCE_DIR "/docs/schemas/verdict.schema.json"));
  }
}

TEST_F(ServiceTest, AtLeastOnceGivesTheSameVerdicts) {
  setup_.kafka.delivery = Delivery::kAtLeastOnce;
  const auto records = MixedRecords();
  Feed(records);
  RunUntilDone();
  EXPECT_EQ(AllComparable(Verdicts()), Scanned(records));
}

TEST_F(ServiceTest, GoesOnWhereItStopped) {
  auto records = MixedRecords();
  const std::vector<FileRecord> first(records.begin(), records.begin() + 60);
  const std::vector<FileRecord> second(records.begin() + 60, records.end());
  Feed(first);
  RunUntilDone();
  Feed(second);
  RunUntilDone();
  EXPECT_EQ(AllComparable(Verdicts()), Scanned(records));
}

TEST_F(ServiceTest, RedeliveredRecordsAreNotJudgedAgain) {
  const auto records = MixedRecords();
  Feed(records);
  RunUntilDone();
  auto consumer = Consumer::Make(ExtractConsumer(setup_.kafka, ""), setup_.kafka, {});
  ASSERT_TRUE(consumer.has_value());
  ASSERT_TRUE((*consumer)->Commit({{{input_, 0}, 0}}, kPatience).has_value());
  consumer->reset();
  RunUntilDone();
  EXPECT_EQ(Verdicts().size(), kMixedVerdicts);
  const auto metrics = ReadCommitted(setup_.kafka, setup_.metrics.topic);
  const auto total = nlohmann::json::parse(metrics.back())["counters"]["total"];
  EXPECT_EQ(total["redelivered"], records.size()) << "they did come again";
}

TEST_F(ServiceTest, LostStateIsRebuiltFromTheLogWithoutNewVerdicts) {
  const auto records = MixedRecords();
  const std::vector<FileRecord> first(records.begin(), records.begin() + 60);
  const std::vector<FileRecord> second(records.begin() + 60, records.end());
  Feed(first);
  RunUntilDone();
  std::filesystem::remove_all(setup_.service.state_directory);
  Feed(second);
  RunUntilDone();
  EXPECT_EQ(AllComparable(Verdicts()), Scanned(records));
}

TEST_F(ServiceTest, RefoldingTheLogGivesTheSameVerdictsByteForByte) {
  Feed(MixedRecords());
  RunUntilDone();
  const auto first = Verdicts();
  // Another group and another state directory, on the same log.
  ServiceSetup refold = setup_;
  refold.service.roles = {Role::kJudge};
  refold.service.state_directory = (directory_.path() / "refold").string();
  refold.kafka.group += "-refold";
  refold.kafka.verdict_topic += "-refold";
  const ServiceSetup original = std::exchange(setup_, refold);
  {
    RunningService service(setup_);
    WaitForGroup("judge", setup_.kafka.log_topic);
  }
  const auto second = Verdicts();
  setup_ = original;
  const auto strip = [](std::string text) {
    // processed_at and instance stand next to each other, before attrs.
    const auto begin = text.find("\"processed_at\"");
    return text.erase(begin, text.find("\"attrs\"") - begin);
  };
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(strip(first[i]), strip(second[i]));
}

TEST_F(ServiceTest, RecordsWithoutUrlGoToTheDeadLettersUnchanged) {
  Feed({Page(1), Record("some key", std::string("\0not json\xff", 10)), Page(2)});
  RunUntilDone();
  EXPECT_EQ(Verdicts().size(), 2U);
  const std::string topic = input_ + setup_.kafka.dead_letter_suffix;
  auto reader = Consumer::Make(JudgeConsumer(setup_.kafka), setup_.kafka, {});
  ASSERT_TRUE(reader.has_value());
  ASSERT_TRUE((*reader)->Assign({{{topic, 0}, kOffsetBeginning}}).has_value());
  std::optional<ConsumedRecord> letter;
  ASSERT_TRUE(Until([&] { return letter.has_value(); },
                    [&] {
                      auto polled = (*reader)->Poll(std::chrono::milliseconds(100));
                      ASSERT_TRUE(polled.has_value());
                      letter = std::move(*polled);
                    }));
  EXPECT_EQ(letter->key(), "some key");
  EXPECT_EQ(letter->value(), std::string_view("\0not json\xff", 10));
  std::map<std::string, std::string> headers;
  for (const HeaderView& header : letter->headers()) {
    headers[std::string(header.name)] = std::string(header.value.value_or(""));
  }
  EXPECT_EQ(headers["__crawlsieve.errors.topic"], input_);
  EXPECT_EQ(headers["__crawlsieve.errors.offset"], "1");
  EXPECT_EQ(headers["__crawlsieve.errors.stage"], "decode");
  EXPECT_EQ(headers["fetch-time"], "2026-03-01T12:00:00Z") << "the record's own headers stay";
}

TEST_F(ServiceTest, VerdictsCarryKeyAndHeaders) {
  FileRecord record = Page(1);
  record.record.key = "the key";
  Feed({record, Page(2)});
  RunUntilDone();
  auto reader = Consumer::Make(JudgeConsumer(setup_.kafka), setup_.kafka, {});
  ASSERT_TRUE(reader.has_value());
  ASSERT_TRUE((*reader)->Assign({{{setup_.kafka.verdict_topic, 0}, kOffsetBeginning}}).has_value());
  std::deque<ConsumedRecord> verdicts;
  ASSERT_TRUE(Until([&] { return verdicts.size() == 2; },
                    [&] {
                      auto polled = (*reader)->Poll(std::chrono::milliseconds(100));
                      ASSERT_TRUE(polled.has_value());
                      if (polled->has_value()) verdicts.push_back(std::move(**polled));
                    }));
  EXPECT_EQ(verdicts[0].key(), "the key");
  EXPECT_EQ(verdicts[1].key(), "http://host2.example/2");
  std::map<std::string, std::string> headers;
  for (const HeaderView& header : verdicts[0].headers()) {
    headers[std::string(header.name)] = std::string(header.value.value_or(""));
  }
  const std::map<std::string, std::string> expected = {
      {"content-type", "application/json"},
      {"crawlsieve-reason", "unique"},
      {"crawlsieve-source-offset", "0"},
      {"crawlsieve-source-partition", "0"},
      {"crawlsieve-source-topic", input_},
      {"crawlsieve-verdict", "keep"},
      {"traceparent", "00-0af7651916cd43dd8448eb211c80319c-01"}};
  EXPECT_EQ(headers, expected);
}

TEST_F(ServiceTest, ChangedParametersTakeEffectForLaterPagesAndInEveryRefold) {
  Feed({Page(1)});
  RunUntilDone();
  setup_.judge.min_features = 1000;
  Feed({Page(2)});
  RunUntilDone();
  auto verdicts = AllComparable(Verdicts());
  ASSERT_EQ(verdicts.size(), 2U);
  EXPECT_EQ(verdicts[0]["reason"], "unique");
  EXPECT_EQ(verdicts[1]["reason"], "too_short");
  EXPECT_EQ(verdicts[1]["sequence"], 4) << "parameters are entries too";
}

TEST_F(ServiceTest, MetricsRecordsConformToTheirSchemaAndAddUp) {
  Feed(MixedRecords());
  RunUntilDone();
  const auto records = ReadCommitted(setup_.kafka, setup_.metrics.topic);
  ASSERT_FALSE(records.empty());
  for (const std::string& record : records) {
    ASSERT_TRUE(ConformsTo(nlohmann::json::parse(record),
                           CRAWLSIEVE_SOURCE_DIR "/docs/schemas/metrics.schema.json"));
  }
  const auto total = nlohmann::json::parse(records.back())["counters"]["total"];
  EXPECT_EQ(total["consumed"], MixedRecords().size());
  EXPECT_EQ(total["dead_letters"], kMixedDeadLetters);
  EXPECT_EQ(total["kept"].get<std::size_t>() + total["dropped"].get<std::size_t>(), kMixedVerdicts);
}

TEST_F(ServiceTest, RefusesAStateDirectoryInUse) {
  RunningService first(setup_);
  WaitForGroup("judge", setup_.kafka.log_topic);
  const Status second = RunService(setup_, std::stop_token());
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::kBusy);
}

TEST_F(ServiceTest, RefusesAMissingInputTopic) {
  setup_.kafka.input_topics = {testing::UniqueName("nowhere")};
  const Status ended = RunService(setup_, std::stop_token());
  ASSERT_FALSE(ended.has_value());
  EXPECT_THAT(ended.error().message, HasSubstr("does not exist"));
}

TEST_F(ServiceTest, RefusesALogThatIsNotTheOneItFolded) {
  Feed(MixedRecords());
  RunUntilDone();
  // The same group and state, but a log of other entries under another name.
  setup_.kafka.log_topic += "-other";
  Feed(MixedRecords());
  const Status ended = RunService(setup_, std::stop_token());
  ASSERT_FALSE(ended.has_value());
  EXPECT_EQ(ended.error().code, ErrorCode::kMismatch) << ended.error().message;
}

TEST_F(ServiceTest, RefusesAStateWhoseGroupHasNoOffset) {
  Feed(MixedRecords());
  RunUntilDone();
  setup_.kafka.group += "-renamed";
  const Status ended = RunService(setup_, std::stop_token());
  ASSERT_FALSE(ended.has_value());
  EXPECT_EQ(ended.error().code, ErrorCode::kMismatch) << ended.error().message;
  EXPECT_THAT(ended.error().message, HasSubstr("no committed offset"));
}

TEST_F(ServiceTest, RefusesAnotherScheme) {
  Feed({Page(1)});
  RunUntilDone();
  setup_.processor.fingerprint.key = "another key";
  const Status ended = RunService(setup_, std::stop_token());
  ASSERT_FALSE(ended.has_value());
  EXPECT_EQ(ended.error().code, ErrorCode::kMismatch);
}

TEST_F(ServiceTest, RefusesALogThatSomethingElseWritesTo) {
  Feed({Page(1)});
  RunUntilDone();
  testing::TestProducer producer(IdempotentProducer(setup_.kafka), setup_.kafka);
  RecordView garbage;
  garbage.topic = setup_.kafka.log_topic;
  garbage.partition = 0;
  garbage.value = "\xff\xff not an entry";
  ASSERT_TRUE(producer->Produce(garbage, 0).has_value());
  ASSERT_TRUE(producer->Flush(kPatience).has_value());
  RunningService service(setup_);
  const Status ended = service.Join();
  ASSERT_FALSE(ended.has_value());
  EXPECT_THAT(ended.error().message, HasSubstr("not an entry"));
}

TEST_F(ServiceTest, ExtractionAloneWaitsForAJudgeAndFeedsIt) {
  const auto records = MixedRecords();
  Feed(records);
  ServiceSetup judge = setup_;
  judge.service.roles = {Role::kJudge};
  ServiceSetup extract = setup_;
  extract.service.roles = {Role::kExtract};
  RunningService judging(judge);
  WaitForGroup("judge", setup_.kafka.log_topic);  // its parameters are folded
  RunningService extracting(extract);
  WaitUntilDone();
  EXPECT_TRUE(extracting.Stop().has_value());
  EXPECT_TRUE(judging.Stop().has_value());
  EXPECT_EQ(AllComparable(Verdicts()), Scanned(records));
}

TEST_F(ServiceTest, KilledAgainAndAgainItLosesNothingAndRepeatsNothing) {
  std::vector<FileRecord> records;
  for (int i = 0; i < 600; ++i) records.push_back(Page(i));
  Feed(records);
  const std::string config = (directory_.path() / "config.yaml").string();
  {
    const nlohmann::json yaml = {{"kafka",
                                  {{"bootstrap_servers", setup_.kafka.bootstrap_servers},
                                   {"group", setup_.kafka.group},
                                   {"input", {{"topics", {input_}}}},
                                   {"log", {{"topic", setup_.kafka.log_topic}}},
                                   {"verdicts", {{"topic", setup_.kafka.verdict_topic}}},
                                   {"commit", {{"interval", "20ms"}, {"entries", "10"}}}}},
                                 {"service", {{"state_directory", setup_.service.state_directory}}},
                                 {"metrics", {{"topic", setup_.metrics.topic}}},
                                 {"http", {{"enabled", "false"}}},
                                 {"log", {{"level", "error"}}}};
    std::ofstream(config) << yaml.dump();
  }
  auto reader = Consumer::Make(JudgeConsumer(setup_.kafka), setup_.kafka, {});
  ASSERT_TRUE(reader.has_value());
  const TopicPartition verdicts{setup_.kafka.verdict_topic, 0};
  // A kill whenever that many more verdicts are there; the last process is left to finish.
  for (const std::int64_t kill_at : {30, 150, 310, -1}) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::execl(CRAWLSIEVE_PROGRAM, "crawlsieve", "run", "--config", config.c_str(), nullptr);
      ::_exit(127);
    }
    if (kill_at >= 0) {
      EXPECT_TRUE(Until(
          [&] {
            const auto ends = (*reader)->QueryWatermarks(verdicts, kPatience);
            return ends.has_value() && ends->high >= kill_at;
          },
          [] { std::this_thread::yield(); }));
    } else {
      WaitUntilDone();
    }
    ASSERT_EQ(::kill(child, kill_at >= 0 ? SIGKILL : SIGTERM), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    if (kill_at < 0) {
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    }
  }
  std::set<std::int64_t> offsets;
  std::vector<nlohmann::json> got;
  for (const std::string& text : Verdicts()) {
    const auto json = nlohmann::json::parse(text);
    EXPECT_TRUE(offsets.insert(json["source"]["offset"].get<std::int64_t>()).second)
        << "twice: " << text;
    got.push_back(Comparable(text));
  }
  EXPECT_EQ(got, Scanned(records));
}

}  // namespace
}  // namespace crawlsieve::consumer

#pragma once

#include "consumer/output/advice/site_record.h"
#include "consumer/output/scores/score_format.h"
#include "consumer/output/scores/score_record.h"
#include "consumer/output/verdict_record.h"
#include "consumer/pipeline/scan.h"
#include "consumer/service/service.h"
#include "plugin/index/sharded_index.h"
#include "plugin/log/entry.pb.h"
#include "tests/support/kafka_broker.h"
#include "tests/support/kafka_clients.h"
#include "tests/support/memory_reader.h"
#include "tests/support/schema.h"
#include "tests/support/temporary_directory.h"

#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace crawlsieve::testing {

using consumer::Consumer;
using consumer::ExtractConsumer;
using consumer::FileRecord;
using consumer::IdempotentProducer;
using consumer::InputRecord;
using consumer::JudgeConsumer;
using consumer::KafkaOptions;
using consumer::RecordView;
using consumer::ServiceSetup;
using consumer::TopicPartition;

inline Result<std::unique_ptr<HammingIndex>> MakeIndex(int max_distance) {
  return ShardedIndex::Create(
      {.max_distance = max_distance, .shards = 4, .expected_entries = 1000});
}

inline std::string Words(int count, const std::string& stem) {
  std::string text;
  for (int i = 0; i < count; ++i) text += stem + std::to_string(i) + ' ';
  return text;
}

/// When all records were fetched: an hour ago. Through Kafka a page counts as fetched within a day
/// of its record's time, so an older one would have another next fetch than in a scan.
inline const std::string& FetchedAt() {
  static const std::string text = FormatRfc3339(std::chrono::floor<std::chrono::seconds>(
      std::chrono::system_clock::now() - std::chrono::hours(1)));
  return text;
}

inline FileRecord Record(std::optional<std::string> key, std::optional<std::string> value) {
  FileRecord record;
  record.record.key = std::move(key);
  record.record.value = std::move(value);
  record.record.headers = {{std::string(consumer::kFetchTimeHeader), FetchedAt()},
                           {"traceparent", "00-0af7651916cd43dd8448eb211c80319c-01"}};
  return record;
}

inline FileRecord Page(int number) {
  const nlohmann::json page = {
      {"url",
       "http://host" + std::to_string(number % 5) + ".example/" + std::to_string(number % 37)},
      {"content_type", "text/html"},
      {"body", "<p>" + Words(120 + number % 3, "w" + std::to_string(number % 23) + "x")},
      {"attrs", {{"number", number}}}};
  return Record(std::nullopt, page.dump());
}

/// Pages with everything in them that has a reason of its own.
inline std::vector<FileRecord> MixedRecords() {
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

inline constexpr std::size_t kMixedVerdicts = 120 + 4 * 3;
inline constexpr std::size_t kMixedDeadLetters = 4 * 2;

/// A verdict without what scan and run, or run and refold, may differ in.
inline nlohmann::json Comparable(const std::string& text) {
  nlohmann::json json = nlohmann::json::parse(text);
  json.erase("source");
  json.erase("processed_at");
  json.erase("instance");
  return json;
}

/// A port that nobody listens on just now, below those that the system gives to clients.
inline std::uint16_t FreePort() {
  std::random_device random;
  for (int round = 0; round < 50; ++round) {
    const auto port = static_cast<std::uint16_t>(10'000 + random() % 22'000);
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    const bool is_free =
        ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
    ::close(socket);
    if (is_free) return port;
  }
  ADD_FAILURE() << "no free port in 50 tries";
  return 0;
}

/// The service on a thread of this process.
class RunningService {
 public:
  explicit RunningService(ServiceSetup setup)
      : thread_([this, setup = std::move(setup)] {
          ended_ = consumer::RunService(setup, stop_.get_token());
        }) {}
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

/// The service in a process of its own.
class ServiceProcess {
 public:
  explicit ServiceProcess(const std::string& config, const char* program = CRAWLSIEVE_PROGRAM) {
    pid_ = ::fork();
    if (pid_ == 0) {
      ::execl(program, "crawlsieve", "run", "--config", config.c_str(), nullptr);
      ::_exit(127);
    }
    EXPECT_GT(pid_, 0);
  }
  ~ServiceProcess() {
    if (pid_ > 0) (void)End(SIGKILL);
  }
  ServiceProcess(const ServiceProcess&) = delete;
  ServiceProcess& operator=(const ServiceProcess&) = delete;

  void Signal(int signal) const { EXPECT_EQ(::kill(pid_, signal), 0); }

  /// Waits for the end, after a signal if one is given; its status as of waitpid().
  int End(int signal = 0) {
    if (signal != 0) Signal(signal);
    int status = 0;
    EXPECT_EQ(::waitpid(pid_, &status, 0), pid_);
    pid_ = -1;
    return status;
  }

  /// Whether it is still there; its status goes to `status` when it isn't.
  [[nodiscard]] bool IsRunning(int& status) {
    if (pid_ < 0) return false;
    if (::waitpid(pid_, &status, WNOHANG) == 0) return true;
    pid_ = -1;
    return false;
  }

 private:
  pid_t pid_ = -1;
};

/// Runs the service against the shared broker, with topics and a state directory of its own.
class ServiceTest : public BrokerTest {
 protected:
  void SetUp() override {
    BrokerTest::SetUp();
    if (HasFatalFailure()) return;
    setup_.kafka = Options();
    setup_.kafka.commit_interval = std::chrono::milliseconds(50);
    setup_.kafka.key_topic = UniqueName("key");
    setup_.processor.fingerprint.key = "the key of all tests, which nobody guesses";
    setup_.service.state_directory = (directory_.path() / "state").string();
    setup_.extract_stage.threads = 2;
    setup_.make_index = MakeIndex;
    setup_.http.enabled = false;
    setup_.metrics.topic = UniqueName("metrics");
    setup_.metrics.interval = std::chrono::milliseconds(200);
    input_ = setup_.kafka.input_topics.front();
    MakeTopic(setup_.kafka, input_);
  }

  /// To the partitions of the input topic in turn.
  void Feed(const std::vector<FileRecord>& records, int partitions = 1) {
    std::int32_t partition = 0;
    TestProducer producer(IdempotentProducer(setup_.kafka), setup_.kafka);
    for (const FileRecord& file_record : records) {
      const InputRecord& input = file_record.record;
      RecordView record;
      record.topic = input_;
      record.partition = partition++ % partitions;
      if (input.key.has_value()) record.key = *input.key;
      if (input.value.has_value()) record.value = *input.value;
      for (const consumer::Header& header : input.headers) {
        record.headers.push_back({header.name, header.value});
      }
      ASSERT_TRUE(producer->Produce(record, 0).has_value());
    }
    ASSERT_TRUE(producer->Flush(kPatience).has_value());
  }

  /// Waits until the group has committed everything up to the end of a topic, which has records in
  /// each of its partitions.
  void WaitForGroup(const std::string& group, const std::string& topic, int partitions = 1) {
    KafkaOptions options = setup_.kafka;
    auto consumer = Consumer::Make(
        group == "judge" ? JudgeConsumer(options) : ExtractConsumer(options, ""), options, {});
    ASSERT_TRUE(consumer.has_value()) << consumer.error().message;
    for (std::int32_t i = 0; i < partitions; ++i) {
      const TopicPartition partition{topic, i};
      EXPECT_TRUE(Until(
          [&] {
            const auto end = (*consumer)->QueryWatermarks(partition, kPatience);
            const auto committed = (*consumer)->Committed({partition}, kPatience);
            return end.has_value() && committed.has_value() && end->high > 0 &&
                   committed->front() == end->high;
          },
          [] { std::this_thread::yield(); }))
          << group << " did not reach the end of " << topic << " " << i;
    }
  }

  /// Waits until the log has so many entries with parameters. Others may come at any time: extract
  /// processes say where they begin.
  void WaitForParameters(int times) {
    auto consumer = Consumer::Make(JudgeConsumer(setup_.kafka), setup_.kafka, {});
    ASSERT_TRUE(consumer.has_value()) << consumer.error().message;
    ASSERT_TRUE((*consumer)
                    ->Assign({{{setup_.kafka.log_topic, 0}, consumer::kOffsetBeginning}})
                    .has_value());
    int seen = 0;
    EXPECT_TRUE(Until([&] { return seen == times; },
                      [&] {
                        const auto polled = (*consumer)->Poll(std::chrono::milliseconds(100));
                        if (!polled.has_value() || !polled->has_value()) return;
                        log::Entry entry;
                        ASSERT_TRUE(entry.ParseFromString(std::string((*polled)->value().value())));
                        seen += static_cast<int>(entry.has_parameters());
                      }))
        << "of " << times << " entries with parameters the log never had more than " << seen;
  }

  /// Whether everything fed so far is judged.
  bool IsDone() {
    const auto at_end = [&](const consumer::ClientRecipe& recipe, const std::string& topic) {
      auto consumer = Consumer::Make(recipe, setup_.kafka, {});
      const TopicPartition partition{topic, 0};
      const auto end = (*consumer)->QueryWatermarks(partition, kPatience);
      const auto committed = (*consumer)->Committed({partition}, kPatience);
      return end.has_value() && committed.has_value() && end->high > 0 &&
             committed->front() == end->high;
    };
    return at_end(ExtractConsumer(setup_.kafka, ""), input_) &&
           at_end(JudgeConsumer(setup_.kafka), setup_.kafka.log_topic);
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

  /// A configuration file for a ServiceProcess; `changes` is merged over what setup_ says.
  std::string WriteConfig(const std::string& name, const nlohmann::json& changes = {}) {
    nlohmann::json yaml = {{"kafka",
                            {{"bootstrap_servers", setup_.kafka.bootstrap_servers},
                             {"group", setup_.kafka.group},
                             {"input", {{"topics", {input_}}}},
                             {"log", {{"topic", setup_.kafka.log_topic}}},
                             {"key", {{"topic", setup_.kafka.key_topic}}},
                             {"verdicts", {{"topic", setup_.kafka.verdict_topic}}},
                             {"commit", {{"interval", "20ms"}, {"entries", "10"}}}}},
                           {"service", {{"state_directory", setup_.service.state_directory}}},
                           {"fingerprint", {{"key", setup_.processor.fingerprint.key}}},
                           {"metrics", {{"topic", setup_.metrics.topic}}},
                           {"http", {{"enabled", "false"}}},
                           {"log", {{"level", "error"}}}};
    if (!changes.is_null()) yaml.merge_patch(changes);
    std::string path = (directory_.path() / (name + ".yaml")).string();
    std::ofstream(path) << yaml.dump();
    return path;
  }

  std::vector<std::string> Verdicts() {
    return ReadCommitted(setup_.kafka, setup_.kafka.verdict_topic);
  }

  std::vector<std::string> Scores() {
    return ReadCommitted(setup_.kafka, setup_.kafka.score_topic);
  }

  /// What a scan says of the same records.
  std::vector<nlohmann::json> Scanned(const std::vector<FileRecord>& records) {
    return Scan(records).verdicts;
  }

  struct ScanOutput final : consumer::ScanListener {
    Status OnVerdict(const log::Page& page, const Verdict& verdict) override {
      verdicts.push_back(Comparable(consumer::VerdictRecord(page, verdict, {"scan", Timestamp{}})));
      return {};
    }
    [[nodiscard]] bool takes_scores() const override { return true; }
    Status OnScores(std::span<const UrlScore> of_page) override {
      for (const UrlScore& score : of_page) {
        scores.push_back(consumer::UrlScoreRecord(score));
        for (const consumer::ScoreFormat& format : consumer::ScoreFormats()) {
          for (consumer::RenderedScore& of_format : format.render(score)) {
            rendered[std::string(format.name)].push_back(std::move(of_format.value));
          }
        }
      }
      return {};
    }
    Status OnDeadLetter(const std::string&, const consumer::DecodeFailure&) override { return {}; }
    Status OnCommit() override { return {}; }

    std::vector<nlohmann::json> verdicts;
    std::vector<std::string> scores;
    std::map<std::string, std::vector<std::string>> rendered;  // values, by format
  };

  /// Folds the admission log. `see` gets each entry and what it came to.
  void FoldTheLog(const std::function<void(Detector&, const log::Entry&, const Folded&)>& see) {
    TemporaryDirectory directory;
    auto store = Store::Open({.directory = directory.path()});
    auto detector = Detector::Open(**store, MakeIndex, consumer::SchemeOf(setup_.processor));
    for (const std::string& bytes : ReadCommitted(setup_.kafka, setup_.kafka.log_topic)) {
      log::Entry entry;
      EXPECT_TRUE(entry.ParseFromString(bytes));
      const auto folded = (*detector)->Fold(entry);
      ASSERT_TRUE(folded.has_value()) << folded.error().message;
      see(**detector, entry, *folded);
    }
  }

  /// What a fold of the admission log tells of sites.
  std::vector<std::string> SiteRecordsOfTheLog() {
    std::vector<std::string> records;
    FoldTheLog([&](Detector& detector, const log::Entry&, const Folded&) {
      const auto all = detector.NewsOfSites();
      EXPECT_TRUE(all.has_value());
      for (const SiteNews& news : *all) {
        records.push_back(news.report.has_value() ? consumer::SiteRecord(*news.report) : "");
      }
    });
    return records;
  }

  ScanOutput Scan(const std::vector<FileRecord>& records) {
    ScanOutput listener;
    TemporaryDirectory directory;
    auto store = Store::Open({.directory = directory.path()});
    EXPECT_TRUE(store.has_value());
    auto detector = Detector::Open(**store, MakeIndex, consumer::SchemeOf(setup_.processor));
    EXPECT_TRUE(detector.has_value());
    MemoryReader reader;
    for (const FileRecord& record : records) reader.Add(record);
    consumer::ScanOptions options;
    options.processor = setup_.processor;
    options.judge = setup_.judge;
    EXPECT_TRUE(consumer::Scan(reader, **detector, options, listener).has_value());
    return listener;
  }

  TemporaryDirectory directory_;
  ServiceSetup setup_;
  std::string input_;
};

inline std::vector<nlohmann::json> AllComparable(const std::vector<std::string>& texts) {
  std::vector<nlohmann::json> all;
  for (const std::string& text : texts) all.push_back(Comparable(text));
  return all;
}

}  // namespace crawlsieve::testing

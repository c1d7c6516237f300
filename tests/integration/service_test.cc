#include "consumer/record_limits.h"
#include "consumer/status/status_report.h"
#include "tests/integration/service_fixture.h"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using testing::AllComparable;
using testing::Comparable;
using testing::FetchedAt;
using ::testing::HasSubstr;
using testing::kMixedDeadLetters;
using testing::kMixedVerdicts;
using testing::kPatience;
using testing::MixedRecords;
using testing::Page;
using testing::ReadCommitted;
using testing::Record;
using testing::RunningService;
using testing::ServiceProcess;
using testing::ServiceTest;
using testing::UniqueName;
using testing::Until;

/// Pages of five hosts that link to each other and to pages that nobody fetches.
std::vector<FileRecord> LinkedRecords() {
  std::vector<FileRecord> records;
  for (int i = 0; i < 400; ++i) {
    const nlohmann::json page = {
        {"url", "http://host" + std::to_string(i % 5) + ".example/page/" + std::to_string(i % 50)},
        {"content_type", "text/html"},
        {"body", "<p>" + testing::Words(120, "w" + std::to_string(i % 40) + "x") +
                     "<a href=/page/" + std::to_string((i + 7) % 60) +
                     ">next</a><a href=/list?sort=" + std::to_string(i % 3) + ">list</a>"}};
    records.push_back(Record(std::nullopt, page.dump()));
  }
  return records;
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

TEST_F(ServiceTest, GivesTheScoresOfAScanOfTheSamePages) {
  setup_.kafka.score_topic = UniqueName("scores");
  setup_.processor.max_links = 20;
  setup_.judge.sites.max = 1000;
  const auto records = LinkedRecords();
  Feed(records);
  RunUntilDone();
  const auto scores = Scores();
  const auto scanned = Scan(records);
  EXPECT_EQ(scores, scanned.scores);
  EXPECT_EQ(AllComparable(Verdicts()), scanned.verdicts);
  EXPECT_GT(scores.size(), records.size()) << "of the pages, and of what they link to";
  for (const std::string& score : scores) {
    ASSERT_TRUE(ConformsTo(nlohmann::json::parse(score),
                           CRAWLSIEVE_SOURCE_DIR "/docs/schemas/url_score.schema.json"));
  }
}

TEST_F(ServiceTest, RendersTheScoresForEachFrontierThatIsConfigured) {
  // Without a topic of scores as they are.
  for (const ScoreFormat& format : ScoreFormats()) {
    setup_.kafka.rendered_topics.push_back(
        {std::string(format.name), UniqueName(std::string(format.name))});
  }
  setup_.processor.max_links = 20;
  setup_.judge.sites.max = 1000;
  const auto records = LinkedRecords();
  Feed(records);
  RunUntilDone();
  auto scanned = Scan(records);
  std::size_t formats = 0;
  for (const RenderedTopic& rendered : setup_.kafka.rendered_topics) {
    const std::vector<std::string>& expected = scanned.rendered[rendered.format];
    EXPECT_EQ(ReadCommitted(setup_.kafka, rendered.topic), expected) << rendered.format;
    formats += expected.size() > records.size() / 4 ? 1 : 0;
  }
  EXPECT_GE(formats, ScoreFormats().size() - 1) << "Browsertrix's takes URLs of named crawls alone";
}

TEST_F(ServiceTest, PublishesWhatAFoldOfTheLogLearnsOfSites) {
  setup_.kafka.site_topic = UniqueName("sites");
  setup_.judge.sites.max = 1000;
  Feed(LinkedRecords());
  RunUntilDone();
  const auto records = ReadCommitted(setup_.kafka, setup_.kafka.site_topic);
  ASSERT_GE(records.size(), 5U) << "one of each of five hosts with 80 visits";
  for (const std::string& record : records) {
    ASSERT_TRUE(ConformsTo(nlohmann::json::parse(record),
                           CRAWLSIEVE_SOURCE_DIR "/docs/schemas/site.schema.json"));
  }
  EXPECT_EQ(records, SiteRecordsOfTheLog());
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
  EXPECT_EQ(headers["fetch-time"], FetchedAt()) << "the record's own headers stay";
}

// Gumbo's assertion would end the process, and each such page would cost a restart.
TEST_F(ServiceTest, PagesThatBreakTheParserAreJudgedByAProcessThatGoesOn) {
  constexpr int kPages = 11'000;
  std::vector<FileRecord> records;
  for (int i = 0; i < kPages; ++i) {
    const std::string body = i % 11 == 5
                                 ? "<table><math><th><mo><select></table>" + std::to_string(i)
                                 : "<p>" + testing::Words(30, "w" + std::to_string(i) + "x");
    const nlohmann::json page = {{"url", "http://host.example/" + std::to_string(i)},
                                 {"content_type", "text/html"},
                                 {"body", body}};
    records.push_back(Record(std::nullopt, page.dump()));
  }
  Feed(records);
  ServiceProcess service(WriteConfig(
      "run", {{"kafka", {{"commit", {{"entries", "1000"}}}}}, {"extract", {{"parser", "gumbo"}}}}));
  WaitUntilDone();
  int status = 0;
  EXPECT_TRUE(service.IsRunning(status)) << status;
  service.End(SIGTERM);
  std::map<std::string, int> reasons;
  for (const std::string& text : Verdicts()) {
    const nlohmann::json verdict = nlohmann::json::parse(text);
    const nlohmann::json& detail = verdict.at("detail");
    ++reasons[detail.is_null() ? verdict.at("reason") : detail];
  }
  EXPECT_EQ(reasons, (std::map<std::string, int>{{"parser_error", kPages / 11},
                                                 {"unique", kPages - kPages / 11}}));
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
  {
    RunningService service(setup_);
    WaitForParameters(2);  // extract processes don't wait for the new ones
    Feed({Page(2)});
    WaitUntilDone();
    EXPECT_TRUE(service.Stop().has_value());
  }
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

TEST_F(ServiceTest, RefusesALogThatIsNotTheOneItFolded) {
  Feed(MixedRecords());
  RunUntilDone();
  // The same group and state, but a log of other entries under another name.
  setup_.kafka.log_topic += "-other";
  Feed(MixedRecords());
  const Status ended = RunService(setup_, std::stop_token());
  ASSERT_FALSE(ended.has_value());
  EXPECT_THAT(ended.error().message, HasSubstr("another deployment's admission log"));
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

TEST_F(ServiceTest, RefusesALogWithAnOffsetMissing) {
  Feed({Page(1)});
  RunUntilDone();
  // The end of a transaction takes an offset and is no record. The log has none of its own.
  KafkaOptions foreign = setup_.kafka;
  foreign.group += "-foreign";
  testing::TestProducer producer(TransactionalProducer(foreign), foreign);
  ASSERT_TRUE(producer->InitTransactions(kPatience).has_value());
  ASSERT_TRUE(producer->BeginTransaction().has_value());
  RecordView record;
  record.topic = setup_.kafka.log_topic;
  record.partition = 0;
  ASSERT_TRUE(producer->Produce(record, 0).has_value());
  ASSERT_TRUE(producer->Flush(kPatience).has_value());
  ASSERT_TRUE(producer->AbortTransaction().has_value());
  Feed({Page(2)});
  RunningService service(setup_);
  const Status ended = service.Join();
  ASSERT_FALSE(ended.has_value());
  EXPECT_EQ(ended.error().code, ErrorCode::kCorruption);
  EXPECT_THAT(ended.error().message, HasSubstr("goes on with offset 4 where 2 was expected"));
  EXPECT_EQ(Verdicts().size(), 1U);
}

TEST_F(ServiceTest, CountsEntriesOfAnEarlierGenerationByThemselves) {
  setup_.kafka.input_generation = 2;
  Feed({Page(1), Page(2)});
  RunUntilDone();
  setup_.kafka.input_generation = 1;
  Feed({Page(3), Page(4), Page(5)});
  RunUntilDone();
  const auto metrics = ReadCommitted(setup_.kafka, setup_.metrics.topic);
  const auto total = nlohmann::json::parse(metrics.back())["counters"]["total"];
  EXPECT_EQ(total["stale_generation"], 4) << "three, and the last one before them again";
  EXPECT_EQ(total["ran_ahead"], 0);
  EXPECT_EQ(Verdicts().size(), 2U);
}

/// What a Kafka topic takes at most if nobody says otherwise, less what is around one record.
constexpr std::size_t kLargestRecord = 1'048'588 - 128;

TEST_F(ServiceTest, LargestRecordsPassWithTheirWorstCaseExpansions) {
  setup_.kafka.max_message_bytes = 1 << 20;
  setup_.kafka.pass_headers = true;
  setup_.processor.pass_headers = true;
  const std::string url = "http://a.example/" + std::string(kMaxUrlBytes - 17, '\x01');
  nlohmann::json page = {{"url", url},
                         {"final_url", url},
                         {"id", std::string(kMaxIdBytes, '\x01')},
                         {"crawl_id", std::string(kMaxIdBytes, '\x01')},
                         {"attrs", std::string(kMaxAttrsBytes - 2, 'a')},
                         {"content_type", "text/html"},
                         {"body", "<p>" + testing::Words(200, "word")}};
  // Two of the same content, so that the second one's verdict names the first.
  auto first = Record(std::string(kMaxKeyBytes, 'k'), page.dump());
  first.record.headers.push_back({"large", std::string(60'000, 'h')});
  auto second = first;
  page["url"] = url.substr(0, url.size() - 1) + "2";
  page["final_url"] = page["url"];
  second.record.value = page.dump();
  // Too long for the verdict in everything but the URL.
  page = {{"url", "http://b.example/"},
          {"id", std::string(kMaxIdBytes + 1, 'i')},
          {"attrs", std::string(kLargestRecord - 300'000, 'a')}};
  auto third = Record(std::string(kMaxKeyBytes + 1, 'k'), page.dump());
  third.record.headers.push_back({"large", std::string(kMaxHeaderBytes, 'h')});
  Feed({first, second, third, Page(1)});
  RunUntilDone();
  const auto verdicts = Verdicts();
  ASSERT_EQ(verdicts.size(), 4U);
  EXPECT_EQ(nlohmann::json::parse(verdicts[1])["reason"], "exact_duplicate");
  EXPECT_EQ(nlohmann::json::parse(verdicts[1])["match"]["url"], url);
  const auto omitted = nlohmann::json::parse(verdicts[2])["omitted"];
  EXPECT_EQ(omitted, nlohmann::json({"key", "headers", "id", "attrs"}));
  EXPECT_EQ(nlohmann::json::parse(verdicts[3])["omitted"], nlohmann::json::array());
}

TEST_F(ServiceTest, TheLargestRecordIsADeadLetterOrItsHeadersAre) {
  setup_.kafka.max_message_bytes = 1 << 20;
  const std::string key = "the key";
  const std::string garbage(kLargestRecord - key.size(), '{');
  auto record = Record(key, garbage);
  record.record.headers.clear();
  Feed({record, Page(1)});
  RunUntilDone();
  const std::string letters = input_ + setup_.kafka.dead_letter_suffix;
  const auto whole = ReadCommitted(setup_.kafka, letters);
  ASSERT_EQ(whole.size(), 1U);
  EXPECT_TRUE(whole[0] == garbage);

  // A topic that takes no more than the input does has no room for the headers besides.
  setup_.kafka.input_topics = {testing::UniqueName("pages")};
  input_ = setup_.kafka.input_topics.front();
  testing::MakeTopic(setup_.kafka, input_);
  testing::MakeTopic(setup_.kafka, input_ + setup_.kafka.dead_letter_suffix);
  Feed({record, Page(2)});
  RunUntilDone();
  const auto cut = ReadCommitted(setup_.kafka, input_ + setup_.kafka.dead_letter_suffix);
  EXPECT_EQ(cut, std::vector<std::string>{"(null)"});
  EXPECT_EQ(Verdicts().size(), 2U);
}

TEST_F(ServiceTest, RefusesTopicsThatDoNotTakeWhatIsWritten) {
  const auto admin = Admin::Make(setup_.kafka, {});
  ASSERT_TRUE(admin.has_value());
  const auto made = (*admin)->CreateTopic(
      {setup_.kafka.verdict_topic, 1, 1, {{"max.message.bytes", "70000"}}}, kPatience);
  ASSERT_TRUE(made.has_value());
  const Status ended = RunService(setup_, std::stop_token());
  ASSERT_FALSE(ended.has_value());
  EXPECT_THAT(ended.error().message, HasSubstr("max.message.bytes=70000"));
}

TEST_F(ServiceTest, RefusesAnInputTopicWithLargerRecordsThanItReads) {
  setup_.kafka.max_message_bytes = 64 << 10;
  const Status ended = RunService(setup_, std::stop_token());
  ASSERT_FALSE(ended.has_value());
  EXPECT_THAT(ended.error().message, HasSubstr("raise that, or lower the topic's"));
}

TEST_F(ServiceTest, IsReadyOnlyWhileTheBrokerAnswers) {
  setup_.http.enabled = true;
  setup_.http.port = testing::FreePort();
  RunningService service(setup_);
  httplib::Client http("127.0.0.1", setup_.http.port);
  const auto status = [&] {
    const auto answer = http.Get("/readyz");
    return answer ? answer->status : 0;
  };
  const auto becomes = [&](int wanted) {
    return Until([&] { return status() == wanted; },
                 [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
  };
  EXPECT_TRUE(becomes(200));
  ASSERT_TRUE(broker().Kill().has_value());
  EXPECT_TRUE(becomes(503)) << "still ready without a broker";
  ASSERT_TRUE(broker().StartAgain().has_value());
  EXPECT_TRUE(becomes(200)) << "the broker came back";
  Feed({Page(1)});
  WaitUntilDone();
  EXPECT_TRUE(service.Stop().has_value());
}

TEST_F(ServiceTest, ItsStatusHasTheFiguresOfItsVerdicts) {
  setup_.http.enabled = true;
  setup_.http.port = testing::FreePort();
  setup_.index_expected_entries = 1000;
  Feed(MixedRecords());
  RunningService service(setup_);
  WaitUntilDone();
  std::map<std::string, std::uint64_t> by_reason;
  std::uint64_t duplicates = 0;
  for (const std::string& text : Verdicts()) {
    const std::string reason = nlohmann::json::parse(text)["reason"];
    ++by_reason[reason];
    if (reason == "exact_duplicate" || reason == "near_duplicate") ++duplicates;
  }
  ASSERT_GT(by_reason["near_duplicate"], 0U);

  httplib::Client http("127.0.0.1", setup_.http.port);
  // The reader of the verdicts may be ahead of the judge, which reports behind the commit.
  std::optional<consumer::StatusReport> report;
  EXPECT_TRUE(Until(
      [&] {
        const auto answer = http.Get("/status.json");
        if (!answer) return false;
        auto read = consumer::StatusFromJson(answer->body);
        if (!read) return false;
        report = std::move(*read);
        return report->host_duplicates == duplicates && report->lag_records() == 0U;
      },
      [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }));
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->StateName(), "ready");
  EXPECT_FALSE(report->restore.has_value());
  EXPECT_TRUE(report->log_clock.has_value());
  EXPECT_TRUE(report->memory.has_value());
  EXPECT_EQ(report->index->expected_entries, 1000U);
  std::uint64_t of_hosts = 0;
  for (const auto& host : report->hosts) of_hosts += host.duplicates;
  EXPECT_EQ(of_hosts, duplicates);
  ASSERT_FALSE(report->pairs.empty());
  for (const auto& pair : report->pairs) {
    EXPECT_THAT(pair.url, ::testing::StartsWith("http://host"));
    EXPECT_THAT(pair.match_url, ::testing::StartsWith("http://host"));
    EXPECT_GT(pair.similarity, 0.5);
    EXPECT_GT(pair.words, 100U);
  }
  std::uint64_t near_duplicates = 0;
  for (const std::uint64_t count : report->distances) near_duplicates += count;
  EXPECT_EQ(near_duplicates, by_reason["near_duplicate"]);
  const auto page = http.Get("/");
  ASSERT_TRUE(page);
  EXPECT_THAT(page->body, HasSubstr("host0.example"));

  // The mix is of the samples, one every five seconds.
  const auto total_of = [&](const std::string& reason) -> std::uint64_t {
    for (const auto& mix : report->mix) {
      if (mix.reason == reason) return mix.total;
    }
    return 0;
  };
  EXPECT_TRUE(Until(
      [&] {
        const auto answer = http.Get("/status.json");
        if (answer) report = consumer::StatusFromJson(answer->body).value_or(*report);
        return report->mix.size() == by_reason.size();
      },
      [] { std::this_thread::sleep_for(std::chrono::milliseconds(100)); }));
  for (const auto& [reason, count] : by_reason) EXPECT_EQ(total_of(reason), count) << reason;
  EXPECT_TRUE(service.Stop().has_value());
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
  setup_.kafka.score_topic = UniqueName("scores");
  const std::string rendered = UniqueName("rendered");
  const std::string config = WriteConfig(
      "config", {{"kafka",
                  {{"scores",
                    {{"topic", setup_.kafka.score_topic},
                     {"rendered", nlohmann::json::array({"urlfrontier_json " + rendered})}}}}}});
  auto reader = Consumer::Make(JudgeConsumer(setup_.kafka), setup_.kafka, {});
  ASSERT_TRUE(reader.has_value());
  const TopicPartition verdicts{setup_.kafka.verdict_topic, 0};
  // A kill whenever that many more verdicts are there; the last process is left to finish.
  for (const std::int64_t kill_at : {30, 150, 310, -1}) {
    ServiceProcess service(config);
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
    const int status = service.End(kill_at >= 0 ? SIGKILL : SIGTERM);
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
  const auto scanned = Scan(records);
  EXPECT_EQ(got, scanned.verdicts);
  EXPECT_EQ(Scores(), scanned.scores) << "they are in the verdicts' transactions";
  EXPECT_EQ(ReadCommitted(setup_.kafka, rendered), scanned.rendered.at("urlfrontier_json"))
      << "so are these";
}

}  // namespace
}  // namespace crawlsieve::consumer

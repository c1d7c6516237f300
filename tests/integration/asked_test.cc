// URLs whose scores a frontier asks for, through the brokers and over HTTP.
#include "consumer/observability/http_client.h"
#include "consumer/output/scores/score_record.h"
#include "tests/integration/service_fixture.h"
#include "tests/support/schema.h"

#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

namespace crawlsieve::testing {
namespace {

using ::testing::HasSubstr;

class AskedTest : public ServiceTest {
 protected:
  void SetUp() override {
    ServiceTest::SetUp();
    if (HasFatalFailure()) return;
    setup_.kafka.score_topic = UniqueName("scores");
    setup_.kafka.asked_topic = UniqueName("asked");
    setup_.judge.sites.max = 1000;
    MakeTopic(setup_.kafka, setup_.kafka.asked_topic);
  }

  void Ask(const std::vector<std::string>& questions) {
    TestProducer producer(IdempotentProducer(setup_.kafka), setup_.kafka);
    for (const std::string& question : questions) {
      RecordView record;
      record.topic = setup_.kafka.asked_topic;
      record.key = "the frontier's";
      record.value = question;
      ASSERT_TRUE(producer->Produce(record, 0).has_value());
    }
    ASSERT_TRUE(producer->Flush(kPatience).has_value());
  }

  void WaitUntilAllIsDone() {
    WaitForGroup("extract", input_);
    WaitForGroup("extract", setup_.kafka.asked_topic);
    WaitForGroup("judge", setup_.kafka.log_topic);
  }

  /// What a fold of the admission log says of scores.
  std::vector<std::string> ScoresOfTheLog() {
    std::vector<std::string> records;
    FoldTheLog([&](Detector& detector, const log::Entry& entry, const Folded& folded) {
      if (folded.outcome == FoldOutcome::kQuestion) {
        const auto answer = detector.AnswerTo(entry.question());
        EXPECT_TRUE(answer.has_value());
        records.push_back(consumer::UrlScoreRecord(*answer));
        ++questions_;
      }
      if (!folded.verdict.has_value()) return;
      const auto scores = detector.ScoresOf(entry.page(), *folded.verdict);
      EXPECT_TRUE(scores.has_value());
      for (const UrlScore& score : *scores) {
        records.push_back(consumer::UrlScoreRecord(score));
      }
    });
    return records;
  }

  int questions_ = 0;
};

struct Output {
  int exit_code = -1;
  std::string text;
};

/// Runs the program, with what it says on standard output.
Output RunProgram(const std::string& arguments) {
  Output output;
  std::FILE* const pipe =
      popen(fmt::format("{} {} 2>/dev/null", CRAWLSIEVE_PROGRAM, arguments).c_str(), "r");
  if (pipe == nullptr) return output;
  char buffer[4096];
  for (std::size_t count = 0; (count = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;) {
    output.text.append(buffer, count);
  }
  const int status = pclose(pipe);
  output.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return output;
}

std::string QuestionAbout(int i) {
  return fmt::format(R"({{"url": "http://asked.example/{}", "depth": {}}})", i, i % 7);
}

TEST_F(AskedTest, EachQuestionIsAnsweredOnceThroughKills) {
  std::vector<FileRecord> records;
  std::vector<std::string> questions;
  for (int i = 0; i < 400; ++i) records.push_back(Page(i));
  for (int i = 0; i < 400; ++i) questions.push_back(QuestionAbout(i));
  Feed(records);
  Ask(questions);
  const std::string config =
      WriteConfig("config", {{"kafka",
                              {{"scores", {{"topic", setup_.kafka.score_topic}}},
                               {"asked", {{"topic", setup_.kafka.asked_topic}}}}},
                             {"judge", {{"sites", {{"max", 1000}}}}}});
  auto reader = Consumer::Make(JudgeConsumer(setup_.kafka), setup_.kafka, {});
  ASSERT_TRUE(reader.has_value());
  const TopicPartition scores{setup_.kafka.score_topic, 0};
  for (const std::int64_t kill_at : {40, 200, 500, -1}) {
    ServiceProcess service(config);
    if (kill_at >= 0) {
      EXPECT_TRUE(Until(
          [&] {
            const auto ends = (*reader)->QueryWatermarks(scores, kPatience);
            return ends.has_value() && ends->high >= kill_at;
          },
          [] { std::this_thread::yield(); }));
    } else {
      WaitUntilAllIsDone();
    }
    service.End(kill_at >= 0 ? SIGKILL : SIGTERM);
  }
  const std::vector<std::string> published = Scores();
  EXPECT_EQ(published, ScoresOfTheLog()) << "byte for byte";
  EXPECT_EQ(questions_, 400);
  std::multiset<std::string> asked;
  for (const std::string& text : published) {
    const auto json = nlohmann::json::parse(text);
    ASSERT_TRUE(ConformsTo(json, CRAWLSIEVE_SOURCE_DIR "/docs/schemas/url_score.schema.json"));
    const std::string url = json["url"];
    if (url.starts_with("http://asked.example/")) asked.insert(url);
  }
  EXPECT_EQ(asked.size(), 400U);
  EXPECT_EQ(std::set<std::string>(asked.begin(), asked.end()).size(), 400U) << "none twice";
}

TEST_F(AskedTest, VerdictsAreTheSameWithQuestionsBetweenThem) {
  const auto records = MixedRecords();
  Feed(records);
  std::vector<std::string> questions;
  for (int i = 0; i < 50; ++i) questions.push_back(QuestionAbout(i));
  questions.emplace_back("no question");
  Ask(questions);
  {
    RunningService service(setup_);
    WaitUntilAllIsDone();
    EXPECT_TRUE(service.Stop().has_value());
  }
  std::vector<nlohmann::json> verdicts;
  for (nlohmann::json verdict : AllComparable(Verdicts())) {
    // The dead letter among the questions has a sequence, as those of pages have.
    verdict.erase("sequence");
    verdict.erase("cluster");
    verdicts.push_back(std::move(verdict));
  }
  std::vector<nlohmann::json> scanned;
  for (nlohmann::json verdict : Scanned(records)) {
    verdict.erase("sequence");
    verdict.erase("cluster");
    scanned.push_back(std::move(verdict));
  }
  EXPECT_EQ(verdicts, scanned);
  const auto letters =
      ReadCommitted(setup_.kafka, setup_.kafka.asked_topic + setup_.kafka.dead_letter_suffix);
  EXPECT_THAT(letters, ::testing::ElementsAre("no question"));
}

TEST_F(AskedTest, ARunningJudgeAnswersOverHttp) {
  std::vector<FileRecord> records;
  for (int i = 0; i < 60; ++i) records.push_back(Page(i));
  Feed(records);
  setup_.http.enabled = true;
  setup_.http.port = FreePort();
  const std::string url = fmt::format("http://127.0.0.1:{}", setup_.http.port);
  RunningService service(setup_);
  WaitUntilDone();
  const auto verdicts = Verdicts();
  const auto last = nlohmann::json::parse(verdicts.back());
  const auto page = nlohmann::json::parse(verdicts.front());
  const std::string question = nlohmann::json{{"url", page["url"]}}.dump();
  // The state is committed behind the verdicts.
  nlohmann::json explained;
  EXPECT_TRUE(Until(
      [&] {
        const auto answer = consumer::HttpPostJson(url + "/explain", question, kPatience);
        if (!answer.has_value()) return false;
        explained = nlohmann::json::parse(*answer);
        return explained["sequence"] == last["sequence"];
      },
      [] { std::this_thread::yield(); }));
  EXPECT_TRUE(ConformsTo(explained, CRAWLSIEVE_SOURCE_DIR "/docs/schemas/explanation.schema.json"));
  EXPECT_EQ(explained["history"]["fetches"], 1);
  const auto due =
      consumer::HttpPostJson(url + "/due", R"({"before": "2100-01-01T00:00:00Z"})", kPatience);
  ASSERT_TRUE(due.has_value()) << due.error().message;
  EXPECT_GT(nlohmann::json::parse(*due)["due"], 0);
  const auto wrong = consumer::HttpPostJson(url + "/site", "{}", kPatience);
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().code, ErrorCode::kInvalidInput);
  EXPECT_THAT(wrong.error().message, HasSubstr("host is missing"));

  // The commands say the same of a running judge and of its state directory.
  const std::string page_url = page["url"];
  const std::vector<std::string> questions = {
      "due --before 2100-01-01T00:00:00Z",
      "due --before 2100-01-01T00:00:00Z --limit 7 --format nutch",
      "site host0.example",
      "site host0.example --json",
      "explain '" + page_url + "' --at 2027-01-01T00:00:00Z",
      "explain '" + page_url + "' --at 2027-01-01T00:00:00Z --json",
  };
  std::vector<std::string> answers;
  for (const std::string& asked : questions) {
    const Output output = RunProgram(asked + " --url " + url + "/");
    EXPECT_EQ(output.exit_code, 0) << asked;
    EXPECT_GT(output.text.size(), 20U) << asked;
    answers.push_back(output.text);
  }
  EXPECT_NE(RunProgram("site never.example --url " + url).exit_code, 0);
  EXPECT_NE(RunProgram("site host0.example").exit_code, 0) << "of what?";
  EXPECT_NE(RunProgram("site host0.example --state x --url " + url).exit_code, 0);
  EXPECT_TRUE(service.Stop().has_value());
  EXPECT_NE(RunProgram("site host0.example --url " + url).exit_code, 0) << "nobody answers";
  for (std::size_t i = 0; i < questions.size(); ++i) {
    EXPECT_EQ(RunProgram(questions[i] + " --state " + setup_.service.state_directory).text,
              answers[i])
        << questions[i];
  }
}

}  // namespace
}  // namespace crawlsieve::testing

// What a start waits for, and where the key of the fingerprints comes from.

#include "consumer/service/brokers/key_topic.h"
#include "plugin/fingerprint/key.h"
#include "tests/integration/service_fixture.h"

#include <chrono>
#include <set>
#include <stop_token>
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

using std::chrono::milliseconds;
using testing::AllComparable;
using ::testing::HasSubstr;
using testing::kPatience;
using testing::MixedRecords;
using testing::Page;
using testing::RunningService;
using testing::ServiceTest;
using testing::Until;

class StartTest : public ServiceTest {
 protected:
  void SetUp() override {
    ServiceTest::SetUp();
    setup_.http.enabled = true;
    setup_.http.port = testing::FreePort();
  }

  /// The answer's status, 0 without one; its text goes to `body`.
  int Ask(const std::string& path, std::string* body = nullptr) {
    httplib::Client http("127.0.0.1", setup_.http.port);
    const auto answer = http.Get(path);
    if (answer && body != nullptr) *body = answer->body;
    return answer ? answer->status : 0;
  }

  [[nodiscard]] bool Becomes(const std::string& path, int status) {
    return Until([&] { return Ask(path) == status; },
                 [] { std::this_thread::sleep_for(milliseconds(10)); });
  }

  /// Whether /readyz comes to say no, for a reason with these words.
  [[nodiscard]] bool WaitsFor(const std::string& words) {
    std::string body;
    const bool came =
        Until([&] { return Ask("/readyz", &body) == 503 && body.find(words) != std::string::npos; },
              [] { std::this_thread::sleep_for(milliseconds(10)); });
    EXPECT_TRUE(came) << body;
    return came;
  }

  /// Adds a record to the key topic as somebody else might.
  void WriteToKeyTopic(const std::string& value) {
    testing::TestProducer producer(IdempotentProducer(setup_.kafka), setup_.kafka);
    RecordView record;
    record.topic = setup_.kafka.key_topic;
    record.partition = 0;
    record.value = value;
    ASSERT_TRUE(producer->Produce(record, 0).has_value());
    ASSERT_TRUE(producer->Flush(kPatience).has_value());
  }

  /// The schemes of all verdicts.
  std::set<std::string> Schemes() {
    std::set<std::string> schemes;
    for (const std::string& verdict : Verdicts()) {
      schemes.insert(nlohmann::json::parse(verdict)["fingerprint"]["scheme"].get<std::string>());
    }
    return schemes;
  }
};

TEST_F(StartTest, IsAliveWithinASecondWithoutABrokerAndComesUpWithIt) {
  ASSERT_TRUE(broker().Kill().has_value());
  const auto begin = std::chrono::steady_clock::now();
  RunningService service(setup_);
  EXPECT_TRUE(Becomes("/livez", 200));
  EXPECT_EQ(Ask("/readyz"), 503);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, milliseconds(1'000));
  ASSERT_TRUE(broker().StartAgain().has_value());
  EXPECT_TRUE(Becomes("/readyz", 200)) << "the broker came";
  Feed(MixedRecords());
  WaitUntilDone();
  EXPECT_TRUE(service.Stop().has_value());
}

TEST_F(StartTest, StopsWhenToldToWhileItWaits) {
  ASSERT_TRUE(broker().Kill().has_value());
  {
    RunningService service(setup_);
    EXPECT_TRUE(Becomes("/livez", 200));
    EXPECT_TRUE(service.Stop().has_value());
  }
  ASSERT_TRUE(broker().StartAgain().has_value());
}

TEST_F(StartTest, WaitsForAnInputTopicAndSaysSo) {
  setup_.kafka.input_topics = {testing::UniqueName("later")};
  input_ = setup_.kafka.input_topics.front();
  RunningService service(setup_);
  EXPECT_TRUE(WaitsFor("input topic " + input_ + " does not exist"));
  EXPECT_EQ(Ask("/livez"), 200);
  testing::MakeTopic(setup_.kafka, input_);
  EXPECT_TRUE(Becomes("/readyz", 200));
  Feed({Page(1)});
  WaitUntilDone();
  EXPECT_TRUE(service.Stop().has_value());
}

TEST_F(StartTest, TheJudgeDrawsAKeyThatLasts) {
  setup_.processor.fingerprint.key.clear();
  const auto records = MixedRecords();
  Feed(records);
  RunUntilDone();
  const auto key = ReadKey(setup_.kafka);
  ASSERT_TRUE(key.has_value()) << key.error().message;
  ASSERT_TRUE(key->has_value());
  EXPECT_EQ((*key)->size(), 64U);
  // The same pages under the same key, in a scan: the verdicts are of that key.
  ServiceSetup keyless = setup_;
  setup_.processor.fingerprint.key = **key;
  EXPECT_EQ(AllComparable(Verdicts()), Scanned(records));
  setup_ = keyless;
  Feed({Page(1), Page(2)});
  RunUntilDone();
  EXPECT_EQ(Schemes().size(), 1U);
}

TEST_F(StartTest, WhoeverHasTheKeyConfiguredGoesOnWithTheLog) {
  setup_.processor.fingerprint.key.clear();
  Feed({Page(1)});
  RunUntilDone();
  setup_.processor.fingerprint.key = **ReadKey(setup_.kafka);
  setup_.kafka.key_topic += "-gone";
  Feed({Page(2)});
  RunUntilDone();
  EXPECT_EQ(Schemes().size(), 1U);
  EXPECT_EQ(Verdicts().size(), 2U);
}

TEST_F(StartTest, AnExtractorWaitsForTheKeyAndTakesTheJudges) {
  setup_.processor.fingerprint.key.clear();
  ServiceSetup judge = setup_;
  judge.service.roles = {Role::kJudge};
  judge.http.enabled = false;
  ServiceSetup extract = setup_;
  extract.service.roles = {Role::kExtract};
  RunningService extracting(extract);
  EXPECT_TRUE(WaitsFor("starting: "));
  RunningService judging(judge);
  Feed(MixedRecords());
  WaitUntilDone();
  EXPECT_TRUE(extracting.Stop().has_value());
  EXPECT_TRUE(judging.Stop().has_value());
  EXPECT_EQ(Schemes().size(), 1U);
}

TEST_F(StartTest, RefusesALogWhoseKeyIsGone) {
  setup_.processor.fingerprint.key.clear();
  Feed({Page(1)});
  RunUntilDone();
  const std::string key = **ReadKey(setup_.kafka);
  setup_.kafka.key_topic += "-gone";
  const Status ended = RunService(setup_, std::stop_token());
  ASSERT_FALSE(ended.has_value());
  EXPECT_EQ(ended.error().code, ErrorCode::kMismatch);
  EXPECT_THAT(ended.error().message, HasSubstr("crawlsieve key import"));
  // As that command does.
  EXPECT_EQ(ProposeKey(setup_.kafka, key), key);
  Feed({Page(2)});
  RunUntilDone();
  EXPECT_EQ(Schemes().size(), 1U);
}

TEST_F(StartTest, RefusesAKeyTopicThatBeginsWithSomethingElse) {
  setup_.processor.fingerprint.key.clear();
  testing::MakeTopic(setup_.kafka, setup_.kafka.key_topic);
  WriteToKeyTopic("not a key");
  const Status ended = RunService(setup_, std::stop_token());
  ASSERT_FALSE(ended.has_value());
  EXPECT_THAT(ended.error().message, HasSubstr("begins with a record that is no key"));
}

TEST_F(StartTest, RefusesAKeyTopicThatForgets) {
  const auto admin = Admin::Make(setup_.kafka, {});
  ASSERT_TRUE(
      (*admin)
          ->CreateTopic({setup_.kafka.key_topic, 1, 1, {{"cleanup.policy", "compact"}}}, kPatience)
          .has_value());
  setup_.processor.fingerprint.key.clear();
  const Status ended = RunService(setup_, std::stop_token());
  ASSERT_FALSE(ended.has_value());
  EXPECT_THAT(ended.error().message, HasSubstr("cleanup.policy=compact"));
}

TEST_F(StartTest, TheFirstKeyWins) {
  const std::string first = RandomKey();
  EXPECT_EQ(ProposeKey(setup_.kafka, first), first);
  EXPECT_EQ(ProposeKey(setup_.kafka, RandomKey()), first);
  WriteToKeyTopic("something else");
  const auto held = ReadKey(setup_.kafka);
  ASSERT_TRUE(held.has_value());
  EXPECT_EQ(**held, first);
}

TEST_F(StartTest, ALogOfVersion1KeepsItsFingerprints) {
  for (const std::string key : {"", "configured"}) {
    SetUp();
    setup_.service.state_directory += "-" + key;
    setup_.processor.fingerprint.key = key;
    setup_.processor = WithVersion(setup_.processor, SchemeVersion::k1);
    Feed({Page(1)});
    RunUntilDone();
    const auto before = Schemes();
    setup_.processor = WithVersion(setup_.processor, SchemeVersion::k2);
    Feed({Page(1), Page(2)});
    RunUntilDone();
    EXPECT_EQ(Schemes(), before);
    EXPECT_THAT(*before.begin(), ::testing::StartsWith("cs1-"));
    const auto verdicts = Verdicts();
    ASSERT_EQ(verdicts.size(), 3U);
    EXPECT_EQ(nlohmann::json::parse(verdicts[1])["reason"], "unchanged");
  }
}

TEST_F(StartTest, ALogKeepsTheParserThatItWasBegunWith) {
  using extract::ParserKind;
  for (const std::string key : {"", "configured"}) {
    SetUp();
    setup_.service.state_directory += "-" + key;
    setup_.processor.fingerprint.key = key;
    setup_.processor.extract.parser = ParserKind::kGumbo;
    Feed({Page(1)});
    RunUntilDone();
    const auto before = Schemes();
    setup_.processor.extract.parser = ParserKind::kAuto;
    Feed({Page(1), Page(2)});
    RunUntilDone();
    EXPECT_EQ(Schemes(), before);
    setup_.processor.extract.parser = ParserKind::kFast;
    const Status ended = RunService(setup_, std::stop_token());
    ASSERT_FALSE(ended.has_value());
    EXPECT_EQ(ended.error().code, ErrorCode::kMismatch) << ended.error().message;
  }
}

}  // namespace
}  // namespace crawlsieve::consumer

#include "tests/integration/service_fixture.h"

#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <httplib.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;
using testing::AllComparable;
using testing::FreePort;
using testing::kPatience;
using testing::Page;
using testing::ServiceProcess;
using testing::Until;
using SteadyClock = std::chrono::steady_clock;

/// One process extracts, two can judge.
class StandbyTest : public testing::ServiceTest {
 protected:
  struct Judge {
    std::uint16_t port;
    std::unique_ptr<ServiceProcess> process;

    /// What /readyz says: "ready", "standby", or why not.
    [[nodiscard]] std::string Readiness() const {
      httplib::Client http("127.0.0.1", port);
      const auto answer = http.Get("/readyz");
      return answer ? answer->body.substr(0, answer->body.find('\n')) : "no answer";
    }
  };

  Judge StartJudge(const std::string& name, const nlohmann::json& changes = {}) {
    const std::uint16_t port = FreePort();
    nlohmann::json config = {
        {"service",
         {{"roles", {"judge"}}, {"state_directory", (directory_.path() / name).string()}}},
        {"http", {{"enabled", "true"}, {"port", std::to_string(port)}}}};
    if (!changes.is_null()) config.merge_patch(changes);
    return {port, std::make_unique<ServiceProcess>(WriteConfig(name, config))};
  }

  static void WaitFor(const Judge& judge, const std::string& readiness) {
    EXPECT_TRUE(Until([&] { return judge.Readiness() == readiness; },
                      [] { std::this_thread::sleep_for(milliseconds(10)); }))
        << judge.Readiness() << " instead of " << readiness;
  }

  /// Ends the active judge by `signal` while pages come in, and returns how long the verdicts then
  /// stood still.
  milliseconds TakeOver(int signal) {
    Judge active = StartJudge("one");
    WaitFor(active, "ready");
    Judge standby = StartJudge("two");
    WaitFor(standby, "standby");
    ServiceProcess extract(WriteConfig("extract", {{"service", {{"roles", {"extract"}}}}}));
    for (int i = 0; i < 300; ++i) records_.push_back(Page(i));
    Feed(records_);
    WaitUntilDone();
    EXPECT_EQ(standby.Readiness(), "standby");

    auto reader = Consumer::Make(JudgeConsumer(setup_.kafka), setup_.kafka, {});
    EXPECT_TRUE(reader.has_value());
    const TopicPartition verdicts{setup_.kafka.verdict_topic, 0};
    const auto end = [&] { return (*reader)->QueryWatermarks(verdicts, kPatience)->high; };
    const std::int64_t before = end();
    active.process->Signal(signal);
    const auto killed = SteadyClock::now();
    std::vector<FileRecord> more;
    for (int i = 300; i < 600; ++i) more.push_back(Page(i));
    Feed(more);
    records_.insert(records_.end(), more.begin(), more.end());
    // A clean stop may still commit what it holds; the new judge's verdicts are meant.
    WaitFor(standby, "ready");
    EXPECT_TRUE(Until([&] { return end() > before; }, [] { std::this_thread::yield(); }));
    const auto gap = std::chrono::duration_cast<milliseconds>(SteadyClock::now() - killed);
    WaitUntilDone();
    const int status = active.process->End();
    EXPECT_EQ(WIFSIGNALED(status), signal == SIGKILL);
    EXPECT_EQ(standby.process->End(SIGTERM), 0);
    EXPECT_EQ(extract.End(SIGTERM), 0);
    return gap;
  }

  /// The verdicts of the two are those of one that was never interrupted.
  void CheckVerdicts() {
    const auto verdicts = Verdicts();
    std::set<std::string> instances;
    for (const std::string& text : verdicts) {
      instances.insert(nlohmann::json::parse(text)["instance"].get<std::string>());
    }
    EXPECT_EQ(instances.size(), 2U) << "both were to judge";
    EXPECT_EQ(AllComparable(verdicts), Scanned(records_));
  }

  std::vector<FileRecord> records_;
};

TEST_F(StandbyTest, TakesOverWithinTenSecondsAfterAKillWithTheSameVerdicts) {
  const milliseconds gap = TakeOver(SIGKILL);
  RecordProperty("gap_ms", static_cast<int>(gap.count()));
  std::printf("takeover after SIGKILL: %lld ms\n", static_cast<long long>(gap.count()));
  EXPECT_LT(gap, milliseconds(10'000));
  CheckVerdicts();
}

TEST_F(StandbyTest, TakesOverWithinTwoSecondsAfterACleanStopWithTheSameVerdicts) {
  const milliseconds gap = TakeOver(SIGTERM);
  RecordProperty("gap_ms", static_cast<int>(gap.count()));
  std::printf("takeover after SIGTERM: %lld ms\n", static_cast<long long>(gap.count()));
  EXPECT_LT(gap, milliseconds(2'000));
  CheckVerdicts();
}

TEST_F(StandbyTest, NeverFoldsPastWhatIsPublished) {
  Judge active = StartJudge("one");
  WaitFor(active, "ready");
  Judge standby = StartJudge("two");
  WaitFor(standby, "standby");
  // The active judge stands still, so what comes into the log isn't published.
  active.process->Signal(SIGSTOP);
  ServiceProcess extract(WriteConfig("extract", {{"service", {{"roles", {"extract"}}}}}));
  std::vector<FileRecord> records;
  for (int i = 0; i < 50; ++i) records.push_back(Page(i));
  Feed(records);
  WaitForGroup("extract", input_);
  EXPECT_EQ(standby.process->End(SIGTERM), 0);
  active.process->Signal(SIGCONT);
  WaitUntilDone();
  EXPECT_EQ(active.process->End(SIGTERM), 0);
  // A state ahead of the offset would be refused.
  Judge again = StartJudge("two");
  WaitFor(again, "ready");
  EXPECT_EQ(again.process->End(SIGTERM), 0);
  EXPECT_EQ(Verdicts().size(), 50U);
}

TEST_F(StandbyTest, AJudgeThatWasPausedTooLongIsFencedAndBecomesTheStandby) {
  Judge first = StartJudge("one");
  WaitFor(first, "ready");
  Judge second = StartJudge("two");
  WaitFor(second, "standby");
  ServiceProcess extract(WriteConfig("extract", {{"service", {{"roles", {"extract"}}}}}));
  std::vector<FileRecord> records;
  for (int i = 0; i < 200; ++i) records.push_back(Page(i));
  Feed(records);
  first.process->Signal(SIGSTOP);
  WaitFor(second, "ready");
  WaitUntilDone();
  first.process->Signal(SIGCONT);
  WaitFor(first, "standby");
  EXPECT_EQ(second.process->End(SIGTERM), 0);
  WaitFor(first, "ready");
  for (int i = 200; i < 300; ++i) records.push_back(Page(i));
  Feed({records.begin() + 200, records.end()});
  WaitUntilDone();
  EXPECT_EQ(first.process->End(SIGTERM), 0);
  EXPECT_EQ(AllComparable(Verdicts()), Scanned(records));
}

}  // namespace
}  // namespace crawlsieve::consumer

// The index in slots of other processes, through the brokers: the verdicts are those of one
// process, whoever dies.
#include "consumer/service/slots/index_stage.h"
#include "consumer/status/status_report.h"
#include "plugin/judge/state_hash.h"
#include "plugin/judge/state_reader.h"
#include "plugin/slots/slot_file.h"
#include "tests/integration/service_fixture.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

namespace crawlsieve::testing {
namespace {

using consumer::IndexStage;
using consumer::Role;
using std::chrono::milliseconds;
using ::testing::HasSubstr;
using SteadyClock = std::chrono::steady_clock;

class SlotsTest : public ServiceTest {
 protected:
  void SetUp() override {
    ServiceTest::SetUp();
    if (HasFatalFailure()) return;
    setup_.kafka.slots.count = 3;
    setup_.kafka.slots.stripe_bits = 2;
    setup_.kafka.slots.changes_topic = UniqueName("changes");
    setup_.kafka.slots.candidates_topic = UniqueName("candidates");
  }

  /// Slots, from folder `name`.
  ServiceSetup Index(const std::string& name, const std::string& replica_group = "") {
    ServiceSetup setup = setup_;
    setup.service.roles = {Role::kIndex};
    setup.service.state_directory = (directory_.path() / name).string();
    setup.service.snapshot_entries = 50;
    setup.kafka.slots.replica_group = replica_group;
    return setup;
  }

  /// The same as a process of its own, which says at `port` how it is.
  std::string IndexConfig(const std::string& name, std::uint16_t port = 0,
                          const nlohmann::json& changes = {}) {
    nlohmann::json config = {{"kafka", SlotTopics()},
                             {"index", {{"slots", setup_.kafka.slots.count}, {"stripe_bits", 2}}},
                             {"service",
                              {{"roles", {"index"}},
                               {"snapshot_entries", 50},
                               {"state_directory", (directory_.path() / name).string()}}}};
    if (port != 0) config["http"] = {{"enabled", "true"}, {"port", port}};
    if (!changes.is_null()) config.merge_patch(changes);
    return WriteConfig(name, config);
  }

  std::string JudgeConfig(const std::string& name, const nlohmann::json& changes = {}) {
    nlohmann::json config = {{"kafka", SlotTopics()},
                             {"index", {{"slots", setup_.kafka.slots.count}, {"stripe_bits", 2}}}};
    if (!changes.is_null()) config.merge_patch(changes);
    return WriteConfig(name, config);
  }

  nlohmann::json SlotTopics() {
    return {{"changes", {{"topic", setup_.kafka.slots.changes_topic}}},
            {"candidates", {{"topic", setup_.kafka.slots.candidates_topic}}}};
  }

  static std::string Readiness(std::uint16_t port) {
    httplib::Client http("127.0.0.1", port);
    const auto answer = http.Get("/readyz");
    return answer ? answer->body.substr(0, answer->body.find('\n')) : "no answer";
  }

  static void WaitFor(std::uint16_t port, const std::string& readiness) {
    const auto is_so = [&] {
      const std::string now = Readiness(port);
      return now == readiness || (readiness != "ready" && now.find(readiness) != std::string::npos);
    };
    EXPECT_TRUE(Until(is_so, [] { std::this_thread::yield(); }))
        << Readiness(port) << " instead of " << readiness;
  }

  /// Of the process that answers at `port`; -1: it doesn't answer, or hasn't loaded the slot.
  static std::int64_t LogOffset(std::uint16_t port, std::uint32_t slot) {
    httplib::Client http("127.0.0.1", port);
    const auto answer = http.Get("/status.json");
    if (!answer) return -1;
    const auto report = consumer::StatusFromJson(answer->body);
    if (!report.has_value()) return -1;
    for (const consumer::SlotReport& one : report->slots) {
      if (one.slot == slot) return one.log_offset;
    }
    return -1;
  }

  static void ExpectStop(RunningService& service) {
    const Status ended = service.Stop();
    EXPECT_TRUE(ended.has_value()) << ended.error().message;
  }

  std::vector<FileRecord> FeedPages(int from, int to) {
    std::vector<FileRecord> records;
    for (int i = from; i < to; ++i) records.push_back(Page(i));
    Feed(records);
    records_.insert(records_.end(), records.begin(), records.end());
    return records;
  }

  void WaitForVerdicts(std::int64_t count) {
    auto reader = Consumer::Make(JudgeConsumer(setup_.kafka), setup_.kafka, {});
    ASSERT_TRUE(reader.has_value());
    const TopicPartition verdicts{setup_.kafka.verdict_topic, 0};
    EXPECT_TRUE(Until(
        [&] {
          const auto ends = (*reader)->QueryWatermarks(verdicts, kPatience);
          return ends.has_value() && ends->high >= count;
        },
        [] { std::this_thread::yield(); }));
  }

  /// Verdicts are those of a scan, and the state is that of a fold of the log, with the whole index
  /// in one process each.
  void ExpectEqualToOneProcess() {
    EXPECT_EQ(AllComparable(Verdicts()), Scanned(records_));
    TemporaryDirectory directory;
    auto store = Store::Open({.directory = directory.path()});
    auto detector = Detector::Open(**store, MakeIndex, consumer::SchemeOf(setup_.processor));
    for (const std::string& bytes : ReadCommitted(setup_.kafka, setup_.kafka.log_topic)) {
      log::Entry entry;
      ASSERT_TRUE(entry.ParseFromString(bytes));
      const auto folded = (*detector)->Fold(entry);
      ASSERT_TRUE(folded.has_value()) << folded.error().message;
    }
    auto judged = Store::Open({.directory = setup_.service.state_directory});
    ASSERT_TRUE(judged.has_value()) << judged.error().message;
    auto of_judge = Detector::Open(**judged, MakeIndex, consumer::SchemeOf(setup_.processor));
    ASSERT_TRUE(of_judge.has_value());
    ASSERT_TRUE((*detector)->Commit((*of_judge)->position()).has_value());
    EXPECT_EQ(StateHash(**judged).value(), StateHash(**store).value());
  }

  /// The offset of the log that the slot's files in a folder are of; -1: there are none.
  std::int64_t FileOffset(const std::string& name, std::uint32_t slot) {
    const SlotLayout layout =
        IndexStage::LayoutOf(setup_.kafka.slots, consumer::SchemeOf(setup_.processor));
    const auto all = IndexStage::DirectoryIn(directory_.path() / name);
    const auto file = SlotFile::Open(SlotFile::DirectoryOf(all, layout, slot), layout, slot);
    return file.has_value() && file->has_value() ? (*file)->state().place.position.offset : -1;
  }

  static int RunProgram(const std::string& arguments, std::string* output = nullptr) {
    std::FILE* const pipe =
        popen(fmt::format("{} {} 2>&1", CRAWLSIEVE_PROGRAM, arguments).c_str(), "r");
    if (pipe == nullptr) return -1;
    char buffer[4096];
    for (std::size_t count = 0; (count = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;) {
      if (output != nullptr) output->append(buffer, count);
    }
    const int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  std::vector<FileRecord> records_;
};

class SlotCountTest : public SlotsTest, public ::testing::WithParamInterface<std::uint32_t> {};

TEST_P(SlotCountTest, GivesTheVerdictsOfOneProcess) {
  setup_.kafka.slots.count = GetParam();
  records_ = MixedRecords();
  Feed(records_);
  {
    RunningService one(Index("one"));
    RunningService two(Index("two"));
    RunningService service(setup_);
    WaitUntilDone();
    FeedPages(200, 320);
    WaitUntilDone();
    for (RunningService* running : {&service, &one, &two}) ExpectStop(*running);
  }
  ExpectEqualToOneProcess();
  for (std::uint32_t slot = 0; slot < GetParam(); ++slot) {
    EXPECT_GT(std::max(FileOffset("one", slot), FileOffset("two", slot)), 100);
  }
}

INSTANTIATE_TEST_SUITE_P(Slots, SlotCountTest, ::testing::Values(1U, 3U));

TEST_F(SlotsTest, ASlotThatIsKilledComesBackFromItsFile) {
  const std::uint16_t port = FreePort();
  RunningService service(setup_);
  {
    ServiceProcess index(IndexConfig("one", port));
    FeedPages(0, 300);
    WaitUntilDone();
    WaitFor(port, "ready");
    for (const std::uint32_t slot : {0U, 1U, 2U}) {
      EXPECT_TRUE(
          Until([&] { return FileOffset("one", slot) > 0; }, [] { std::this_thread::yield(); }))
          << "no file of slot " << slot;
    }
    index.End(SIGKILL);
  }
  const std::int64_t file = FileOffset("one", 1);
  EXPECT_GT(file, 0);
  FeedPages(300, 500);
  {
    ServiceProcess index(IndexConfig("one", port));
    WaitUntilDone();
    // Verdicts come to readers with the changes, before a slot has taken these up.
    EXPECT_TRUE(Until([&] { return LogOffset(port, 1) > file; },
                      [] { std::this_thread::sleep_for(milliseconds(20)); }));
    index.End(SIGTERM);
  }
  EXPECT_GT(FileOffset("one", 1), file) << "written at the stop";
  ExpectStop(service);
  ExpectEqualToOneProcess();
}

TEST_F(SlotsTest, AnotherProcessTakesTheSlotsOverFromTheFirstChange) {
  RunningService service(setup_);
  RunningService staying(Index("two"));
  {
    ServiceProcess index(IndexConfig("one"));
    FeedPages(0, 200);
    WaitUntilDone();
    index.End(SIGKILL);
  }
  FeedPages(200, 400);
  WaitUntilDone();
  ExpectStop(staying);
  ExpectStop(service);
  ExpectEqualToOneProcess();
}

TEST_F(SlotsTest, AReplicaAnswersInPlaceOfAProcessThatIsKilled) {
  const std::uint16_t port = FreePort();
  RunningService service(setup_);
  ServiceProcess index(IndexConfig("one"));
  ServiceProcess replica(IndexConfig("two", port, {{"index", {{"replica_group", "b"}}}}));
  FeedPages(0, 200);
  WaitUntilDone();
  WaitFor(port, "ready");
  index.End(SIGKILL);
  const auto killed = SteadyClock::now();
  FeedPages(200, 300);
  WaitUntilDone();
  // The other group has no member, so the replica alone has answered.
  const auto took = std::chrono::duration_cast<milliseconds>(SteadyClock::now() - killed).count();
  std::printf("verdicts of 100 pages behind the kill: %lld ms\n", static_cast<long long>(took));
  replica.End(SIGTERM);
  ExpectStop(service);
  ExpectEqualToOneProcess();
}

TEST_F(SlotsTest, AJudgeThatIsKilledFollowsTheCandidatesThatWereRecorded) {
  RunningService index(Index("one"));
  const std::string config = JudgeConfig("config");
  std::int64_t verdicts = 0;
  for (int round = 0; round < 3; ++round) {
    ServiceProcess service(config);
    FeedPages(200 * round, 200 * round + 200);
    WaitForVerdicts(verdicts + 50);
    verdicts += 200;
    service.End(SIGKILL);
  }
  {
    ServiceProcess service(config);
    WaitUntilDone();
    service.End(SIGTERM);
  }
  ExpectStop(index);
  ExpectEqualToOneProcess();
}

TEST_F(SlotsTest, AStateOfOneProcessIsSharedOutAndThenSplit) {
  const consumer::SlotOptions slots = setup_.kafka.slots;
  setup_.kafka.slots.count = 0;
  FeedPages(0, 150);
  RunUntilDone();
  setup_.kafka.slots = slots;
  const std::string config = JudgeConfig("config", {{"service", {{"roles", {"judge", "index"}}}}});
  std::string output;
  ASSERT_EQ(RunProgram("slots write --config " + config, &output), 0) << output;
  EXPECT_THAT(output, HasSubstr("2-of-3  slot 2 of 3 slots"));
  const auto all = IndexStage::DirectoryIn(setup_.service.state_directory);
  setup_.service.roles = {Role::kExtract, Role::kJudge, Role::kIndex};
  setup_.service.snapshot_entries = 50;
  FeedPages(150, 300);
  RunUntilDone();
  ASSERT_EQ(RunProgram(fmt::format("slots check {}", all.string()), &output), 0) << output;

  const auto finer = directory_.path() / "finer";
  ASSERT_EQ(RunProgram(fmt::format("slots split --from {} --to {}", all.string(), finer.string()),
                       &output),
            0)
      << output;
  std::filesystem::remove_all(all);
  std::filesystem::rename(finer, all);
  setup_.kafka.slots.count = 6;
  setup_.kafka.slots.candidates_topic = UniqueName("candidates");
  FeedPages(300, 450);
  RunUntilDone();
  ExpectEqualToOneProcess();

  // A byte of a file is another one.
  const auto slot_file = all / "4-of-6" / "slot";
  std::fstream file(slot_file, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(10);
  file.put('?');
  file.close();
  output.clear();
  EXPECT_EQ(RunProgram(fmt::format("slots check {}", all.string()), &output), 1);
  EXPECT_THAT(output, HasSubstr("4-of-6"));
}

TEST_F(SlotsTest, AProcessThatIsKilledComesBackWithOtherSlots) {
  const nlohmann::json named = {{"service", {{"instance", "one"}}}};
  {
    RunningService service(setup_);
    ServiceProcess index(IndexConfig("one", 0, named));
    FeedPages(0, 100);
    WaitUntilDone();
    index.End(SIGKILL);
    ExpectStop(service);
  }
  // The group still has the process as a member, with slots of the topic before.
  setup_.kafka.slots.count = 6;
  setup_.kafka.slots.candidates_topic = UniqueName("candidates");
  RunningService service(setup_);
  ServiceProcess index(IndexConfig("one", 0, named));
  FeedPages(100, 200);
  WaitUntilDone();
  const int ended = index.End(SIGTERM);
  EXPECT_TRUE(WIFEXITED(ended) && WEXITSTATUS(ended) == 0) << ended;
  ExpectStop(service);
  ExpectEqualToOneProcess();
}

TEST_F(SlotsTest, OtherLayoutsAreNamedAndHoldNothingUpForGood) {
  const std::uint16_t port = FreePort();
  FeedPages(0, 60);
  RunningService service(setup_);
  {
    ServiceProcess other(IndexConfig("one", port, {{"index", {{"stripe_bits", 5}}}}));
    WaitFor(port, "the judge has an index of 3 slots");
    other.End(SIGTERM);
  }
  ServiceSetup more = Index("two");
  more.kafka.slots.count = 4;
  const Status refused = consumer::RunService(more, {});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidConfig);
  EXPECT_THAT(refused.error().message, HasSubstr("has 3 partitions, and index.slots is 4"));
  {
    RunningService index(Index("three"));
    WaitUntilDone();
    ExpectStop(index);
  }
  ExpectStop(service);
  ExpectEqualToOneProcess();
}

TEST_F(SlotsTest, VerdictsWithoutRecordedCandidatesAreNamed) {
  const consumer::SlotOptions slots = setup_.kafka.slots;
  setup_.kafka.slots.count = 0;
  FeedPages(0, 60);
  RunUntilDone();
  // A state that has lost its end, as after a kill.
  std::filesystem::remove_all(setup_.service.state_directory);
  setup_.kafka.slots = slots;
  FeedPages(60, 80);
  ServiceSetup judge = setup_;
  judge.service.roles = {Role::kExtract, Role::kJudge, Role::kIndex};
  RunningService first(judge);
  const Status ended = first.Join();
  ASSERT_FALSE(ended.has_value());
  EXPECT_EQ(ended.error().code, ErrorCode::kMismatch);
  EXPECT_THAT(ended.error().message, HasSubstr("Start once with index.slots: 0"));
  // Nothing is lost: as the message says.
  setup_.kafka.slots.count = 0;
  RunUntilDone();
  ExpectEqualToOneProcess();
}

}  // namespace
}  // namespace crawlsieve::testing

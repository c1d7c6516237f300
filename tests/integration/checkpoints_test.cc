// Checkpoints of a running service, a log that is trimmed below them, and starts from them.
#include "consumer/service/log_trim.h"
#include "consumer/service/verify.h"
#include "plugin/checkpoint/repository.h"
#include "plugin/checkpoint/restore.h"
#include "tests/integration/service_fixture.h"

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using testing::AllComparable;
using ::testing::HasSubstr;
using testing::MakeTopic;
using testing::MixedRecords;
using testing::RunningService;
using testing::ServiceProcess;
using testing::UniqueName;
using testing::Until;

class CheckpointsTest : public testing::ServiceTest {
 protected:
  void SetUp() override {
    ServiceTest::SetUp();
    if (HasFatalFailure()) return;
    setup_.service.checkpoints.directory = (directory_.path() / "repository").string();
    setup_.service.checkpoints.interval = std::chrono::milliseconds(50);
    setup_.service.checkpoints.keep = 0;
  }

  /// Feeds records and runs the service until a checkpoint has them.
  void RunUntilCheckpointed(const std::vector<FileRecord>& records) {
    Feed(records);
    RunningService service(setup_);
    WaitUntilDone();
    auto reader = Consumer::Make(JudgeConsumer(setup_.kafka), setup_.kafka, {});
    ASSERT_TRUE(reader.has_value()) << reader.error().message;
    const auto end = (*reader)->QueryWatermarks({setup_.kafka.log_topic, 0}, testing::kPatience);
    ASSERT_TRUE(end.has_value());
    EXPECT_TRUE(
        Until([&] { return NewestOffset() == end->high - 1; }, [] { std::this_thread::yield(); }));
    const Status ended = service.Stop();
    EXPECT_TRUE(ended.has_value()) << ended.error().message;
  }

  [[nodiscard]] std::int64_t NewestOffset() const {
    const auto repository = CheckpointRepository::Open(setup_.service.checkpoints.directory);
    if (!repository) return -1;
    const auto list = repository->List();
    return list && !list->checkpoints.empty() ? list->checkpoints.back().manifest.log_offset : -1;
  }

  [[nodiscard]] Result<LogTrim> Plan(const KafkaOptions& kafka) {
    const auto repository = CheckpointRepository::Open(setup_.service.checkpoints.directory);
    if (!repository) return tl::unexpected(repository.error());
    refused_ = 0;
    return PlanLogTrim(kafka, *repository,
                       {[](const StoredCheckpoint&) {}, [this](const Error&) { ++refused_; }});
  }

  [[nodiscard]] Result<StateComparison> Refold(const std::filesystem::path& scratch) {
    auto state = Store::Open({.directory = setup_.service.state_directory});
    auto other = Store::Open({.directory = scratch});
    return CompareWithRefold(setup_.kafka, **state, **other, testing::MakeIndex,
                             SchemeOf(setup_.processor), [](std::int64_t, std::int64_t) {});
  }

  int refused_ = 0;
};

TEST_F(CheckpointsTest, ALostStateIsRestoredAndATrimmedLogFoldedFromThere) {
  const auto records = MixedRecords();
  const auto part = [&](std::size_t from, std::size_t to) {
    return std::vector<FileRecord>(records.begin() + static_cast<std::ptrdiff_t>(from),
                                   records.begin() + static_cast<std::ptrdiff_t>(to));
  };
  RunUntilCheckpointed(part(0, 30));
  RunUntilCheckpointed(part(30, 60));
  const auto trim = Plan(setup_.kafka);
  ASSERT_TRUE(trim.has_value()) << trim.error().message;
  EXPECT_EQ(trim->newer.manifest.log_offset, NewestOffset());
  EXPECT_GT(trim->entries(), 0);
  EXPECT_EQ(trim->before, trim->older.manifest.log_offset);
  const Status trimmed = TrimLog(setup_.kafka, *trim);
  ASSERT_TRUE(trimmed.has_value()) << trimmed.error().message;
  const auto again = Plan(setup_.kafka);
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(again->bounds.low, trim->before);
  EXPECT_EQ(again->entries(), 0);

  // A refold can't begin at the first entry, but at a checkpoint.
  const auto from_start = Refold(directory_.path() / "from_start");
  ASSERT_FALSE(from_start.has_value());
  EXPECT_THAT(from_start.error().message, HasSubstr("--from"));
  const auto repository = CheckpointRepository::Open(setup_.service.checkpoints.directory);
  const auto scratch = directory_.path() / "scratch";
  ASSERT_TRUE(RestoreCheckpoint(*repository, trim->older, scratch).has_value());
  const auto compared = Refold(scratch);
  ASSERT_TRUE(compared.has_value()) << compared.error().message;
  EXPECT_TRUE(compared->equal());
  EXPECT_GT(compared->offset, trim->older.manifest.log_offset);

  // The state is lost; so are all checkpoints but the older one.
  std::filesystem::remove_all(setup_.service.state_directory);
  const auto all = repository->List();
  for (const StoredCheckpoint& checkpoint : all->checkpoints) {
    if (checkpoint.name == trim->older.name) continue;
    std::filesystem::remove(repository->manifests() / (checkpoint.name + ".json"));
  }
  Feed(part(60, records.size()));
  RunUntilDone();
  EXPECT_EQ(AllComparable(Verdicts()), Scanned(records));
}

TEST_F(CheckpointsTest, AJudgeKilledWhileItRestoresOrMakesThemLosesAndRepeatsNothing) {
  const auto records = MixedRecords();
  RunUntilCheckpointed({records.begin(), records.begin() + 30});
  RunUntilCheckpointed({records.begin() + 30, records.begin() + 60});
  const auto trim = Plan(setup_.kafka);
  ASSERT_TRUE(trim.has_value()) << trim.error().message;
  ASSERT_TRUE(TrimLog(setup_.kafka, *trim).has_value());
  Feed({records.begin() + 60, records.end()});
  const std::string config = WriteConfig(
      "checkpoints",
      {{"service",
        {{"checkpoints",
          {{"directory", setup_.service.checkpoints.directory}, {"interval", "1m"}}}}}});
  // Killed when a restore has begun, is under way, and is done: as seen in the directory.
  const std::filesystem::path state = setup_.service.state_directory;
  for (const char* sign : {"crawlsieve.lock", "restoring", "CURRENT"}) {
    SCOPED_TRACE(sign);
    std::filesystem::remove_all(state);
    ServiceProcess process(config);
    EXPECT_TRUE(Until(
        [&] {
          return std::filesystem::exists(state / sign) ||
                 std::filesystem::exists(state / "CURRENT");
        },
        [] { std::this_thread::yield(); }));
    const int status = process.End(SIGKILL);
    EXPECT_TRUE(WIFSIGNALED(status)) << status;
  }
  RunUntilDone();
  EXPECT_EQ(AllComparable(Verdicts()), Scanned(records));
  const auto repository = CheckpointRepository::Open(setup_.service.checkpoints.directory);
  const auto scratch = directory_.path() / "scratch";
  ASSERT_TRUE(RestoreCheckpoint(*repository, trim->older, scratch).has_value());
  const auto compared = Refold(scratch);
  ASSERT_TRUE(compared.has_value()) << compared.error().message;
  EXPECT_TRUE(compared->equal());
}

TEST_F(CheckpointsTest, AJudgeFromACheckpointHasTheStateOfOneThatFoldedEverything) {
  const auto records = MixedRecords();
  RunUntilCheckpointed({records.begin(), records.begin() + 30});
  RunUntilCheckpointed({records.begin() + 30, records.begin() + 60});
  const auto trim = Plan(setup_.kafka);
  ASSERT_TRUE(trim.has_value()) << trim.error().message;
  Feed({records.begin() + 60, records.end()});
  std::filesystem::remove_all(setup_.service.state_directory);
  RunUntilDone();
  // The log is whole yet: all of it is folded into a state of its own.
  const auto compared = Refold(directory_.path() / "everything");
  ASSERT_TRUE(compared.has_value()) << compared.error().message;
  EXPECT_TRUE(compared->equal());
  EXPECT_GT(compared->offset, trim->newer.manifest.log_offset);
  // The same from the older checkpoint in the trimmed log.
  ASSERT_TRUE(TrimLog(setup_.kafka, *trim).has_value());
  const auto repository = CheckpointRepository::Open(setup_.service.checkpoints.directory);
  const auto scratch = directory_.path() / "scratch";
  ASSERT_TRUE(RestoreCheckpoint(*repository, trim->older, scratch).has_value());
  const auto again = Refold(scratch);
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(again->refold, compared->refold);
  EXPECT_EQ(AllComparable(Verdicts()), Scanned(records));
}

TEST_F(CheckpointsTest, ADamagedCheckpointOfATrimmedLogIsPassedOverAndAllOfThemARefusal) {
  const auto records = MixedRecords();
  RunUntilCheckpointed({records.begin(), records.begin() + 30});
  RunUntilCheckpointed({records.begin() + 30, records.begin() + 60});
  const auto trim = Plan(setup_.kafka);
  ASSERT_TRUE(trim.has_value()) << trim.error().message;
  ASSERT_TRUE(TrimLog(setup_.kafka, *trim).has_value());
  const auto repository = CheckpointRepository::Open(setup_.service.checkpoints.directory);
  const auto damage = [&](const StoredCheckpoint& checkpoint) {
    for (const CheckpointFile& file : checkpoint.manifest.files) {
      if (file.name.starts_with("MANIFEST")) {
        std::ofstream(repository->PathOf(file), std::ios::app) << 'x';
      }
    }
  };
  const std::filesystem::path state = setup_.service.state_directory;
  std::filesystem::remove_all(state);
  damage(trim->newer);
  Feed({records.begin() + 60, records.end()});
  RunUntilDone();
  EXPECT_EQ(AllComparable(Verdicts()), Scanned(records));

  std::filesystem::remove_all(state);
  const auto all = repository->List();
  for (const StoredCheckpoint& checkpoint : all->checkpoints) damage(checkpoint);
  RunningService service(setup_);
  const Status refused = service.Join();
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr("has no checkpoint that a state"));
  EXPECT_FALSE(Store::IsIn(state));
}

TEST_F(CheckpointsTest, CheckpointsOfAnotherLogAreRefusedBeforeTheyAreRestored) {
  const auto records = MixedRecords();
  RunUntilCheckpointed({records.begin(), records.begin() + 30});
  std::filesystem::remove_all(setup_.service.state_directory);
  setup_.kafka.log_topic = UniqueName("recreated");
  setup_.kafka.group = UniqueName("group");
  RunningService service(setup_);
  const Status refused = service.Join();
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr("is not of log"));
  EXPECT_FALSE(Store::IsIn(setup_.service.state_directory));
}

TEST_F(CheckpointsTest, ALogIsNotTrimmedWithoutTwoWholeCheckpointsOfIt) {
  const auto none = Plan(setup_.kafka);
  ASSERT_FALSE(none.has_value());
  const auto records = MixedRecords();
  RunUntilCheckpointed({records.begin(), records.begin() + 20});
  {
    // The newest of them alone.
    const auto repository = CheckpointRepository::Open(setup_.service.checkpoints.directory);
    const auto list = repository->List();
    for (const StoredCheckpoint& checkpoint : list->checkpoints) {
      if (checkpoint.name == list->checkpoints.back().name) continue;
      std::filesystem::remove(repository->manifests() / (checkpoint.name + ".json"));
    }
  }
  const auto one = Plan(setup_.kafka);
  ASSERT_FALSE(one.has_value());
  EXPECT_THAT(one.error().message, HasSubstr("1 whole checkpoints"));

  RunUntilCheckpointed({records.begin() + 20, records.begin() + 40});
  ASSERT_TRUE(Plan(setup_.kafka).has_value());
  // Of a log with another name there is nothing at those offsets.
  KafkaOptions other = setup_.kafka;
  other.log_topic = UniqueName("other");
  MakeTopic(other, other.log_topic);
  const auto foreign = Plan(other);
  ASSERT_FALSE(foreign.has_value());
  EXPECT_THAT(foreign.error().message, HasSubstr("is not of log"));
  // A group that has published less than the older checkpoint has.
  KafkaOptions behind = setup_.kafka;
  behind.group += "-new";
  const auto unpublished = Plan(behind);
  ASSERT_FALSE(unpublished.has_value());
  EXPECT_THAT(unpublished.error().message, HasSubstr("has committed nothing"));
  // Damage makes it one again.
  const auto repository = CheckpointRepository::Open(setup_.service.checkpoints.directory);
  const auto list = repository->List();
  for (const StoredCheckpoint& checkpoint : list->checkpoints) {
    if (checkpoint.name == list->checkpoints.front().name) continue;
    for (const CheckpointFile& file : checkpoint.manifest.files) {
      if (file.name.starts_with("MANIFEST")) {
        std::ofstream(repository->PathOf(file), std::ios::app) << 'x';
      }
    }
  }
  ASSERT_FALSE(Plan(setup_.kafka).has_value());
  EXPECT_GT(refused_, 0);
}

}  // namespace
}  // namespace crawlsieve::consumer

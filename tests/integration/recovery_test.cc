#include "consumer/service/verify.h"
#include "tests/integration/service_fixture.h"

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crawlsieve::consumer {
namespace {

namespace fs = std::filesystem;

using testing::AllComparable;
using ::testing::HasSubstr;
using testing::kPatience;
using testing::MakeIndex;
using testing::MixedRecords;
using testing::RunningService;
using testing::TemporaryDirectory;

/// What becomes of a judge whose state isn't the one it left.
class RecoveryTest : public testing::ServiceTest {
 protected:
  void SetUp() override {
    ServiceTest::SetUp();
    records_ = MixedRecords();
    half_ = static_cast<std::ptrdiff_t>(records_.size() / 2);
  }

  [[nodiscard]] fs::path state() const { return setup_.service.state_directory; }

  void FeedFirstHalf() { Feed({records_.begin(), records_.begin() + half_}); }
  void FeedSecondHalf() { Feed({records_.begin() + half_, records_.end()}); }

  void ExpectTheVerdictsOfOneRun() { EXPECT_EQ(AllComparable(Verdicts()), Scanned(records_)); }

  Result<StateComparison> Compare() {
    const TemporaryDirectory scratch_directory;
    auto store = Store::Open({.directory = state()});
    auto scratch = Store::Open({.directory = scratch_directory.path()});
    if (!store) return tl::unexpected(store.error());
    return CompareWithRefold(setup_.kafka, **store, **scratch, MakeIndex,
                             SchemeOf(setup_.processor), [](std::int64_t, std::int64_t) {});
  }

  void ExpectTheStateOfARefold() {
    const auto compared = Compare();
    ASSERT_TRUE(compared.has_value()) << compared.error().message;
    EXPECT_TRUE(compared->equal()) << Hex(compared->state) << " " << Hex(compared->refold);
    EXPECT_GE(compared->offset, 0);
  }

  std::vector<FileRecord> records_;
  std::ptrdiff_t half_ = 0;
};

TEST_F(RecoveryTest, TheStateIsThatOfARefold) {
  Feed(records_);
  RunUntilDone();
  ExpectTheStateOfARefold();
}

TEST_F(RecoveryTest, AnotherByteInTheStateIsNoticed) {
  Feed(records_);
  RunUntilDone();
  {
    auto store = Store::Open({.directory = state()});
    ASSERT_TRUE(store.has_value());
    Changes changes;
    changes.Put(Table::kHosts, "host9.example", "");
    ASSERT_TRUE((*store)->Apply(changes).has_value());
    ASSERT_TRUE((*store)->Flush().has_value());
  }
  const auto compared = Compare();
  ASSERT_TRUE(compared.has_value()) << compared.error().message;
  EXPECT_FALSE(compared->equal());
}

TEST_F(RecoveryTest, AnOlderStateCatchesUpWithoutPublishingAgain) {
  FeedFirstHalf();
  RunUntilDone();
  const fs::path older = directory_.path() / "older";
  fs::copy(state(), older, fs::copy_options::recursive);
  FeedSecondHalf();
  RunUntilDone();
  fs::remove_all(state());
  fs::rename(older, state());
  RunUntilDone();
  ExpectTheVerdictsOfOneRun();
  ExpectTheStateOfARefold();
}

TEST_F(RecoveryTest, AStateNewerThanTheCommittedOffsetIsRefused) {
  Feed(records_);
  RunUntilDone();
  {
    auto consumer = Consumer::Make(JudgeConsumer(setup_.kafka), setup_.kafka, {});
    ASSERT_TRUE(consumer.has_value());
    const auto set_back = (*consumer)->Commit({{{setup_.kafka.log_topic, 0}, 5}}, kPatience);
    ASSERT_TRUE(set_back.has_value());
  }
  const Status ended = RunService(setup_, std::stop_token());
  ASSERT_FALSE(ended.has_value());
  EXPECT_EQ(ended.error().code, ErrorCode::kMismatch);
  EXPECT_THAT(ended.error().message, HasSubstr("Start with an empty state directory"));
}

TEST_F(RecoveryTest, ALogThatWasRecreatedIsRefused) {
  Feed(records_);
  RunUntilDone();
  {
    const auto admin = Admin::Make(setup_.kafka, {});
    ASSERT_TRUE(admin.has_value());
    ASSERT_TRUE((*admin)->DeleteTopic(setup_.kafka.log_topic, kPatience).has_value());
  }
  RunningService service(setup_);
  const Status ended = service.Join();
  ASSERT_FALSE(ended.has_value());
  EXPECT_EQ(ended.error().code, ErrorCode::kMismatch) << ended.error().message;
}

TEST_F(RecoveryTest, ADamagedStateIsRefusedOrRebuiltAndNeverWrong) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  FeedFirstHalf();
  RunUntilDone();
  const fs::path whole = directory_.path() / "whole";
  fs::rename(state(), whole);
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(whole)) {
    const std::string name = entry.path().filename().string();
    if (entry.file_size() > 0 && name.find("LOG") != 0 && name.find("OPTIONS") != 0) {
      files.push_back(entry.path().filename());
    }
  }
  ASSERT_GE(files.size(), 3U);
  int refused = 0;
  for (const fs::path& file : files) {
    for (const bool truncate : {false, true}) {
      SCOPED_TRACE(file.string() + (truncate ? " truncated" : " changed"));
      fs::remove_all(state());
      fs::copy(whole, state(), fs::copy_options::recursive);
      const auto size = fs::file_size(state() / file);
      if (truncate) {
        fs::resize_file(state() / file, size / 2);
      } else {
        std::fstream stream(state() / file, std::ios::in | std::ios::out | std::ios::binary);
        stream.seekp(static_cast<std::streamoff>(random() % size));
        // Without its highest bit: docs/state.md has the one place where RocksDB would fail an
        // assertion.
        stream.put('\x5A');
      }
      // Either it doesn't open, with a word on what to do, or it is the state of some offset.
      const auto compared = Compare();
      if (compared.has_value()) {
        EXPECT_TRUE(compared->equal());
      } else {
        ++refused;
        EXPECT_THAT(compared.error().message, HasSubstr(state().string()));
      }
    }
  }
  EXPECT_GT(refused, 0);
  // What a refusal advises.
  fs::remove_all(state());
  FeedSecondHalf();
  RunUntilDone();
  ExpectTheVerdictsOfOneRun();
  ExpectTheStateOfARefold();
}

TEST_F(RecoveryTest, AJudgeStartsFromItsSnapshotOrWithoutIt) {
  FeedFirstHalf();
  RunUntilDone();
  const fs::path snapshot = state() / "index.snapshot";
  ASSERT_TRUE(fs::exists(snapshot));
  const auto is_used = [&] {
    auto store = Store::Open({.directory = state()});
    EXPECT_TRUE(store.has_value());
    auto detector =
        Detector::Open(**store, MakeIndex, SchemeOf(setup_.processor), {state(), 1'000'000});
    EXPECT_TRUE(detector.has_value());
    return (*detector)->restart_report().loaded.has_value();
  };
  EXPECT_TRUE(is_used());
  const auto quarter = half_ + (static_cast<std::ptrdiff_t>(records_.size()) - half_) / 2;
  Feed({records_.begin() + half_, records_.begin() + quarter});
  RunUntilDone();
  EXPECT_TRUE(is_used());
  fs::resize_file(snapshot, fs::file_size(snapshot) - 1);
  fs::remove(state() / "index.previous.snapshot");
  EXPECT_FALSE(is_used());
  Feed({records_.begin() + quarter, records_.end()});
  RunUntilDone();
  ExpectTheVerdictsOfOneRun();
  ExpectTheStateOfARefold();
  EXPECT_TRUE(is_used());
}

TEST_F(RecoveryTest, TheCommandComparesStateAndRefold) {
  Feed(records_);
  RunUntilDone();
  const std::string command = std::string(CRAWLSIEVE_PROGRAM) + " state verify --json --config '" +
                              WriteConfig("config") + "'";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string output(4096, '\0');
  output.resize(std::fread(output.data(), 1, output.size(), pipe));
  EXPECT_EQ(::pclose(pipe), 0);
  const auto report = nlohmann::json::parse(output);
  EXPECT_EQ(report["equal"], true);
  EXPECT_EQ(report["state_hash"], report["refold_hash"]);
  EXPECT_GE(report["log_offset"], static_cast<int>(records_.size()));
}

}  // namespace
}  // namespace crawlsieve::consumer

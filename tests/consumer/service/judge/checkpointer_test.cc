// Checkpoints by a judge that goes on, and a start from them, without a broker.
#include "consumer/service/judge/checkpointer.h"

#include "consumer/service/judge/restore_state.h"
#include "plugin/checkpoint/repository.h"
#include "plugin/checkpoint/restore.h"
#include "tests/plugin/judge/random_log.h"
#include "tests/plugin/judge/stored_judge.h"
#include "tests/support/kafka_clients.h"
#include "tests/support/temporary_directory.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace crawlsieve::consumer {
namespace {

using std::chrono::milliseconds;
using testing::StoredJudge;
using testing::Until;
namespace fs = std::filesystem;

class CheckpointerTest : public ::testing::Test {
 protected:
  void SetUp() override { judge_ = std::make_unique<StoredJudge>(state_); }

  [[nodiscard]] Checkpointer Make() {
    return {{.checkpoints = checkpoints_, .state_directory = state_}, judge_->store(), metrics_};
  }

  [[nodiscard]] CheckpointList List() const {
    const auto repository = CheckpointRepository::Open(checkpoints_.directory);
    if (!repository) return {};
    auto list = repository->List();
    EXPECT_TRUE(list.has_value()) << list.error().message;
    return list.value_or(CheckpointList());
  }

  /// Steps until `is_done`.
  template <typename Condition>
  static void StepUntil(Checkpointer& checkpointer, const Condition& is_done) {
    EXPECT_TRUE(Until(is_done, [&] { checkpointer.Step(); }));
  }

  /// For many times the interval.
  static void StepForAWhile(Checkpointer& checkpointer) {
    const auto end = std::chrono::steady_clock::now() + milliseconds(200);
    StepUntil(checkpointer, [&] { return std::chrono::steady_clock::now() > end; });
  }

  [[nodiscard]] std::string Counted(const std::string& name) const {
    const std::string text = metrics_.PrometheusText();
    const auto at = text.find("\n" + name + " ");
    return at == std::string::npos
               ? ""
               : text.substr(at + 2 + name.size(), text.find('\n', at + 1) - at - 2 - name.size());
  }

  /// By the checkpointers of this test.
  [[nodiscard]] std::string Made() const { return Counted("crawlsieve_checkpoints_made_total"); }

  [[nodiscard]] Status RestoreTo(const fs::path& state,
                                 const std::string& scheme = testing::kScheme) const {
    const auto log = [&]() -> Result<LogToRestore> { return LogToRestore{scheme, low_, check_}; };
    return RestoreLostState(checkpoints_, state, log, [](const std::string&) {}, {});
  }

  void Damage(const StoredCheckpoint& checkpoint) const {
    const auto repository = CheckpointRepository::Open(checkpoints_.directory);
    // A file of its own: an older checkpoint mustn't have it.
    for (const CheckpointFile& file : checkpoint.manifest.files) {
      if (file.name.starts_with("MANIFEST")) {
        std::ofstream(repository->PathOf(file), std::ios::app) << 'x';
      }
    }
  }

  const testing::TemporaryDirectory directory_;
  const fs::path state_ = directory_.path() / "state";
  const fs::path restored_ = directory_.path() / "restored";
  ServiceCheckpoints checkpoints_{.directory = (directory_.path() / "repository").string(),
                                  .interval = milliseconds(1)};
  const std::vector<log::Entry> log_ = testing::RandomLog(1, 600);
  std::int64_t low_ = 0;  ///< of the log
  std::function<Status(const StoredCheckpoint&)> check_ = [](const StoredCheckpoint&) {
    return Status();
  };
  Metrics metrics_{{"test", "0", {Role::kJudge}, Timestamp{}}};
  std::unique_ptr<StoredJudge> judge_;
};

TEST_F(CheckpointerTest, MakesThemWhileTheJudgeGoesOn) {
  Checkpointer checkpointer = Make();
  std::int64_t folded = 0;
  StepUntil(checkpointer, [&] {
    if (folded < 500) judge_->FoldTo(log_, folded += 10);
    return Counted("crawlsieve_checkpoint_last_log_offset") == "499";
  });
  const auto list = List();
  EXPECT_LE(list.checkpoints.size(), checkpoints_.keep);
  ASSERT_TRUE(RestoreTo(restored_).has_value());
  StoredJudge restored(restored_);
  judge_->FoldTo(log_, 600);
  restored.FoldTo(log_, 600);
  EXPECT_EQ(restored.Hash(), judge_->Hash());
}

TEST_F(CheckpointerTest, MakesNoneWhereNothingCameSince) {
  judge_->FoldTo(log_, 100);
  Checkpointer checkpointer = Make();
  StepUntil(checkpointer, [&] { return Made() == "1"; });
  const auto first = List();
  StepForAWhile(checkpointer);
  EXPECT_EQ(List().checkpoints.back().name, first.checkpoints.back().name);
  EXPECT_EQ(Made(), "1");
  judge_->FoldTo(log_, 200);
  StepUntil(checkpointer, [&] { return Made() == "2"; });
}

TEST_F(CheckpointerTest, CountsTheIntervalFromTheNewestOfTheRepository) {
  judge_->FoldTo(log_, 100);
  {
    Checkpointer checkpointer = Make();
    StepUntil(checkpointer, [&] { return Made() == "1"; });
  }
  checkpoints_.interval = std::chrono::hours(1);
  judge_->FoldTo(log_, 200);
  Checkpointer checkpointer = Make();
  EXPECT_EQ(Counted("crawlsieve_checkpoint_last_log_offset"), "99");
  StepForAWhile(checkpointer);
  EXPECT_EQ(List().checkpoints.size(), 1U);
}

TEST_F(CheckpointerTest, WaitsUntilSomethingIsFolded) {
  Checkpointer checkpointer = Make();
  StepForAWhile(checkpointer);
  EXPECT_TRUE(List().checkpoints.empty());
  EXPECT_EQ(Counted("crawlsieve_checkpoints_failed_total"), "0");
  judge_->FoldTo(log_, 10);
  StepUntil(checkpointer, [&] { return !List().checkpoints.empty(); });
}

TEST_F(CheckpointerTest, AFailureIsCountedAndTriedAgain) {
  std::ofstream(checkpoints_.directory) << "no directory";
  judge_->FoldTo(log_, 100);
  Checkpointer checkpointer = Make();
  StepUntil(checkpointer, [&] { return Counted("crawlsieve_checkpoints_failed_total") == "1"; });
  EXPECT_EQ(Counted("crawlsieve_checkpoint_begun_timestamp_seconds"), "0");
  fs::remove(checkpoints_.directory);
  StepUntil(checkpointer, [&] { return Made() == "1"; });
}

TEST_F(CheckpointerTest, ItsEndEndsAnUploadThatHangs) {
  const fs::path program = directory_.path() / "upload";
  const fs::path called = directory_.path() / "called";
  std::ofstream(program) << "#!/bin/sh\ntouch " << called.string() << "\nexec sleep 3600\n";
  fs::permissions(program, fs::perms::owner_all);
  checkpoints_.upload = program.string();
  judge_->FoldTo(log_, 100);
  {
    Checkpointer checkpointer = Make();
    EXPECT_EQ(Counted("crawlsieve_checkpoint_begun_timestamp_seconds"), "");
    StepUntil(checkpointer, [&] { return fs::exists(called); });
    EXPECT_GT(std::stod(Counted("crawlsieve_checkpoint_begun_timestamp_seconds")), 1.7e9);
  }
  EXPECT_TRUE(List().checkpoints.empty());
  EXPECT_FALSE(fs::exists(state_ / "checkpoint"));
}

TEST_F(CheckpointerTest, ADamagedCheckpointIsPassedOverAtAStart) {
  Checkpointer checkpointer = Make();
  for (const int folded : {100, 200}) {
    judge_->FoldTo(log_, folded);
    StepUntil(checkpointer, [&] {
      const auto list = List();
      return !list.checkpoints.empty() && list.checkpoints.back().manifest.log_offset == folded - 1;
    });
  }
  const auto list = List();
  Damage(list.checkpoints.back());
  ASSERT_TRUE(RestoreTo(restored_).has_value());
  EXPECT_EQ(StoredJudge(restored_).detector().position().offset,
            list.checkpoints[list.checkpoints.size() - 2].manifest.log_offset);
  // Where all are damaged, the log is folded from its start.
  for (const StoredCheckpoint& checkpoint : list.checkpoints) Damage(checkpoint);
  const fs::path none = directory_.path() / "none";
  ASSERT_TRUE(RestoreTo(none).has_value());
  EXPECT_FALSE(fs::exists(none / "CURRENT"));
}

TEST_F(CheckpointerTest, AStartRefusesCheckpointsOfAnotherLogAndALogThatBeginsBehindThemAll) {
  judge_->FoldTo(log_, 100);
  Checkpointer checkpointer = Make();
  StepUntil(checkpointer, [&] { return Made() == "1"; });
  check_ = [](const StoredCheckpoint& checkpoint) -> Status {
    return MakeError(ErrorCode::kMismatch, checkpoint.name + " is not of the log");
  };
  const auto foreign = RestoreTo(restored_);
  ASSERT_FALSE(foreign.has_value());
  EXPECT_NE(foreign.error().message.find("is not of the log"), std::string::npos);
  check_ = [](const StoredCheckpoint&) { return Status(); };
  low_ = 100;
  const auto behind = RestoreTo(restored_);
  ASSERT_FALSE(behind.has_value());
  EXPECT_NE(behind.error().message.find("begins at offset 100"), std::string::npos);
  EXPECT_FALSE(Store::IsIn(restored_));
  low_ = 99;
  EXPECT_TRUE(RestoreTo(restored_).has_value());
  EXPECT_TRUE(Store::IsIn(restored_));
}

TEST_F(CheckpointerTest, ACheckpointFromTheFutureDelaysNone) {
  judge_->FoldTo(log_, 100);
  {
    Checkpointer checkpointer = Make();
    StepUntil(checkpointer, [&] { return Made() == "1"; });
  }
  const auto repository = CheckpointRepository::Open(checkpoints_.directory);
  CheckpointManifest manifest = List().checkpoints.back().manifest;
  manifest.created += std::chrono::hours(24 * 365);
  const std::string text = RenderManifest(manifest);
  for (const StoredCheckpoint& old : List().checkpoints) {
    fs::remove(repository->manifests() / (old.name + ".json"));
  }
  std::ofstream(repository->manifests() / (ManifestNameOf(text) + ".json")) << text;
  checkpoints_.interval = std::chrono::hours(1);
  judge_->FoldTo(log_, 200);
  Checkpointer checkpointer = Make();
  StepUntil(checkpointer, [&] { return Made() == "2"; });
}

TEST_F(CheckpointerTest, AStateAndItsCheckpointsLieApart) {
  for (const fs::path& directory : {state_ / "checkpoint", state_, directory_.path()}) {
    checkpoints_.directory = directory.string();
    const auto refused = RestoreTo(state_);
    ASSERT_FALSE(refused.has_value()) << directory;
    EXPECT_NE(refused.error().message.find("must lie apart"), std::string::npos);
  }
}

TEST_F(CheckpointerTest, AStartRestoresNothingOverAStateAndNothingOfAnotherScheme) {
  ASSERT_TRUE(RestoreTo(restored_).has_value()) << "no repository yet";
  EXPECT_FALSE(fs::exists(restored_));
  judge_->FoldTo(log_, 100);
  {
    Checkpointer checkpointer = Make();
    StepUntil(checkpointer, [&] { return Made() == "1"; });
  }
  judge_->FoldTo(log_, 300);
  judge_->Flush();
  judge_.reset();
  ASSERT_TRUE(RestoreTo(state_).has_value());
  EXPECT_EQ(StoredJudge(state_).detector().position().offset, 299);

  const auto refused = RestoreTo(restored_, "cs2-other");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kMismatch);
  EXPECT_NE(refused.error().message.find("cs2-other"), std::string::npos);
  fs::create_directory(restored_);
  std::ofstream(restored_ / "notes") << "of somebody";
  const auto not_empty = RestoreTo(restored_);
  ASSERT_FALSE(not_empty.has_value());
  EXPECT_EQ(not_empty.error().code, ErrorCode::kInvalidInput);
  EXPECT_TRUE(fs::exists(restored_ / "notes"));
}

}  // namespace
}  // namespace crawlsieve::consumer

// Checkpoints are made of states that random logs were folded into, restored and folded on, and
// compared with a fold that was never interrupted.
#include "plugin/checkpoint/create.h"
#include "plugin/checkpoint/repository.h"
#include "plugin/checkpoint/restore.h"
#include "plugin/fingerprint/checksum.h"
#include "plugin/state/lock_file.h"
#include "tests/plugin/judge/random_log.h"
#include "tests/plugin/judge/stored_judge.h"
#include "tests/support/sanitized.h"
#include "tests/support/temporary_directory.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace crawlsieve {
namespace {

using testing::TemporaryDirectory;
namespace fs = std::filesystem;

std::vector<log::Entry> LogOf(std::uint64_t seed, int size) {
  return testing::WithFetches(testing::RandomLog(seed, size), seed);
}

using Judge = testing::StoredJudge;

CheckpointReport Made(const Result<CheckpointReport>& report) {
  EXPECT_TRUE(report.has_value()) << report.error().message;
  return report.value_or(CheckpointReport());
}

Status Restore(const fs::path& repository, const fs::path& state, const std::string& name = "") {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto opened, CheckpointRepository::Open(repository));
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto checkpoint, opened.Find(name));
  return RestoreCheckpoint(opened, checkpoint, state);
}

Status Verify(const fs::path& repository, const std::string& name = "") {
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto opened, CheckpointRepository::Open(repository));
  CRAWLSIEVE_ASSIGN_OR_RETURN(const auto checkpoint, opened.Find(name));
  return VerifyCheckpoint(opened, checkpoint);
}

void ExpectDone(const Status& status) { EXPECT_TRUE(status.has_value()) << status.error().message; }

/// That it failed so, and says so.
template <typename T>
void ExpectRefused(const Result<T>& result, ErrorCode code, const std::string& words) {
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, code) << result.error().message;
  EXPECT_NE(result.error().message.find(words), std::string::npos) << result.error().message;
}

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteFile(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::vector<fs::path> FilesIn(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

bool IsTable(const std::string& name) { return fs::path(name).extension() == ".sst"; }

/// A repository, and a state that 300 entries were folded into.
class CheckpointTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kFolded = 300;

  void SetUp() override {
    Judge judge(state_);
    judge.FoldTo(log_, kFolded);
    judge.Flush();
    judge.FoldTo(log_, kFolded + 1);
    judge.Flush();  // and the snapshot that the first Flush wrote counts
    hash_ = judge.Hash();
  }

  [[nodiscard]] Result<CheckpointReport> Create(CheckpointOptions options = {}) const {
    options.repository = repository_;
    return CreateCheckpointOf(state_, options);
  }
  [[nodiscard]] fs::path Manifest(const std::string& name) const {
    return repository_ / "manifests" / (name + ".json");
  }

  const TemporaryDirectory directory_;
  const fs::path state_ = directory_.path() / "state";
  const fs::path repository_ = directory_.path() / "checkpoints";
  const fs::path restored_ = directory_.path() / "restored";
  const std::vector<log::Entry> log_ = LogOf(1, 600);
  Checksum hash_;
};

TEST(Checkpoint, AStateRestoredAndFoldedOnIsThatOfOneFold) {
  for (std::uint64_t seed = 0; seed < (testing::kIsSanitized ? 2 : 8); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const auto log = LogOf(seed, 900);
    const auto end = static_cast<std::int64_t>(log.size());
    const TemporaryDirectory directory;
    const fs::path repository = directory.path() / "repository";
    Judge judge(directory.path() / "whole");
    std::vector<std::string> verdicts;
    std::vector<std::pair<std::string, std::int64_t>> checkpoints;
    // Some are taken while changes are in memory only, and of a judge that goes on.
    std::int64_t flushed = 0;
    for (int i = 0; i < 3; ++i) {
      const auto to = static_cast<std::int64_t>(verdicts.size()) + 1 +
                      static_cast<std::int64_t>(random() % 290);
      for (auto& verdict : judge.FoldTo(log, to)) verdicts.push_back(std::move(verdict));
      if (i == 0 || random() % 2 == 0) {
        judge.Flush();
        flushed = to;
      }
      const auto copy = StateCopy::Take(judge.store(), directory.path() / "whole");
      ASSERT_TRUE(copy.has_value()) << copy.error().message;
      const auto on = to + static_cast<std::int64_t>(random() % 10);
      for (auto& verdict : judge.FoldTo(log, on)) verdicts.push_back(std::move(verdict));
      const auto report = Made(CreateCheckpoint(*copy, {.repository = repository}));
      // What is in files: all that was flushed, and perhaps some of what came since.
      const std::int64_t position = report.made.manifest.log_offset + 1;
      EXPECT_GE(position, flushed);
      EXPECT_LE(position, to);
      checkpoints.emplace_back(report.made.name, position);
    }
    for (auto& verdict : judge.FoldTo(log, end)) verdicts.push_back(std::move(verdict));
    for (const auto& [name, position] : checkpoints) {
      const fs::path state = directory.path() / name;
      ExpectDone(Verify(repository, name));
      ExpectDone(Restore(repository, state, name));
      Judge restored(state);
      ASSERT_EQ(restored.detector().position().offset, position - 1);
      const auto later = restored.FoldTo(log, end);
      EXPECT_TRUE(std::ranges::equal(later, std::span(verdicts).subspan(position)));
      EXPECT_EQ(restored.Hash(), judge.Hash());
    }
  }
}

TEST_F(CheckpointTest, RestoresTheIndexFromTheSnapshotThatCounts) {
  Made(Create());
  ExpectDone(Restore(repository_, restored_));
  const Judge restored(restored_);
  EXPECT_EQ(restored.Hash(), hash_);
  EXPECT_TRUE(restored.detector().restart_report().loaded.has_value());
}

TEST_F(CheckpointTest, ASnapshotThatIsDamagedOrOfAnotherStateIsLeftOut) {
  for (const char* name : {"index.snapshot", "index.previous.snapshot"}) {
    std::string bytes = ReadFile(state_ / name);
    if (bytes.empty()) continue;
    bytes[bytes.size() / 2] ^= 1;
    WriteFile(state_ / name, bytes);
  }
  const auto report = Made(Create());
  EXPECT_TRUE(std::ranges::none_of(report.made.manifest.files, [](const CheckpointFile& file) {
    return file.name.ends_with(".snapshot");
  }));
  ExpectDone(Restore(repository_, restored_));
  EXPECT_EQ(Judge(restored_).Hash(), hash_);
}

TEST_F(CheckpointTest, ASecondOneCopiesOnlyNewFiles) {
  const auto first = Made(Create());
  EXPECT_EQ(first.new_bytes, first.made.manifest.bytes());
  {
    Judge judge(state_);
    judge.FoldTo(log_, kFolded + 10);
    judge.Flush();
  }
  std::set<std::string> before;
  for (const auto& path : FilesIn(repository_ / "files")) before.insert(path.filename());
  const auto second = Made(Create());
  std::uint64_t bytes = 0;
  std::uint64_t files = 0;
  for (const CheckpointFile& file : second.made.manifest.files) {
    if (!before.insert(file.StoredName()).second) continue;
    bytes += file.bytes;
    ++files;
  }
  EXPECT_EQ(second.new_bytes, bytes);
  EXPECT_EQ(second.new_files, files);
  EXPECT_LT(files, second.made.manifest.files.size());
  EXPECT_EQ(FilesIn(repository_ / "files").size(), before.size());
  EXPECT_FALSE(fs::exists(state_ / "checkpoint"));
}

TEST_F(CheckpointTest, KeepRemovesOlderOnesAndTheFilesThatOnlyTheyHave) {
  for (int i = 1; i <= 4; ++i) {
    {
      Judge judge(state_);
      judge.FoldTo(log_, kFolded + 10 * i);
      judge.Flush();
    }
    Made(Create());
  }
  const auto report = Made(Create({.keep = 2}));
  EXPECT_EQ(report.removed, 3U);
  const auto list = CheckpointRepository::Open(repository_)->List();
  ASSERT_EQ(list->checkpoints.size(), 2U);
  EXPECT_EQ(list->checkpoints.back().name, report.made.name);
  std::set<std::string> named;
  for (const auto& checkpoint : list->checkpoints) {
    ExpectDone(Verify(repository_, checkpoint.name));
    for (const auto& file : checkpoint.manifest.files) named.insert(file.StoredName());
  }
  EXPECT_EQ(FilesIn(repository_ / "files").size(), named.size());
}

TEST_F(CheckpointTest, WhatAFailedAttemptLeftMakesRoomForTheNextOne) {
  ExpectRefused(Create({.upload = "false"}), ErrorCode::kIo, "ended with code 1");
  std::set<fs::path> left;
  for (const auto& path : FilesIn(repository_ / "files")) left.insert(path);
  EXPECT_FALSE(left.empty());
  WriteFile(repository_ / "files" / "0123-4", "of an earlier state");
  const auto report = Made(Create());
  EXPECT_LT(report.new_files, report.made.manifest.files.size());  // what it left is used
  EXPECT_FALSE(fs::exists(repository_ / "files" / "0123-4"));
  ExpectDone(Verify(repository_));
}

TEST_F(CheckpointTest, KeepNeverRemovesTheOneThatIsMade) {
  const auto newer = Made(Create());
  const fs::path older = directory_.path() / "older";
  {
    Judge judge(older);
    judge.FoldTo(log_, 50);
    judge.Flush();
  }
  const auto report = Made(CreateCheckpointOf(older, {.repository = repository_, .keep = 1}));
  ExpectDone(Verify(repository_, report.made.name));
  ExpectDone(Verify(repository_, newer.made.name));
}

TEST_F(CheckpointTest, DamageToAnyFileIsFoundByVerifyAndRestore) {
  const auto report = Made(Create());
  constexpr std::size_t kStep = 65'536;
  for (const fs::path& path : FilesIn(repository_ / "files")) {
    SCOPED_TRACE(path.string());
    const std::string bytes = ReadFile(path);
    std::vector<std::string> damaged;
    for (std::size_t i = 0; i < bytes.size(); i += kStep) {
      const std::size_t at = i + (std::min(kStep, bytes.size() - i)) / 2;
      damaged.push_back(bytes);
      damaged.back()[at] = static_cast<char>(damaged.back()[at] ^ 0x20);
    }
    if (!bytes.empty()) damaged.push_back(bytes.substr(0, bytes.size() - 1));
    damaged.push_back(bytes + 'x');
    for (const std::string& content : damaged) {
      WriteFile(path, content);
      ExpectRefused(Verify(repository_), ErrorCode::kCorruption, path.string());
      ExpectRefused(Restore(repository_, restored_), ErrorCode::kCorruption, path.string());
      ASSERT_FALSE(Store::IsIn(restored_));
      ASSERT_FALSE(fs::exists(restored_ / "restoring"));
    }
    fs::remove(path);
    ExpectRefused(Verify(repository_), ErrorCode::kCorruption, "is missing");
    ExpectRefused(Restore(repository_, restored_), ErrorCode::kCorruption, "is missing");
    WriteFile(path, bytes);
  }
  ExpectDone(Restore(repository_, restored_));
  EXPECT_EQ(Judge(restored_).Hash(), hash_);
}

TEST_F(CheckpointTest, EveryChangedByteOfTheManifestIsFound) {
  const fs::path manifest = Manifest(Made(Create()).made.name);
  const std::string text = ReadFile(manifest);
  for (std::size_t i = 0; i < text.size(); i += testing::kIsSanitized ? 7 : 1) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    WriteFile(manifest, changed);
    ASSERT_FALSE(Restore(repository_, restored_).has_value()) << i;
  }
  WriteFile(manifest, text);
  const fs::path other = Manifest("00000000000000000001-0123456789abcdef");
  fs::rename(manifest, other);
  ExpectRefused(Restore(repository_, restored_), ErrorCode::kCorruption, "give it that name back");
}

TEST_F(CheckpointTest, ErrorsSayWhatIsWrong) {
  ExpectRefused(CreateCheckpointOf(directory_.path() / "nothing", {.repository = repository_}),
                ErrorCode::kInvalidInput, "there is no state in");
  EXPECT_FALSE(fs::exists(directory_.path() / "nothing"));
  {
    const Judge judge(state_);
    ExpectRefused(Create(), ErrorCode::kBusy, "in use by process");
  }
  ExpectRefused(Restore(repository_, restored_), ErrorCode::kInvalidInput, "no repository");
  for (const fs::path& repository : {state_, state_ / "checkpoint", directory_.path()}) {
    ExpectRefused(CreateCheckpointOf(state_, {.repository = repository}), ErrorCode::kInvalidInput,
                  "must lie apart");
  }
  Made(Create());
  ExpectRefused(Restore(repository_, restored_, "other"), ErrorCode::kInvalidInput,
                "has no checkpoint other");
  ExpectRefused(Restore(repository_, state_), ErrorCode::kInvalidInput, "isn't empty");
  // What processes leave beside a state doesn't matter.
  fs::create_directory(restored_);
  WriteFile(restored_ / "pages-in-progress.0", "notes");
  ExpectDone(Restore(repository_, restored_.string() + "/"));
  EXPECT_EQ(ReadFile(restored_ / "pages-in-progress.0"), "notes");
  {
    const auto lock = LockFile::Acquire(repository_ / "lock");
    ExpectRefused(Create(), ErrorCode::kBusy, "another checkpoint is being made");
  }
  const fs::path manifest = FilesIn(repository_ / "manifests").front();
  auto other = *ParseManifest(ReadFile(manifest), "manifest");
  other.scheme = "another";
  const std::string text = RenderManifest(other);
  WriteFile(Manifest(ManifestNameOf(text)), text);
  ExpectRefused(Create(), ErrorCode::kMismatch, "has checkpoints of scheme another");
  fs::remove(manifest);
  ExpectRefused(Restore(repository_, directory_.path() / "new"), ErrorCode::kMismatch,
                "another position or scheme");
}

TEST_F(CheckpointTest, UploadsNewFilesAndThenTheManifestAndFailsWithTheCommand) {
  const fs::path uploaded = directory_.path() / "store";
  const fs::path order = directory_.path() / "order";
  const fs::path command = directory_.path() / "upload command";
  const auto script = [&](const std::string& text) {
    WriteFile(command, "#!/bin/sh\nset -e\n" + text);
    fs::permissions(command, fs::perms::owner_all);
  };
  fs::create_directories(uploaded / "files");
  fs::create_directories(uploaded / "manifests");
  script("case $2 in manifests/*) exit 7;; esac\ncp \"$1\" '" + uploaded.string() + "'/\"$2\"\n");
  ExpectRefused(Create({.upload = command}), ErrorCode::kIo, "ended with code 7");
  EXPECT_TRUE(CheckpointRepository::Open(repository_)->List()->checkpoints.empty());

  // Nothing was called made, so all of it is sent again.
  fs::remove_all(uploaded / "files");
  fs::create_directory(uploaded / "files");
  script("echo \"$2\" >> '" + order.string() + "'\ncp \"$1\" '" + uploaded.string() + "'/\"$2\"\n");
  const auto report = Made(Create({.upload = command}));
  EXPECT_TRUE(ReadFile(order).ends_with("manifests/" + report.made.name + ".json\n"));
  ExpectDone(Restore(uploaded, restored_));
  EXPECT_EQ(Judge(restored_).Hash(), hash_);

  fs::remove(order);
  Made(Create({.upload = command}));
  std::ifstream lines(order);
  std::set<std::string> sent(std::istream_iterator<std::string>(lines), {});
  for (const CheckpointFile& file : report.made.manifest.files) {
    EXPECT_FALSE(sent.contains("files/" + file.StoredName())) << file.name;
  }
  script("exec sleep 1000\n");
  ExpectRefused(Create({.upload = command, .upload_time_limit = std::chrono::seconds(1)}),
                ErrorCode::kIo, "not done within 1 s");
  ExpectRefused(Create({.upload = "/nowhere/command"}), ErrorCode::kIo, "/nowhere/command");
}

/// In a process that can write files of so many bytes at most.
int WithFilesOf(rlim_t bytes, const std::function<Status()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, bytes};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(3);
    const Status done = work();
    ::_exit(done ? 0 : done.error().code == ErrorCode::kIo ? 1 : 2);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(CheckpointTest, AStopEndsItWithoutACheckpoint) {
  std::stop_source stop;
  stop.request_stop();
  ExpectRefused(Create({.stop = stop.get_token()}), ErrorCode::kIo, "stopped");
  const auto made = Made(Create());
  auto repository = CheckpointRepository::Open(repository_);
  ASSERT_TRUE(repository.has_value());
  EXPECT_EQ(repository->List()->checkpoints.size(), 1U);
  ExpectRefused(RestoreCheckpoint(*repository, made.made, restored_, stop.get_token()),
                ErrorCode::kIo, "stopped");
  EXPECT_FALSE(Store::IsIn(restored_));
}

TEST_F(CheckpointTest, ATableThatIsKnownIsReadOnlyWhereItsCopyIsGone) {
  const auto first = Made(Create());
  auto store = Store::Open({.directory = state_});
  ASSERT_TRUE(store.has_value());
  const auto copy = StateCopy::Take(**store, state_);
  ASSERT_TRUE(copy.has_value()) << copy.error().message;
  const CheckpointFile* table = nullptr;
  for (const CheckpointFile& file : first.made.manifest.files) {
    if (IsTable(file.name)) table = &file;
  }
  ASSERT_NE(table, nullptr);
  // What comes to the manifest tells whether the file was read.
  const fs::path path = copy->folder() / table->name;
  std::string bytes = ReadFile(path);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  fs::remove(path);
  WriteFile(path, bytes);
  const auto in = [&](const CheckpointReport& report) {
    const auto found =
        std::ranges::find(report.made.manifest.files, table->name, &CheckpointFile::name);
    return found->sha256;
  };
  const CheckpointOptions options{.repository = repository_};
  EXPECT_EQ(in(Made(CreateCheckpoint(*copy, options, first.made.manifest))), table->sha256);
  EXPECT_NE(in(Made(CreateCheckpoint(*copy, options))), table->sha256);
  fs::remove(repository_ / "files" / table->StoredName());
  EXPECT_NE(in(Made(CreateCheckpoint(*copy, options, first.made.manifest))), table->sha256);
}

std::uint64_t LargestTable(const CheckpointManifest& manifest) {
  std::uint64_t bytes = 0;
  for (const CheckpointFile& file : manifest.files) {
    if (IsTable(file.name)) bytes = std::max(bytes, file.bytes);
  }
  return bytes;
}

/// That `known` doesn't have.
std::uint64_t LargestNewTable(const fs::path& state, const CheckpointManifest& known) {
  std::uint64_t bytes = 0;
  for (const fs::path& path : FilesIn(state)) {
    const std::string name = path.filename();
    if (IsTable(name) &&
        std::ranges::find(known.files, name, &CheckpointFile::name) == known.files.end()) {
      bytes = std::max<std::uint64_t>(bytes, fs::file_size(path));
    }
  }
  return bytes;
}

TEST_F(CheckpointTest, AFullDiskIsAnErrorAndHarmsNoOtherCheckpoint) {
  const auto first = Made(Create());
  {
    Judge judge(state_);
    judge.FoldTo(log_, kFolded + 200);
    judge.Flush();
    hash_ = judge.Hash();
  }
  // A table's file, which has to be written by both, is larger than all limits but the last.
  const rlim_t table =
      std::min(LargestNewTable(state_, first.made.manifest), LargestTable(first.made.manifest));
  const rlim_t enough = 10'000'000;
  ASSERT_GT(table, 1'000U);
  for (const rlim_t bytes : {rlim_t{1}, rlim_t{100}, rlim_t{1'000}, table / 2, table - 1, enough}) {
    SCOPED_TRACE(bytes);
    const int created = WithFilesOf(bytes, [&]() -> Status {
      CRAWLSIEVE_RETURN_IF_ERROR(Create());
      return {};
    });
    EXPECT_EQ(created, bytes == enough ? 0 : 1);
    ExpectDone(Verify(repository_, first.made.name));
    const int restored =
        WithFilesOf(bytes, [&] { return Restore(repository_, restored_, first.made.name); });
    EXPECT_EQ(restored, bytes == enough ? 0 : 1);
    EXPECT_EQ(Store::IsIn(restored_), restored == 0);
  }
  ExpectDone(Restore(repository_, directory_.path() / "newest"));
  EXPECT_EQ(Judge(directory_.path() / "newest").Hash(), hash_);
}

}  // namespace
}  // namespace crawlsieve

// Ends a process at every operation on files that making or restoring a checkpoint does, and looks
// at what the next process makes of what is left.
//
// The functions of the C library that change files are defined here once more: this program and the
// libraries it uses, RocksDB too, call these. Each case is a process forked from one that has no
// threads and no RocksDB.
#include "plugin/checkpoint/create.h"
#include "plugin/checkpoint/repository.h"
#include "plugin/checkpoint/restore.h"
#include "plugin/index/flat_index.h"
#include "plugin/judge/detector.h"
#include "plugin/judge/state_hash.h"
#include "plugin/state/store.h"
#include "tests/support/entry_builder.h"
#include "tests/support/sanitized.h"
#include "tests/support/temporary_directory.h"

#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int kCrashed = 42;

/// From one operation that a process ends at to the next.
constexpr int kStep = crawlsieve::testing::kIsSanitized ? 7 : 1;

/// Operations still to be let through; negative: all.
std::atomic<int> operations_left{-1};
/// Whether the operation that is not let through is done by half. Then only those count that can
/// be: writes.
bool is_torn = false;

/// Whether this is the operation at which the process ends.
bool IsLast() { return operations_left >= 0 && operations_left-- == 0; }

void CrashIfLast() {
  if (!is_torn && IsLast()) ::_exit(kCrashed);
}

template <typename Function>
Function* Real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

ssize_t write(int file, const void* data, std::size_t size) {
  static const auto real = Real<ssize_t(int, const void*, std::size_t)>("write");
  if (IsLast()) {
    if (is_torn) (void)real(file, data, size / 2);
    ::_exit(kCrashed);
  }
  return real(file, data, size);
}

ssize_t pwrite(int file, const void* data, std::size_t size, off_t offset) {
  static const auto real = Real<ssize_t(int, const void*, std::size_t, off_t)>("pwrite");
  if (IsLast()) {
    if (is_torn) (void)real(file, data, size / 2, offset);
    ::_exit(kCrashed);
  }
  return real(file, data, size, offset);
}
ssize_t pwrite64(int file, const void* data, std::size_t size, off_t offset) {
  return pwrite(file, data, size, offset);
}

// What a process has written outlives it, synced or not, and syncing takes most of the time.
int fsync(int /*file*/) {
  CrashIfLast();
  return 0;
}
int fdatasync(int /*file*/) {
  CrashIfLast();
  return 0;
}

int rename(const char* from, const char* to) noexcept {
  static const auto real = Real<int(const char*, const char*)>("rename");
  CrashIfLast();
  return real(from, to);
}

int link(const char* from, const char* to) noexcept {
  static const auto real = Real<int(const char*, const char*)>("link");
  CrashIfLast();
  return real(from, to);
}

int unlink(const char* path) noexcept {
  static const auto real = Real<int(const char*)>("unlink");
  CrashIfLast();
  return real(path);
}

int unlinkat(int directory, const char* path, int flags) noexcept {
  static const auto real = Real<int(int, const char*, int)>("unlinkat");
  CrashIfLast();
  return real(directory, path, flags);
}

int rmdir(const char* path) noexcept {
  static const auto real = Real<int(const char*)>("rmdir");
  CrashIfLast();
  return real(path);
}

int mkdir(const char* path, mode_t mode) noexcept {
  static const auto real = Real<int(const char*, mode_t)>("mkdir");
  CrashIfLast();
  return real(path, mode);
}

int ftruncate(int file, off_t size) noexcept {
  static const auto real = Real<int(int, off_t)>("ftruncate");
  CrashIfLast();
  return real(file, size);
}
int ftruncate64(int file, off_t size) noexcept { return ftruncate(file, size); }

int open(const char* path, int flags, ...) {
  static const auto real = Real<int(const char*, int, ...)>("open");
  mode_t mode = 0;
  if ((flags & (O_CREAT | O_TMPFILE)) != 0) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
    CrashIfLast();
  }
  return real(path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  mode_t mode = 0;
  if ((flags & (O_CREAT | O_TMPFILE)) != 0) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  return open(path, flags | O_LARGEFILE, mode);
}

}  // extern "C"

namespace crawlsieve {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScheme = "cs1-test";
constexpr int kFirst = 10;   ///< entries in the first checkpoint
constexpr int kSecond = 20;  ///< and in the second

/// Runs `work` in a process of its own; returns its exit code, or -1 if a signal ended it.
int InAnotherProcess(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

/// Ends the process with code 1 unless it is so.
void Check(bool is_so, const char* what) {
  if (is_so) return;
  std::fprintf(stderr, "not so: %s\n", what);
  ::_exit(1);
}

void Check(const Status& done, const char* what) {
  if (!done) std::fprintf(stderr, "%s\n", done.error().message.c_str());
  Check(done.has_value(), what);
}

/// Folds on to `end` entries, with a restart snapshot; returns the hash of the state.
Checksum FoldTo(const fs::path& state, int end) {
  auto store = Store::Open({.directory = state});
  Check(store.has_value(), "open the store");
  const auto make_index = [](int) -> Result<std::unique_ptr<HammingIndex>> {
    return std::make_unique<FlatIndex>();
  };
  auto opened = Detector::Open(**store, make_index, kScheme, {state, 1'000'000});
  Check(opened.has_value(), "open the detector");
  Detector& detector = **opened;
  testing::EntryBuilder entries(kScheme);
  for (int i = 0; i < end; ++i) {
    const auto number = static_cast<std::uint64_t>(i);
    const log::Entry entry =
        i == 0 ? ParametersEntry({}, kScheme)
               : entries.Text("http://a/" + std::to_string(i), "text " + std::to_string(i),
                              number * 0x9e37'79b9'7f4a'7c15);
    if (i <= detector.position().offset) continue;
    Check(detector.Fold(entry).has_value(), "fold");
    Check(detector.Commit({i, "0123456789abcdef"}), "commit");
  }
  Check(detector.Flush(), "flush");
  return StateHash(**store).value();
}

class CheckpointCrashTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    is_torn = GetParam();
    ASSERT_EQ(InAnotherProcess([&] {
                FoldTo(original_ / "state", kFirst);
                Check(Create(original_, 0).has_value(), "create");
                FoldTo(original_ / "state", kSecond);
                return 0;
              }),
              0);
  }

  static Result<CheckpointReport> Create(const fs::path& directory, std::uint64_t keep) {
    return CreateCheckpointOf(directory / "state",
                              {.repository = directory / "repository", .keep = keep});
  }

  /// Restores the newest checkpoint.
  static Status Restore(const fs::path& directory, const fs::path& state) {
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto opened,
                                CheckpointRepository::Open(directory / "repository"));
    CRAWLSIEVE_ASSIGN_OR_RETURN(const auto newest, opened.Find(""));
    return RestoreCheckpoint(opened, newest, state);
  }

  /// That all checkpoints are whole; returns how many.
  static std::size_t CheckAll(const fs::path& directory) {
    const auto opened = CheckpointRepository::Open(directory / "repository");
    Check(opened.has_value(), "open the repository");
    const auto list = opened->List();
    Check(list.has_value() && list->refused.empty(), "every manifest is whole");
    for (const StoredCheckpoint& checkpoint : list->checkpoints) {
      Check(VerifyCheckpoint(*opened, checkpoint), "every checkpoint is whole");
    }
    return list->checkpoints.size();
  }

  /// Calls `work` on copies of the original directory, in processes that end at each of its
  /// operations in turn, and `check` in another one afterwards.
  void AtEveryOperation(const std::function<void(const fs::path&)>& work,
                        const std::function<void(const fs::path&)>& check) {
    bool is_done = false;
    int operations = 0;
    for (; !is_done && operations < 2'000; operations += kStep) {
      SCOPED_TRACE("after " + std::to_string(operations) + " operations");
      const testing::TemporaryDirectory copy;
      fs::copy(original_, copy.path(), fs::copy_options::recursive);
      const int ended = InAnotherProcess([&] {
        operations_left = operations;
        work(copy.path());
        return 0;
      });
      ASSERT_TRUE(ended == 0 || ended == kCrashed) << ended;
      is_done = ended == 0;
      const int checked = InAnotherProcess([&] {
        check(copy.path());
        return 0;
      });
      ASSERT_EQ(checked, 0);
    }
    EXPECT_TRUE(is_done);
    EXPECT_GT(operations, is_torn ? 10 : 30);
  }

  const testing::TemporaryDirectory directory_;
  const fs::path original_ = directory_.path();
};

TEST_P(CheckpointCrashTest, OfCreateLeavesTheOthersWholeAndTheNextOneWorks) {
  AtEveryOperation(
      [](const fs::path& directory) { Check(Create(directory, 1).has_value(), "create"); },
      [](const fs::path& directory) {
        Check(CheckAll(directory) >= 1, "a checkpoint is there");
        const auto made = Create(directory, 1);
        Check(made.has_value() && made->made.manifest.log_offset == kSecond - 1, "the next one");
        Check(CheckAll(directory) >= 1, "a checkpoint is there after the next one");
        Check(Restore(directory, directory / "new"), "restore the next one");
        Check(FoldTo(directory / "new", kSecond) == FoldTo(directory / "state", kSecond),
              "the same state");
        for (const auto& file : fs::directory_iterator(directory / "repository" / "files")) {
          Check(file.path().extension() != ".new", "nothing unfinished is left");
        }
      });
}

TEST_P(CheckpointCrashTest, OfRestoreLeavesNothingOrAllAndTheNextOneWorks) {
  AtEveryOperation(
      [](const fs::path& directory) { Check(Restore(directory, directory / "new"), "restore"); },
      [](const fs::path& directory) {
        if (!Store::IsIn(directory / "new")) {
          Check(Restore(directory, directory / "new"), "restore again");
        }
        const Checksum folded = FoldTo(directory / "new", kFirst);
        Check(!fs::exists(directory / "new" / "restoring") &&
                  !fs::exists(directory / "new" / "restored"),
              "nothing unfinished is left");
        Check(FoldTo(directory / "new", kSecond) == FoldTo(directory / "state", kSecond),
              "the same state");
        Check(folded != FoldTo(directory / "state", kSecond), "a state of the first checkpoint");
      });
}

INSTANTIATE_TEST_SUITE_P(Writes, CheckpointCrashTest, ::testing::Bool(),
                         [](const ::testing::TestParamInfo<bool>& parameter) {
                           return parameter.param ? "DoneByHalf" : "NotDone";
                         });

}  // namespace
}  // namespace crawlsieve

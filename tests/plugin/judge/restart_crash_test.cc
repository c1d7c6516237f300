// Ends a process at every operation on files that a judge does while it writes its state and three
// restart snapshots, and looks at what the next process makes of what is left.
//
// The functions of the C library that change files are defined here once more: this program and the
// libraries it uses, RocksDB too, call these. Each case is a process forked from one that has no
// threads and no RocksDB.
#include "plugin/index/flat_index.h"
#include "plugin/judge/detector.h"
#include "plugin/state/store.h"
#include "tests/support/entry_builder.h"
#include "tests/support/sanitized.h"
#include "tests/support/temporary_directory.h"

#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
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

constexpr const char* kScheme = "cs1-test";
constexpr int kEntries = 30;
constexpr int kCycle = 10;  ///< entries from one snapshot to the next
constexpr int kBatch = 2;   ///< entries from one commit to the next

std::uint64_t SimhashOf(int entry) {
  return static_cast<std::uint64_t>(entry) * 0x9e37'79b9'7f4a'7c15;
}

/// The page that entry `number` brings: every third one replaces the page of two entries before.
std::string UrlOf(int number) {
  return "http://a/" + std::to_string(number % 3 == 2 ? number - 2 : number);
}

/// What the index holds after that many entries. The parameters have sequence 1.
std::set<IndexEntry> Expected(int entries) {
  std::map<std::string, IndexEntry> live;
  for (int i = 0; i < entries; ++i) {
    live[UrlOf(i)] = {Fingerprint{SimhashOf(i)}, DocId{static_cast<std::uint64_t>(i) + 2}};
  }
  std::set<IndexEntry> all;
  for (const auto& [url, entry] : live) all.insert(entry);
  return all;
}

/// A judge that goes on where the state in `directory` ends. Reports what is wrong by Fail.
class Judge {
 public:
  explicit Judge(const std::filesystem::path& directory) : directory_(directory) {
    auto store = Store::Open({.directory = directory});
    Check(store.has_value(), "open the store");
    store_ = std::move(*store);
    detector_ = Open({directory, 1'000'000}, index_);
    if (detector_->parameters().has_value()) return;
    JudgeParameters parameters;
    parameters.max_distance = 3;
    Check(detector_->Fold(ParametersEntry(parameters, kScheme)).has_value(), "fold parameters");
    Commit(0);
  }

  [[nodiscard]] int folded() const { return static_cast<int>(detector_->position().offset); }
  [[nodiscard]] bool has_loaded() const { return detector_->restart_report().loaded.has_value(); }

  /// Folds all that is left, with a snapshot now and then.
  void GoOn() {
    testing::EntryBuilder entries(kScheme);
    for (int i = 0; i < kEntries; ++i) {
      const log::Entry entry = entries.Text(UrlOf(i), "text " + std::to_string(i), SimhashOf(i));
      if (i < folded()) continue;
      Check(detector_->Fold(entry).has_value(), "fold");
      const int count = i + 1;
      if (count % kBatch == 0) Commit(count);
      if (count % kCycle == 0) Check(detector_->Flush().has_value(), "write a snapshot");
    }
  }

  /// The index is what the log makes of it, and what the rows of the state do.
  void CheckIndex() {
    Check(EntriesOf(*index_) == Expected(folded()), "the right index");
    HammingIndex* rebuilt = nullptr;
    const auto other = Open({}, rebuilt);
    Check(EntriesOf(*rebuilt) == EntriesOf(*index_), "the index of a rebuild");
  }

 private:
  static void Check(bool is_so, const char* what) {
    if (is_so) return;
    std::fprintf(stderr, "not so: %s\n", what);
    ::_exit(1);
  }

  static std::set<IndexEntry> EntriesOf(const HammingIndex& index) {
    std::set<IndexEntry> all;
    std::vector<IndexEntry> entries;
    for (const EntrySource source = index.Entries(); source(entries);) {
      all.insert(entries.begin(), entries.end());
    }
    return all;
  }

  std::unique_ptr<Detector> Open(const RestartOptions& options, HammingIndex*& index) {
    auto detector = Detector::Open(
        *store_,
        [&](int) -> Result<std::unique_ptr<HammingIndex>> {
          auto made = std::make_unique<FlatIndex>();
          index = made.get();
          return std::unique_ptr<HammingIndex>(std::move(made));
        },
        kScheme, options);
    Check(detector.has_value(), "open the detector");
    return std::move(*detector);
  }

  void Commit(int entries) {
    Check(detector_->Commit(LogPosition{entries, "0123456789abcdef"}).has_value(), "commit");
  }

  const std::filesystem::path directory_;
  std::unique_ptr<Store> store_;
  HammingIndex* index_ = nullptr;
  std::unique_ptr<Detector> detector_;
};

/// Runs `work` in a process of its own; returns its exit code, or -1 if a signal ended it.
int InAnotherProcess(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

class RestartCrashTest : public ::testing::TestWithParam<bool> {};

TEST_P(RestartCrashTest, AtEveryOperationOnFilesLeavesAStateThatGoesOnRight) {
  is_torn = GetParam();
  int with_snapshot = 0;
  int crashes = 0;
  bool is_done = false;
  for (int operations = 0; !is_done && operations < 2'000; operations += kStep) {
    SCOPED_TRACE("after " + std::to_string(operations) + " operations");
    const testing::TemporaryDirectory directory;
    const std::filesystem::path state = directory.path() / "state";
    const int ended = InAnotherProcess([&] {
      operations_left = operations;
      {
        Judge judge(state);
        judge.GoOn();
      }
      return 0;
    });
    ASSERT_TRUE(ended == 0 || ended == kCrashed) << ended;
    is_done = ended == 0;
    crashes += is_done ? 0 : 1;

    constexpr int kLoaded = 10;
    const int checked = InAnotherProcess([&] {
      bool has_loaded = false;
      {
        Judge judge(state);
        judge.CheckIndex();
        has_loaded = judge.has_loaded();
        judge.GoOn();
        judge.CheckIndex();
      }
      Judge judge(state);
      judge.CheckIndex();
      return judge.folded() == kEntries ? (has_loaded ? kLoaded : 0) : 1;
    });
    ASSERT_TRUE(checked == 0 || checked == kLoaded) << checked;
    with_snapshot += checked == kLoaded ? 1 : 0;
  }
  EXPECT_TRUE(is_done);
  EXPECT_GT(crashes * kStep, 60);
  EXPECT_GT(with_snapshot * kStep, 20);
}

INSTANTIATE_TEST_SUITE_P(Writes, RestartCrashTest, ::testing::Bool(),
                         [](const ::testing::TestParamInfo<bool>& parameter) {
                           return parameter.param ? "DoneByHalf" : "NotDone";
                         });

}  // namespace
}  // namespace crawlsieve

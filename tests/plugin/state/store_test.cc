#include "plugin/state/store.h"

#include "tests/support/temporary_directory.h"

#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace crawlsieve {
namespace {

using testing::TemporaryDirectory;

std::unique_ptr<Store> OpenOrFail(const std::filesystem::path& directory) {
  auto store = Store::Open({.directory = directory});
  EXPECT_TRUE(store.has_value()) << store.error().message;
  return store.has_value() ? std::move(*store) : nullptr;
}

TEST(Changes, FindTellsUnchangedDeletedAndPutApart) {
  Changes changes;
  EXPECT_TRUE(changes.empty());
  EXPECT_FALSE(changes.Find(Table::kUrls, "key").has_value());
  changes.Put(Table::kUrls, "key", "value");
  EXPECT_EQ(changes.Find(Table::kUrls, "key"), std::optional<std::string_view>("value"));
  EXPECT_FALSE(changes.Find(Table::kHosts, "key").has_value());
  changes.Delete(Table::kUrls, "key");
  ASSERT_TRUE(changes.Find(Table::kUrls, "key").has_value());
  EXPECT_FALSE(changes.Find(Table::kUrls, "key")->has_value());
  changes.Clear();
  EXPECT_TRUE(changes.empty());
}

TEST(Store, ReadsWhatWasAppliedAfterReopening) {
  TemporaryDirectory directory;
  {
    auto store = OpenOrFail(directory.path());
    Changes changes;
    changes.Put(Table::kMeta, "a", std::string("\0binary", 7));
    ASSERT_TRUE(store->Apply(changes).has_value());
  }
  auto store = OpenOrFail(directory.path());
  EXPECT_EQ(*store->Get(Table::kMeta, "a"), std::string("\0binary", 7));
  EXPECT_EQ(*store->Get(Table::kMeta, "b"), std::nullopt);
  EXPECT_EQ(*store->Get(Table::kUrls, "a"), std::nullopt);
}

TEST(Store, BehavesLikeAMapUnderRandomChangesAndReopening) {
  const std::uint64_t seed = 20070508;
  std::mt19937_64 random(seed);
  TemporaryDirectory directory;
  auto store = OpenOrFail(directory.path());
  std::map<std::string, std::string> model;
  for (int round = 0; round < 60; ++round) {
    Changes changes;
    for (int i = 0; i < 20; ++i) {
      const std::string key = std::to_string(random() % 50);
      if (random() % 3 == 0) {
        changes.Delete(Table::kUrls, key);
        model.erase(key);
      } else {
        const std::string value(random() % 300, static_cast<char>('a' + random() % 26));
        changes.Put(Table::kUrls, key, value);
        model[key] = value;
      }
    }
    ASSERT_TRUE(store->Apply(changes).has_value());
    if (round % 15 == 14) {
      store.reset();
      store = OpenOrFail(directory.path());
    }
    std::vector<std::pair<std::string, std::string>> seen;
    ASSERT_TRUE(store
                    ->ForEach(Table::kUrls,
                              [&](std::string_view key, std::string_view value) -> Status {
                                seen.emplace_back(key, value);
                                return {};
                              })
                    .has_value());
    const std::vector<std::pair<std::string, std::string>> expected(model.begin(), model.end());
    ASSERT_EQ(seen, expected) << "seed " << seed << ", round " << round;
  }
}

TEST(Store, ForEachStopsAtAnError) {
  TemporaryDirectory directory;
  auto store = OpenOrFail(directory.path());
  Changes changes;
  changes.Put(Table::kHosts, "a", "1");
  changes.Put(Table::kHosts, "b", "2");
  ASSERT_TRUE(store->Apply(changes).has_value());
  int visits = 0;
  const auto status = store->ForEach(Table::kHosts, [&](std::string_view, std::string_view) {
    ++visits;
    return Status(MakeError(ErrorCode::kCorruption, "seen enough"));
  });
  EXPECT_EQ(visits, 1);
  EXPECT_EQ(status.error().message, "seen enough");
}

TEST(Store, RefusesADirectoryThatIsInUseAndSaysByWhom) {
  TemporaryDirectory directory;
  auto store = OpenOrFail(directory.path());
  const auto second = Store::Open({.directory = directory.path()});
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, ErrorCode::kBusy);
  EXPECT_NE(second.error().message.find(std::to_string(::getpid())), std::string::npos)
      << second.error().message;
  store.reset();
  EXPECT_TRUE(Store::Open({.directory = directory.path()}).has_value());
}

TEST(Store, RefusesAPathThatIsNoDirectory) {
  TemporaryDirectory directory;
  const auto path = directory.path() / "file";
  std::ofstream(path) << "x";
  const auto store = Store::Open({.directory = path});
  ASSERT_FALSE(store.has_value());
  EXPECT_EQ(store.error().code, ErrorCode::kIo);
  EXPECT_NE(store.error().message.find(path.string()), std::string::npos);
}

TEST(Store, KeepsWhatWasAppliedWhenTheProcessIsKilled) {
  TemporaryDirectory directory;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto store = Store::Open({.directory = directory.path()});
    Changes changes;
    changes.Put(Table::kMeta, "key", "value");
    if (!store.has_value() || !(*store)->Apply(changes).has_value()) ::_exit(1);
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  auto store = OpenOrFail(directory.path());
  EXPECT_EQ(*store->Get(Table::kMeta, "key"), "value");
}

TEST(Store, ReportsAFullDiskAndKeepsWhatWasWritten) {
  TemporaryDirectory directory;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto store = Store::Open({.directory = directory.path()});
    Changes before;
    before.Put(Table::kMeta, "key", "before");
    if (!store.has_value() || !(*store)->Apply(before).has_value()) ::_exit(1);
    // No file may grow any more: the nearest to a full disk that a process can have for itself.
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit no_bytes{1, 1};
    if (::setrlimit(RLIMIT_FSIZE, &no_bytes) != 0) ::_exit(2);
    Changes after;
    after.Put(Table::kMeta, "key", "after");
    for (int attempt = 0; attempt < 3; ++attempt) {
      const Status applied = (*store)->Apply(after);
      if (applied.has_value() || applied.error().code != ErrorCode::kIo) ::_exit(3);
    }
    store->reset();
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  auto store = OpenOrFail(directory.path());
  EXPECT_EQ(*store->Get(Table::kMeta, "key"), "before");
}

}  // namespace
}  // namespace crawlsieve

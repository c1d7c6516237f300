#include "plugin/state/read_only_store.h"

#include "plugin/state/store.h"
#include "tests/support/temporary_directory.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace crawlsieve {
namespace {

using testing::TemporaryDirectory;
using Rows = std::vector<std::pair<std::string, std::string>>;

std::string RowKey(int i) { return (i % 2 == 0 ? "even " : "odd ") + std::to_string(1000 + i); }

/// 300 rows of each table in three flushes, so that a row may be in several files, and some
/// deleted.
void Fill(const std::filesystem::path& directory) {
  auto store = Store::Open({.directory = directory}).value();
  for (int flush = 0; flush < 3; ++flush) {
    Changes changes;
    for (const Table table : kFoldedTables) {
      for (int i = 0; i < 300; i += flush + 1) {
        changes.Put(table, RowKey(i), std::to_string(flush));
      }
      if (flush == 2) changes.Delete(table, RowKey(0));
    }
    ASSERT_TRUE(store->Apply(changes).has_value());
    ASSERT_TRUE(store->Flush().has_value());
  }
}

/// Names, times and bytes of all that is in a directory.
std::map<std::string, std::pair<std::filesystem::file_time_type, std::string>> FilesIn(
    const std::filesystem::path& directory) {
  std::map<std::string, std::pair<std::filesystem::file_time_type, std::string>> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    std::string bytes;
    if (entry.is_regular_file()) {
      std::ifstream file(entry.path(), std::ios::binary);
      bytes.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    files[entry.path().string()] = {entry.last_write_time(), bytes};
  }
  return files;
}

TEST(ReadOnlyStore, ShowsEveryTableAndChangesNoFile) {
  TemporaryDirectory directory;
  Fill(directory.path());
  const auto before = FilesIn(directory.path());
  {
    const auto store = ReadOnlyStore::Open(directory.path());
    ASSERT_TRUE(store.has_value()) << store.error().message;
    for (const Table table : kFoldedTables) {
      EXPECT_EQ(*(*store)->Get(table, RowKey(0)), std::nullopt);
      EXPECT_EQ(*(*store)->Get(table, RowKey(1)), "0");
      EXPECT_EQ(*(*store)->Get(table, RowKey(2)), "1");
      EXPECT_EQ(*(*store)->Get(table, RowKey(3)), "2");
      EXPECT_EQ(*(*store)->Get(table, "none"), std::nullopt);
    }
  }
  EXPECT_EQ(FilesIn(directory.path()), before);
}

TEST(ReadOnlyStore, ForEachGivesTheRowsOfAPrefixInOrderAndMayRead) {
  TemporaryDirectory directory;
  Fill(directory.path());
  const auto store = ReadOnlyStore::Open(directory.path()).value();
  Rows rows;
  const auto visit = [&](std::string_view key, std::string_view value) -> Status {
    EXPECT_EQ(*store->Get(Table::kUrls, key), value);
    EXPECT_TRUE(rows.empty() || rows.back().first < key);
    rows.emplace_back(key, value);
    return {};
  };
  ASSERT_TRUE(store->ForEach(Table::kUrls, "even ", visit).has_value());
  EXPECT_EQ(rows.size(), 149U);
  EXPECT_EQ(rows.front().first, RowKey(2));
  EXPECT_EQ(rows.back().first, RowKey(298));
  rows.clear();
  ASSERT_TRUE(store->ForEach(Table::kUrls, "", visit).has_value());
  EXPECT_EQ(rows.size(), 299U);
  const Status stopped =
      store->ForEach(Table::kUrls, "", [](std::string_view, std::string_view) -> Status {
        return MakeError(ErrorCode::kInternal, "seen enough");
      });
  ASSERT_FALSE(stopped.has_value());
  EXPECT_EQ(stopped.error().message, "seen enough");
}

TEST(ReadOnlyStore, ManyReadAtOnceAndNobodyChangesAnythingMeanwhile) {
  TemporaryDirectory directory;
  Fill(directory.path());
  {
    const auto first = ReadOnlyStore::Open(directory.path());
    const auto second = ReadOnlyStore::Open(directory.path());
    ASSERT_TRUE(first.has_value() && second.has_value());
    const auto writer = Store::Open({.directory = directory.path()});
    ASSERT_FALSE(writer.has_value());
    EXPECT_EQ(writer.error().code, ErrorCode::kBusy);
    EXPECT_NE(writer.error().message.find("is being read"), std::string::npos);
  }
  EXPECT_TRUE(Store::Open({.directory = directory.path()}).has_value());
}

TEST(ReadOnlyStore, RefusesAStateInUseAndSaysByWhom) {
  TemporaryDirectory directory;
  const auto writer = Store::Open({.directory = directory.path()}).value();
  const auto reader = ReadOnlyStore::Open(directory.path());
  ASSERT_FALSE(reader.has_value());
  EXPECT_EQ(reader.error().code, ErrorCode::kBusy);
  EXPECT_NE(reader.error().message.find("process " + std::to_string(::getpid())), std::string::npos)
      << reader.error().message;
}

TEST(ReadOnlyStore, RefusesADirectoryWithoutAStateAndMakesNone) {
  TemporaryDirectory directory;
  for (const auto& path : {directory.path(), directory.path() / "none"}) {
    const auto store = ReadOnlyStore::Open(path);
    ASSERT_FALSE(store.has_value());
    EXPECT_EQ(store.error().code, ErrorCode::kInvalidInput);
    EXPECT_NE(store.error().message.find("there is no state in " + path.string()),
              std::string::npos);
  }
  EXPECT_TRUE(FilesIn(directory.path()).empty());
}

TEST(ReadOnlyStore, ReadsACopyThatHasNoLockFile) {
  TemporaryDirectory directory;
  Fill(directory.path() / "state");
  std::filesystem::copy(directory.path() / "state", directory.path() / "copy");
  std::filesystem::remove(directory.path() / "copy" / "crawlsieve.lock");
  const auto before = FilesIn(directory.path());
  const auto store = ReadOnlyStore::Open(directory.path() / "copy");
  ASSERT_TRUE(store.has_value()) << store.error().message;
  EXPECT_EQ(*(*store)->Get(Table::kHosts, RowKey(1)), "0");
  EXPECT_EQ(FilesIn(directory.path()), before);
}

TEST(ReadOnlyStore, ReadsWhatAKilledProcessLeftAndChangesNothingOfIt) {
  TemporaryDirectory directory;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto store = Store::Open({.directory = directory.path()});
    Changes changes;
    changes.Put(Table::kMeta, "in", "files");
    if (!store.has_value() || !(*store)->Apply(changes).has_value()) ::_exit(1);
    if (!(*store)->Flush().has_value()) ::_exit(2);
    changes.Put(Table::kMeta, "in", "memory");
    if (!(*store)->Apply(changes).has_value()) ::_exit(3);
    // As if it were killed while it writes files.
    std::filesystem::create_directory(directory.path() / "incoming");
    std::ofstream(directory.path() / "incoming" / "meta.0.sst") << "half a file";
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status)) << status;
  const auto before = FilesIn(directory.path());
  {
    const auto store = ReadOnlyStore::Open(directory.path());
    ASSERT_TRUE(store.has_value()) << store.error().message;
    EXPECT_EQ(*(*store)->Get(Table::kMeta, "in"), "files");
  }
  EXPECT_EQ(FilesIn(directory.path()), before);
  EXPECT_EQ(*Store::Open({.directory = directory.path()}).value()->Get(Table::kMeta, "in"),
            "files");
}

TEST(ReadOnlyStore, SaysWhatToDoWithDamagedFiles) {
  TemporaryDirectory directory;
  Fill(directory.path());
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    if (entry.path().filename().string().starts_with("MANIFEST")) {
      std::filesystem::resize_file(entry.path(), 0);
    }
  }
  const auto store = ReadOnlyStore::Open(directory.path());
  ASSERT_FALSE(store.has_value());
  EXPECT_EQ(store.error().code, ErrorCode::kCorruption) << store.error().message;
}

}  // namespace
}  // namespace crawlsieve

#include "plugin/state/store.h"

#include "tests/plugin/state/keys_of_hosts.h"
#include "tests/support/temporary_directory.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace crawlsieve {
namespace {

using testing::EraseLatestPages;
using testing::HostOfLatestPages;
using testing::KeyOfHosts;
using testing::TemporaryDirectory;

std::unique_ptr<Store> OpenOrFail(const std::filesystem::path& directory) {
  auto store = Store::Open({.directory = directory});
  EXPECT_TRUE(store.has_value()) << store.error().message;
  return store.has_value() ? std::move(*store) : nullptr;
}

void Apply(Store& store, const Changes& changes) {
  const Status applied = store.Apply(changes);
  ASSERT_TRUE(applied.has_value()) << applied.error().message;
}

void Flush(Store& store) {
  const Status flushed = store.Flush();
  ASSERT_TRUE(flushed.has_value()) << flushed.error().message;
}

RowMap Wanting(std::span<const std::string_view> keys) {
  RowMap rows;
  for (const std::string_view key : keys) rows.PutIfNew(key);
  return rows;
}

std::map<std::string, std::string> AllOf(const Store& store, Table table,
                                         std::string_view from = {}) {
  std::map<std::string, std::string> rows;
  std::string last;
  const Status read = store.ForEach(
      table,
      [&](std::string_view key, std::string_view value) -> Status {
        EXPECT_TRUE(rows.empty() || last < key) << "not in order";
        last = key;
        rows.emplace(key, value);
        return {};
      },
      from);
  EXPECT_TRUE(read.has_value());
  return rows;
}

TEST(Store, ReadsWhatWasAppliedAfterReopening) {
  TemporaryDirectory directory;
  {
    auto store = OpenOrFail(directory.path());
    Changes changes;
    changes.Put(Table::kMeta, "a", std::string("\0binary", 7));
    Apply(*store, changes);
    EXPECT_EQ(*store->Get(Table::kMeta, "a"), std::string("\0binary", 7));
    Flush(*store);
    EXPECT_EQ(*store->Get(Table::kMeta, "a"), std::string("\0binary", 7));
    Flush(*store);  // of nothing
  }
  auto store = OpenOrFail(directory.path());
  EXPECT_EQ(*store->Get(Table::kMeta, "a"), std::string("\0binary", 7));
  EXPECT_EQ(*store->Get(Table::kMeta, "b"), std::nullopt);
  EXPECT_EQ(*store->Get(Table::kUrls, "a"), std::nullopt);
}

// Rows are in memory, on their way to files, in files new and old. What isn't in files is lost when
// the store is closed without a Flush: from one Apply on, in all tables.
TEST(Store, BehavesLikeMapsUnderRandomChangesAndEnds) {
  constexpr std::uint64_t kSeed = 20070508;
  constexpr std::array kTables{Table::kUrls, Table::kDocuments, Table::kHosts};
  using Model = std::array<std::map<std::string, std::string>, kTables.size()>;
  std::mt19937_64 random(kSeed);
  TemporaryDirectory directory;
  const StoreOptions options{.directory = directory.path(), .write_buffer_bytes = 60'000};
  auto store = *Store::Open(options);
  std::vector<Model> history(1);  // since the last Flush or opening
  int flushes = 0;
  int lost = 0;
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", round " + std::to_string(round));
    Model model = history.back();
    Changes changes;
    for (int i = 0; i < 20; ++i) {
      const std::size_t table = random() % kTables.size();
      const std::string key = KeyOfHosts(random());
      if (random() % 20 == 0) {
        const std::string host = HostOfLatestPages(random());
        changes.DeleteLatestPages(host);
        EraseLatestPages(host, model.back());
      } else if (random() % 3 == 0) {
        changes.Delete(kTables[table], key);
        model[table].erase(key);
      } else {
        const std::string value(random() % 300, static_cast<char>('a' + random() % 26));
        changes.Put(kTables[table], key, value);
        model[table][key] = value;
      }
    }
    Apply(*store, changes);
    history.push_back(model);
    if (random() % 20 == 0) {
      ++flushes;
      Flush(*store);
      history = {model};
    }
    if (random() % 15 == 0) {
      store.reset();
      store = *Store::Open(options);
      Model found;
      for (std::size_t i = 0; i < kTables.size(); ++i) found[i] = AllOf(*store, kTables[i]);
      const auto same = std::ranges::find(history, found);
      ASSERT_NE(same, history.end()) << "tables of different moments";
      lost += static_cast<int>(history.end() - same) - 1;
      history = {found};
    }
    const std::string from = KeyOfHosts(random());
    for (std::size_t i = 0; i < kTables.size(); ++i) {
      const std::map<std::string, std::string>& rows = history.back()[i];
      ASSERT_EQ(AllOf(*store, kTables[i]), rows);
      ASSERT_EQ(AllOf(*store, kTables[i], from),
                Model::value_type(rows.lower_bound(from), rows.end()));
      for (std::uint64_t number = 0; number < 150; ++number) {
        const auto row = rows.find(KeyOfHosts(number));
        ASSERT_EQ(*store->Get(kTables[i], KeyOfHosts(number)),
                  row == rows.end() ? std::nullopt : std::optional(row->second));
      }
    }
  }
  EXPECT_GT(flushes, 0);
  EXPECT_GT(lost, 0);
}

TEST(Store, ReadsManyAtOnceWhereverTheyAre) {
  TemporaryDirectory directory;
  auto store = OpenOrFail(directory.path());
  const auto put = [&](std::string_view key, const std::optional<std::string>& value) {
    Changes changes;
    if (value.has_value()) {
      changes.Put(Table::kUrls, key, *value);
    } else {
      changes.Delete(Table::kUrls, key);
    }
    Apply(*store, changes);
  };
  for (const char* key : {"a", "b", "c", "d"}) put(key, "in files");
  put("e", std::nullopt);
  Flush(*store);
  put("b", "in memory");
  put("c", std::nullopt);
  put("f", "");
  const std::vector<std::string_view> keys{"f", "a", "b", "c", "d", "e", "g"};
  RowMap rows = Wanting(keys);
  ASSERT_TRUE(store->GetAll(Table::kUrls, rows).has_value());
  EXPECT_EQ(*rows.Find("a"), RowMap::Value("in files"));
  EXPECT_EQ(*rows.Find("b"), RowMap::Value("in memory"));
  EXPECT_EQ(*rows.Find("c"), RowMap::Value());
  EXPECT_EQ(*rows.Find("d"), RowMap::Value("in files"));
  EXPECT_EQ(*rows.Find("e"), RowMap::Value());
  EXPECT_EQ(*rows.Find("f"), RowMap::Value(""));
  EXPECT_EQ(*rows.Find("g"), RowMap::Value());
  EXPECT_EQ(rows.rows().size(), keys.size());
  RowMap none;
  ASSERT_TRUE(store->GetAll(Table::kHosts, none).has_value());
}

TEST(Store, ReadsRowsFromAPlaceOn) {
  TemporaryDirectory directory;
  auto store = OpenOrFail(directory.path());
  Changes changes;
  for (const char* key : {"a", "b", "c"}) changes.Put(Table::kUrls, key, "stored");
  Apply(*store, changes);
  RowMap rows;
  rows.Put("a", "other");
  for (const char* key : {"c", "d", "b"}) rows.PutIfNew(key);
  ASSERT_TRUE(store->GetAll(Table::kUrls, rows, 1).has_value());
  EXPECT_EQ(*rows.Find("a"), RowMap::Value("other"));
  EXPECT_EQ(*rows.Find("b"), RowMap::Value("stored"));
  EXPECT_EQ(*rows.Find("c"), RowMap::Value("stored"));
  EXPECT_EQ(*rows.Find("d"), RowMap::Value());
  ASSERT_TRUE(store->GetAll(Table::kUrls, rows, 4).has_value());
  EXPECT_EQ(*rows.Find("a"), RowMap::Value("other"));
}

// Rows of several files, one above the other, deleted and in memory; keys of several lengths, with
// long runs that differ in the last byte alone.
TEST(Store, FindsRowsBesideEachOtherTogetherAsOneByOne) {
  TemporaryDirectory directory;
  auto store = OpenOrFail(directory.path());
  std::mt19937 random(5);
  std::vector<std::string> all{""};
  for (const std::string& prefix :
       {std::string(), std::string("\0\xff", 2), std::string("\0\xffhost", 6),
        std::string("\0\xffhost\0", 7), std::string("\0\xffhosts\0", 8),
        std::string("\0\xffhost\0longer", 13), std::string("a"), std::string("host"),
        std::string("hosts")}) {
    for (int last = 0; last < 256; ++last) all.push_back(prefix + static_cast<char>(last));
  }
  std::map<std::string, std::string> stored;
  for (int step = 0; step < 6; ++step) {
    Changes changes;
    for (const std::string& key : all) {
      if (random() % 3 != 0) continue;
      if (random() % 3 == 0) {
        changes.Delete(Table::kHosts, key);
        stored.erase(key);
      } else {
        stored[key] = std::to_string(step) + std::string(random() % 40, 'v');
        changes.Put(Table::kHosts, key, stored[key]);
      }
    }
    Apply(*store, changes);
    if (step == 4) store->GiveRoomBack();
    if (step < 5) Flush(*store);
    if (step == 4) store->WaitForRoom();
    EXPECT_EQ(AllOf(*store, Table::kHosts), stored);
    for (int i = 0; i < 50; ++i) {
      const std::string& from = all[random() % all.size()];
      EXPECT_EQ(AllOf(*store, Table::kHosts, from),
                (std::map<std::string, std::string>(stored.lower_bound(from), stored.end())));
    }
    for (const std::size_t one_in : {1U, 2U, 40U}) {
      std::vector<std::string_view> keys;
      for (const std::string& key : all) {
        if (random() % one_in == 0) keys.push_back(key);
      }
      std::ranges::shuffle(keys, random);
      if (!keys.empty()) keys.push_back(keys.front());  // asked for twice
      RowMap rows = Wanting(keys);
      ASSERT_TRUE(store->GetAll(Table::kHosts, rows).has_value());
      for (const std::string_view key : keys) {
        const auto found = rows.Find(key);
        ASSERT_TRUE(found.has_value()) << key;
        const auto expected = stored.find(std::string(key));
        EXPECT_EQ(*found, expected == stored.end() ? RowMap::Value() : expected->second) << key;
        EXPECT_EQ(*store->Get(Table::kHosts, key),
                  found->has_value() ? std::optional(std::string(**found)) : std::nullopt);
      }
    }
  }
}

TEST(Store, FilesOfNewDocumentsAreWrittenOnce) {
  const TemporaryDirectory directory;
  const auto store = OpenOrFail(directory.path());
  for (int number = 10; number < 20; ++number) {
    Changes changes;
    changes.Put(Table::kDocuments, std::to_string(number), "a document");
    changes.Put(Table::kUrls, std::to_string(number), "a URL");
    Apply(*store, changes);
    Flush(*store);
  }
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  rocksdb::DB* opened = nullptr;
  ASSERT_TRUE(rocksdb::DB::OpenForReadOnly(
                  rocksdb::DBOptions(), directory.path().string(),
                  {{rocksdb::kDefaultColumnFamilyName, {}}, {"documents", {}}}, &families, &opened)
                  .ok());
  const std::unique_ptr<rocksdb::DB> database(opened);
  std::vector<rocksdb::LiveFileMetaData> files;
  database->GetLiveFilesMetaData(&files);
  std::size_t of_documents = 0;
  for (const rocksdb::LiveFileMetaData& file : files) {
    if (file.column_family_name != "documents") continue;
    ++of_documents;
    // On the lowest level RocksDB writes those anew that have a number, as the first of all has.
    EXPECT_TRUE(file.largest_seqno == 0 || file.smallestkey == "10") << file.smallestkey;
    EXPECT_EQ(file.level, 6);
  }
  EXPECT_EQ(of_documents, 10U);
  for (rocksdb::ColumnFamilyHandle* const family : families) {
    EXPECT_TRUE(database->DestroyColumnFamilyHandle(family).ok());
  }
}

// A snapshot of a new state is RocksDB's number 0, as are rows without one.
TEST(Store, DocumentsOutliveAMergeBesideASnapshotOfNothing) {
  const TemporaryDirectory directory;
  const auto store = OpenOrFail(directory.path());
  std::map<std::string, std::string> expected;
  for (int number = 10; number < 14; ++number) {
    Changes changes;
    for (const char* part : {"a", "b"}) {
      changes.Put(Table::kDocuments, std::to_string(number) + part, "a document");
      expected.emplace(std::to_string(number) + part, "a document");
    }
    Apply(*store, changes);
    ASSERT_TRUE(store->BeginFlush().has_value());
    const auto snapshot = store->MakeSnapshot();
    Flush(*store);
    store->GiveRoomBack();
    Flush(*store);
    store->WaitForRoom();
    ASSERT_EQ(AllOf(*store, Table::kDocuments), expected);
  }
}

// What fails is the removal of the second name that a file of a table had when it was written.
TEST(Store, AFileLeftBesideTheTablesIsNotWrittenTo) {
  TemporaryDirectory directory;
  auto store = OpenOrFail(directory.path());
  Changes changes;
  changes.Put(Table::kUrls, "a", "1");
  Apply(*store, changes);
  Flush(*store);
  std::filesystem::path table;
  for (const auto& file : std::filesystem::directory_iterator(directory.path())) {
    if (file.path().extension() == ".sst") table = file.path();
  }
  ASSERT_FALSE(table.empty());
  const auto left = directory.path() / "incoming" / "urls.0.sst";
  std::filesystem::create_directory(left.parent_path());
  std::filesystem::create_hard_link(table, left);
  changes.Clear();
  changes.Put(Table::kUrls, "b", "2");
  Apply(*store, changes);
  Flush(*store);
  const std::map<std::string, std::string> both{{"a", "1"}, {"b", "2"}};
  EXPECT_EQ(AllOf(*store, Table::kUrls), both);
  store.reset();
  std::filesystem::create_directory(left.parent_path());
  std::filesystem::create_hard_link(table, left);
  store = OpenOrFail(directory.path());
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_EQ(AllOf(*store, Table::kUrls), both);
}

TEST(Store, IsReadByOthersWhileOneAppliesAndFilesAreWritten) {
  TemporaryDirectory directory;
  auto store = *Store::Open({.directory = directory.path(), .write_buffer_bytes = 20'000});
  constexpr int kRows = 2'000;
  std::atomic<int> applied = 0;
  std::atomic<int> wrong = 0;
  const auto value_of = [](int row) { return std::string(100, static_cast<char>('a' + row % 26)); };
  {
    std::vector<std::jthread> readers;
    for (unsigned seed = 1; seed <= 3; ++seed) {
      readers.emplace_back([&, seed] {
        std::mt19937 random(seed);
        for (int last = 0; last < kRows;) {
          last = applied;
          if (last == 0) continue;
          const int row = static_cast<int>(random() % static_cast<unsigned>(last));
          const std::string key = std::to_string(row);
          const auto found = store->Get(Table::kUrls, key);
          if (!found || *found != value_of(row)) ++wrong;
          RowMap rows = Wanting(std::array<std::string_view, 2>{key, "nobody"});
          if (!store->GetAll(Table::kUrls, rows)) ++wrong;
          if (rows.Find(key) != RowMap::Value(value_of(row))) ++wrong;
          if (last % 500 == 1 &&
              AllOf(*store, Table::kUrls).size() < static_cast<std::size_t>(last)) {
            ++wrong;
          }
        }
      });
    }
    for (int row = 0; row < kRows; ++row) {
      Changes changes;
      changes.Put(Table::kUrls, std::to_string(row), value_of(row));
      Apply(*store, changes);
      applied = row + 1;
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(AllOf(*store, Table::kUrls).size(), static_cast<std::size_t>(kRows));
}

TEST(Store, TakesEmptyKeysAndValues) {  // as of pages without a host
  TemporaryDirectory directory;
  auto store = OpenOrFail(directory.path());
  Changes changes;
  changes.Put(Table::kHosts, "", "");
  changes.Put(Table::kHosts, "host", "");
  changes.Put(Table::kUrls, {}, {});
  Apply(*store, changes);
  Flush(*store);
  const std::map<std::string, std::string> hosts{{"", ""}, {"host", ""}};
  EXPECT_EQ(AllOf(*store, Table::kHosts), hosts);
  EXPECT_EQ(*store->Get(Table::kUrls, {}), "");
  RowMap rows = Wanting(std::array<std::string_view, 2>{std::string_view(), "host"});
  ASSERT_TRUE(store->GetAll(Table::kHosts, rows).has_value());
  EXPECT_EQ(rows.Find(""), RowMap::Value(""));
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

/// Runs `work` in a process of its own, which ends with its result.
pid_t InAnotherProcess(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  EXPECT_GT(child, 0);
  return child;
}

TEST(Store, KeepsWhatWasFlushedWhenTheProcessIsKilled) {
  TemporaryDirectory directory;
  const pid_t child = InAnotherProcess([&] {
    auto store = Store::Open({.directory = directory.path()});
    Changes changes;
    changes.Put(Table::kMeta, "key", "value");
    if (!store.has_value() || !(*store)->Apply(changes).has_value()) return 1;
    if (!(*store)->Flush().has_value()) return 2;
    return ::kill(::getpid(), SIGKILL);
  });
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status)) << status;
  auto store = OpenOrFail(directory.path());
  EXPECT_EQ(*store->Get(Table::kMeta, "key"), "value");
}

TEST(Store, KilledAtAnyMomentHasAllTablesOfOneMoment) {
  constexpr int kLives =
      5;  // few enough for RocksDB not to merge: its threads don't survive a fork
  constexpr int kGeneration = 30;
  constexpr std::string_view kOfSite("\0key", 4);
  const std::string latest_page = LatestPageKey("host", 3);
  TemporaryDirectory directory;
  std::mt19937 random(3);
  int last = 0;
  for (int life = 0; life < kLives; ++life) {
    std::array<int, 2> progress{};
    ASSERT_EQ(::pipe(progress.data()), 0);
    const pid_t child = InAnotherProcess([&] {
      auto store = Store::Open({.directory = directory.path()});
      if (!store.has_value()) return 1;
      for (int i = last + 1;; ++i) {
        Changes changes;
        for (const Table table : kFoldedTables) changes.Put(table, "key", std::to_string(i));
        changes.Put(Table::kHosts, kOfSite, std::to_string(i));
        changes.Put(Table::kHosts, latest_page, std::to_string(i));
        changes.Put(Table::kUrls, std::to_string(i), std::string(400, 'x'));
        if (!(*store)->Apply(changes).has_value()) return 2;
        const bool is_generation = i % kGeneration == 0;
        if (is_generation && !(*store)->BeginFlush().has_value()) return 3;
        if (::write(progress[1], is_generation ? "g" : "a", 1) != 1) return 4;
      }
    });
    ::close(progress[1]);
    // The first generation is in files when the second begins to be written.
    char byte = 0;
    for (int generations = 0; generations < 2; generations += byte == 'g' ? 1 : 0) {
      ASSERT_EQ(::read(progress[0], &byte, 1), 1);
    }
    for (auto applies = random() % kGeneration; applies > 0; --applies) {
      ASSERT_EQ(::read(progress[0], &byte, 1), 1);
    }
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << status;
    ::close(progress[0]);

    auto store = OpenOrFail(directory.path());
    const auto value = *store->Get(Table::kMeta, "key");
    for (const Table table : kFoldedTables) EXPECT_EQ(*store->Get(table, "key"), value);
    EXPECT_EQ(*store->Get(Table::kHosts, kOfSite), value);
    EXPECT_EQ(*store->Get(Table::kHosts, latest_page), value);
    ASSERT_TRUE(value.has_value());
    ASSERT_GT(std::stoi(*value), last);
    last = std::stoi(*value);
    EXPECT_EQ(last % kGeneration, 0);
    EXPECT_EQ(AllOf(*store, Table::kUrls).size(), static_cast<std::size_t>(last) + 1);
  }
}

TEST(Store, ReportsAFullDiskAndKeepsWhatWasWritten) {
  TemporaryDirectory directory;
  const pid_t child = InAnotherProcess([&] {
    auto store = Store::Open({.directory = directory.path()});
    Changes changes;
    changes.Put(Table::kMeta, "key", "before");
    if (!store.has_value() || !(*store)->Apply(changes).has_value()) return 1;
    if (!(*store)->Flush().has_value()) return 2;
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit no_bytes{1, 1};
    if (::setrlimit(RLIMIT_FSIZE, &no_bytes) != 0) return 3;
    changes.Put(Table::kMeta, "key", "after");
    if (!(*store)->Apply(changes).has_value()) return 4;
    for (int attempt = 0; attempt < 3; ++attempt) {
      const Status flushed = (*store)->Flush();
      if (flushed.has_value() || flushed.error().code != ErrorCode::kIo) return 5;
      if ((*store)->Apply(changes).has_value()) return 6;
      if (*(*store)->Get(Table::kMeta, "key") != "after") return 7;
    }
    store->reset();
    return 0;
  });
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  auto store = OpenOrFail(directory.path());
  EXPECT_EQ(*store->Get(Table::kMeta, "key"), "before");
}

}  // namespace
}  // namespace crawlsieve

// States that were written before the rows of sites had a family of their own.
#include "plugin/state/read_only_store.h"
#include "plugin/state/store.h"
#include "tests/support/temporary_directory.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/db.h>

namespace crawlsieve {
namespace {

using testing::TemporaryDirectory;
using Rows = std::map<std::string, std::string>;

/// The database of a state, with all of its families as they are.
class RawState {
 public:
  explicit RawState(const std::filesystem::path& directory) {
    std::vector<std::string> names;
    EXPECT_TRUE(
        rocksdb::DB::ListColumnFamilies(rocksdb::DBOptions(), directory.string(), &names).ok());
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    families.reserve(names.size());
    for (const std::string& name : names) {
      families.emplace_back(name, rocksdb::ColumnFamilyOptions());
    }
    rocksdb::DB* db = nullptr;
    const auto opened =
        rocksdb::DB::Open(rocksdb::DBOptions(), directory.string(), families, &handles_, &db);
    EXPECT_TRUE(opened.ok()) << opened.ToString();
    db_.reset(db);
  }
  ~RawState() {
    for (rocksdb::ColumnFamilyHandle* const handle : handles_) {
      EXPECT_TRUE(db_->DestroyColumnFamilyHandle(handle).ok());
    }
  }
  RawState(const RawState&) = delete;
  RawState& operator=(const RawState&) = delete;

  [[nodiscard]] bool Has(std::string_view family) const { return Find(family) != nullptr; }

  [[nodiscard]] Rows RowsOf(std::string_view family) const {
    Rows rows;
    const std::unique_ptr<rocksdb::Iterator> it(
        db_->NewIterator(rocksdb::ReadOptions(), Find(family)));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      rows.emplace(it->key().ToString(), it->value().ToString());
    }
    EXPECT_TRUE(it->status().ok());
    return rows;
  }

  void Put(std::string_view family, const Rows& rows) {
    for (const auto& [key, value] : rows) {
      EXPECT_TRUE(db_->Put(rocksdb::WriteOptions(), Find(family), key, value).ok());
    }
    EXPECT_TRUE(db_->Flush(rocksdb::FlushOptions(), Find(family)).ok());
  }

  void Make(const std::string& family) {
    rocksdb::ColumnFamilyHandle* made = nullptr;
    EXPECT_TRUE(db_->CreateColumnFamily(rocksdb::ColumnFamilyOptions(), family, &made).ok());
    handles_.push_back(made);
  }

  void Drop(std::string_view family) {
    const auto handle = std::ranges::find(handles_, family, &rocksdb::ColumnFamilyHandle::GetName);
    EXPECT_TRUE(db_->DropColumnFamily(*handle).ok());
    EXPECT_TRUE(db_->DestroyColumnFamilyHandle(*handle).ok());
    handles_.erase(handle);
  }

 private:
  [[nodiscard]] rocksdb::ColumnFamilyHandle* Find(std::string_view family) const {
    const auto handle = std::ranges::find(handles_, family, &rocksdb::ColumnFamilyHandle::GetName);
    return handle == handles_.end() ? nullptr : *handle;
  }

  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
};

std::string OfSite(std::string_view name) { return std::string(1, '\0').append(name); }

Rows SomeRows() {
  Rows rows{{"", "no host"}, {std::string("\1"), "behind"}, {"host", "1"}, {"www.host", "2"}};
  for (int i = 0; i < 500; ++i) rows.emplace(OfSite("row " + std::to_string(i)), std::to_string(i));
  rows.emplace(OfSite(""), "first");
  rows.emplace(OfSite("\xff"), "last");
  return rows;
}

/// How far the first opening by a newer version came.
enum class Moved { kNothing, kFamilyIsMade, kFilesAreWritten };

/// Makes a state of before, with these rows in table hosts.
void MakeOlder(const std::filesystem::path& directory, const Rows& rows, Moved moved) {
  {
    const auto store = Store::Open({.directory = directory}).value();
    Changes changes;
    for (const auto& [key, value] : rows) changes.Put(Table::kHosts, key, value);
    changes.Put(Table::kUrls, OfSite("url"), "stays");
    ASSERT_TRUE(store->Apply(changes).has_value());
    ASSERT_TRUE(store->Flush().has_value());
  }
  RawState raw(directory);
  const Rows sites = raw.RowsOf("sites");
  ASSERT_EQ(sites.size(), 502U);
  raw.Drop("sites");
  raw.Put("hosts", sites);
  ASSERT_EQ(raw.RowsOf("hosts"), rows);
  ASSERT_FALSE(raw.Has("sites"));
  if (moved != Moved::kNothing) raw.Make("sites");
}

Rows AllOf(const Store& store) {
  Rows rows;
  const Status read =
      store.ForEach(Table::kHosts, [&](std::string_view key, std::string_view value) -> Status {
        EXPECT_TRUE(rows.empty() || rows.rbegin()->first < key) << "not in order";
        rows.emplace(key, value);
        return {};
      });
  EXPECT_TRUE(read.has_value());
  return rows;
}

Rows AllOf(const ReadOnlyStore& store) {
  Rows rows;
  const Status read =
      store.ForEach(Table::kHosts, "", [&](std::string_view key, std::string_view value) -> Status {
        rows.emplace(key, value);
        return {};
      });
  EXPECT_TRUE(read.has_value());
  return rows;
}

/// As a move leaves it that is killed before its files are part of the state.
void LeaveFiles(const std::filesystem::path& directory) {
  const std::filesystem::path folder = directory / "incoming";
  std::filesystem::create_directory(folder);
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() != ".sst") continue;
    std::filesystem::create_hard_link(entry.path(), folder / "sites.sst");
    std::filesystem::create_hard_link(entry.path(), folder / "hosts.sst");
    return;
  }
}

class OlderState : public ::testing::TestWithParam<Moved> {
 protected:
  OlderState() {
    MakeOlder(directory_.path(), rows_, GetParam());
    if (GetParam() == Moved::kFilesAreWritten) LeaveFiles(directory_.path());
  }

  TemporaryDirectory directory_;
  const Rows rows_ = SomeRows();
};

TEST_P(OlderState, IsReadAsItIs) {
  const auto store = ReadOnlyStore::Open(directory_.path());
  ASSERT_TRUE(store.has_value()) << store.error().message;
  EXPECT_EQ(AllOf(**store), rows_);
  EXPECT_EQ(*(*store)->Get(Table::kHosts, OfSite("row 7")), "7");
  EXPECT_EQ(*(*store)->Get(Table::kHosts, OfSite("row")), std::nullopt);
  EXPECT_EQ(*(*store)->Get(Table::kUrls, OfSite("url")), "stays");
}

TEST_P(OlderState, HasItsRowsOfSitesMovedOnceItIsOpened) {
  Rows rows = rows_;
  {
    const auto store = Store::Open({.directory = directory_.path()});
    ASSERT_TRUE(store.has_value()) << store.error().message;
    EXPECT_EQ(AllOf(**store), rows);
    EXPECT_EQ(*(*store)->Get(Table::kUrls, OfSite("url")), "stays");
    Changes changes;
    changes.Delete(Table::kHosts, OfSite("row 7"));
    rows.erase(OfSite("row 7"));
    for (const std::string& key : {OfSite("row 8"), std::string("host"), OfSite("new")}) {
      changes.Put(Table::kHosts, key, "changed");
      rows[key] = "changed";
    }
    ASSERT_TRUE((*store)->Apply(changes).has_value());
    ASSERT_TRUE((*store)->Flush().has_value());
    EXPECT_EQ(AllOf(**store), rows);
  }
  {
    const RawState raw(directory_.path());
    Rows both = raw.RowsOf("sites");
    EXPECT_EQ(both.size(), 502U);
    const Rows hosts = raw.RowsOf("hosts");
    EXPECT_EQ(hosts.size(), 4U);
    both.insert(hosts.begin(), hosts.end());
    EXPECT_EQ(both, rows);
  }
  EXPECT_FALSE(std::filesystem::exists(directory_.path() / "incoming"));
  const auto store = Store::Open({.directory = directory_.path()});
  ASSERT_TRUE(store.has_value()) << store.error().message;
  EXPECT_EQ(AllOf(**store), rows);
  RowMap found;
  const std::array<std::string, 6> keys{"host",          "www.host",      "nobody",
                                        OfSite("row 7"), OfSite("row 8"), OfSite("row 9")};
  const std::vector<std::string_view> asked(keys.begin(), keys.end());
  ASSERT_TRUE((*store)->GetAll(Table::kHosts, asked, found).has_value());
  for (const std::string& key : keys) {
    const auto row = rows.find(key);
    EXPECT_EQ(*found.Find(key), row == rows.end() ? RowMap::Value() : row->second) << key;
  }
}

INSTANTIATE_TEST_SUITE_P(States, OlderState,
                         ::testing::Values(Moved::kNothing, Moved::kFamilyIsMade,
                                           Moved::kFilesAreWritten));

}  // namespace
}  // namespace crawlsieve

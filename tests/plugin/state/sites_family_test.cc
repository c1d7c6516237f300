// The families of rows of sites, and states that were written before there were these.
#include "plugin/state/read_only_store.h"
#include "plugin/state/row_group.h"
#include "plugin/state/store.h"
#include "tests/plugin/state/keys_of_hosts.h"
#include "tests/support/sanitized.h"
#include "tests/support/temporary_directory.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <random>
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

constexpr std::string_view kSites = "sites";
constexpr std::string_view kLatestPages = "latest_pages";
constexpr std::string_view kOwnOfRocksdb = "default";

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
      rocksdb::ColumnFamilyOptions options;
      if (name == kLatestPages) options.merge_operator = MergeOfRowGroups();
      families.emplace_back(name, options);
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

  void DeleteAll(std::string_view family) {
    for (const auto& [key, value] : RowsOf(family)) {
      EXPECT_TRUE(db_->Delete(rocksdb::WriteOptions(), Find(family), key).ok());
    }
    EXPECT_TRUE(db_->Flush(rocksdb::FlushOptions(), Find(family)).ok());
  }

  void Make(std::string_view family) {
    rocksdb::ColumnFamilyHandle* made = nullptr;
    EXPECT_TRUE(
        db_->CreateColumnFamily(rocksdb::ColumnFamilyOptions(), std::string(family), &made).ok());
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

Rows SomeLatestPages() {
  Rows rows;
  for (int host = 0; host < 100; ++host) {
    for (int i = 0; i <= host % 63; ++i) {
      rows.emplace(LatestPageKey("host " + std::to_string(host), i), std::to_string(host * i));
    }
  }
  rows.emplace(LatestPageKey("", kMostLatestPages - 1), "of no host");
  return rows;
}

/// Of sites, but no latest pages, though keys of some begin as theirs.
Rows OtherRowsOfSites() {
  Rows rows;
  for (int i = 0; i < 500; ++i) rows.emplace(OfSite("row " + std::to_string(i)), std::to_string(i));
  for (const std::string_view name : {"", "\xff", "\xffhost 1"}) rows.emplace(OfSite(name), name);
  rows.emplace(LatestPageKey("host 1", 0) + "longer", "between two of a group");
  rows.emplace(GroupOfHost("host 1") + static_cast<char>(kMostLatestPages), "behind a group");
  rows.emplace(LatestPageKey("zero byte" + std::string(1, '\0'), 0), "in the name");
  return rows;
}

Rows SomeRows() {
  Rows rows{{"", "no host"}, {std::string("\1"), "behind"}, {"host", "1"}, {"www.host", "2"}};
  rows.merge(SomeLatestPages());
  rows.merge(OtherRowsOfSites());
  return rows;
}

/// The members of all groups in a family of groups.
Rows MembersOf(const Rows& groups) {
  Rows rows;
  for (const auto& [key, value] : groups) {
    const std::optional<RowGroup> decoded = RowGroup::Decode(value);
    EXPECT_TRUE(decoded.has_value());
    const RowGroup group = decoded.value_or(RowGroup());
    for (const RowGroup::Member& member : group.members()) {
      rows.emplace(key + member.last_byte, member.value);
    }
  }
  return rows;
}

void Fill(const std::filesystem::path& directory, const Rows& rows) {
  const auto store = Store::Open({.directory = directory}).value();
  Changes changes;
  for (const auto& [key, value] : rows) changes.Put(Table::kHosts, key, value);
  changes.Put(Table::kUrls, OfSite("url"), "stays");
  ASSERT_TRUE(store->Apply(changes).has_value());
  ASSERT_TRUE(store->Flush().has_value());
}

/// Where rows of sites were before.
enum class Before { kAmongHosts, kInOneFamily };

/// How far the first opening by a newer version came.
enum class Moved { kNothing, kFamilyIsMade, kFilesAreWritten };

struct Older {
  Before before;
  Moved moved;
};

/// Makes a state of before, with these rows in table hosts.
void MakeOlder(const std::filesystem::path& directory, const Rows& rows, const Older& older) {
  Fill(directory, rows);
  RawState raw(directory);
  Rows of_sites = raw.RowsOf(kSites);
  ASSERT_EQ(of_sites, OtherRowsOfSites());
  Rows latest_pages = MembersOf(raw.RowsOf(kLatestPages));
  ASSERT_EQ(latest_pages, SomeLatestPages());
  raw.DeleteAll(kOwnOfRocksdb);
  raw.Drop(kLatestPages);
  if (older.before == Before::kAmongHosts) {
    raw.Drop(kSites);
    raw.Put("hosts", of_sites);
    raw.Put("hosts", latest_pages);
    ASSERT_EQ(raw.RowsOf("hosts"), rows);
    if (older.moved != Moved::kNothing) raw.Make(kSites);
  } else {
    raw.Put(kSites, latest_pages);
  }
  if (older.moved != Moved::kNothing) raw.Make(kLatestPages);
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

class OlderState : public ::testing::TestWithParam<Older> {
 protected:
  OlderState() {
    MakeOlder(directory_.path(), rows_, GetParam());
    if (GetParam().moved == Moved::kFilesAreWritten) LeaveFiles(directory_.path());
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
  EXPECT_EQ(*(*store)->Get(Table::kHosts, LatestPageKey("host 7", 3)), "21");
  EXPECT_EQ(*(*store)->Get(Table::kHosts, LatestPageKey("host 7", 8)), std::nullopt);
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
    for (const std::string& key : std::array{OfSite("row 7"), LatestPageKey("host 20", 4)}) {
      changes.Delete(Table::kHosts, key);
      rows.erase(key);
    }
    for (const std::string& key :
         std::array{OfSite("row 8"), std::string("host"), OfSite("new"), LatestPageKey("host 7", 3),
                    LatestPageKey("host 7", 8)}) {
      changes.Put(Table::kHosts, key, "changed");
      rows[key] = "changed";
    }
    ASSERT_TRUE((*store)->Apply(changes).has_value());
    ASSERT_TRUE((*store)->Flush().has_value());
    EXPECT_EQ(AllOf(**store), rows);
  }
  {
    const RawState raw(directory_.path());
    Rows all = raw.RowsOf(kSites);
    EXPECT_EQ(all.size(), OtherRowsOfSites().size());
    all.merge(MembersOf(raw.RowsOf(kLatestPages)));
    const Rows hosts = raw.RowsOf("hosts");
    EXPECT_EQ(hosts.size(), 4U);
    all.insert(hosts.begin(), hosts.end());
    EXPECT_EQ(all, rows);
  }
  EXPECT_FALSE(std::filesystem::exists(directory_.path() / "incoming"));
  const auto store = Store::Open({.directory = directory_.path()});
  ASSERT_TRUE(store.has_value()) << store.error().message;
  EXPECT_EQ(AllOf(**store), rows);
  const std::array keys{std::string("host"),
                        std::string("www.host"),
                        std::string("nobody"),
                        OfSite("row 7"),
                        OfSite("row 8"),
                        OfSite("row 9"),
                        LatestPageKey("host 20", 4),
                        LatestPageKey("host 20", 5)};
  RowMap found;
  for (const std::string& asked : keys) found.PutIfNew(asked);
  ASSERT_TRUE((*store)->GetAll(Table::kHosts, found).has_value());
  for (const std::string& key : keys) {
    const auto row = rows.find(key);
    EXPECT_EQ(*found.Find(key), row == rows.end() ? RowMap::Value() : row->second) << key;
  }
}

INSTANTIATE_TEST_SUITE_P(States, OlderState,
                         ::testing::Values(Older{Before::kAmongHosts, Moved::kNothing},
                                           Older{Before::kAmongHosts, Moved::kFamilyIsMade},
                                           Older{Before::kAmongHosts, Moved::kFilesAreWritten},
                                           Older{Before::kInOneFamily, Moved::kNothing},
                                           Older{Before::kInOneFamily, Moved::kFamilyIsMade},
                                           Older{Before::kInOneFamily, Moved::kFilesAreWritten}));

/// The one file of a database whose name begins so.
std::filesystem::path FileNamed(const std::filesystem::path& directory, std::string_view begin) {
  std::filesystem::path found;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().filename().string().starts_with(begin)) {
      EXPECT_TRUE(found.empty()) << "two lists";
      found = entry.path();
    }
  }
  return found;
}

// RocksDB's list of families and files, which each opening begins anew.
TEST(FamiliesOfSites, AreAllThereOrMissedWhereverTheListOfFilesIsCut) {
  const TemporaryDirectory directory;
  const Rows rows = SomeRows();
  Fill(directory.path(), rows);
  ASSERT_TRUE(Store::Open({.directory = directory.path()}).has_value());
  const std::filesystem::path list = FileNamed(directory.path(), "MANIFEST");
  int refused = 0;
  constexpr std::uintmax_t kStep = testing::kIsSanitized ? 7 : 1;
  for (std::uintmax_t size = std::filesystem::file_size(list); size >= kStep;) {
    size -= kStep;
    std::filesystem::resize_file(list, size);
    const auto store = ReadOnlyStore::Open(directory.path());
    if (!store.has_value()) {
      ++refused;
      continue;
    }
    ASSERT_EQ(AllOf(**store), rows) << "cut after " << size << " bytes";
  }
  EXPECT_GT(refused, 0);
}

TEST(FamiliesOfSites, AreMissedWhereTheyWere) {
  for (const bool are_both : {false, true}) {
    const TemporaryDirectory directory;
    Fill(directory.path(), SomeRows());
    {
      RawState raw(directory.path());
      raw.Drop(kLatestPages);
      if (are_both) raw.Drop(kSites);
    }
    const auto read_only = ReadOnlyStore::Open(directory.path());
    ASSERT_FALSE(read_only.has_value());
    EXPECT_EQ(read_only.error().code, ErrorCode::kCorruption) << read_only.error().message;
    const auto store = Store::Open({.directory = directory.path()});
    ASSERT_FALSE(store.has_value());
    EXPECT_EQ(store.error().code, ErrorCode::kCorruption) << store.error().message;
  }
}

// RocksDB loses rows without a number, as "arranged" is, to merges beside a snapshot of nothing.
TEST(FamiliesOfSites, StayArrangedThroughAMergeBesideASnapshotOfNothing) {
  const TemporaryDirectory directory;
  const Rows rows = SomeRows();
  {
    const auto store = Store::Open({.directory = directory.path()}).value();
    const auto snapshot = store->MakeSnapshot();
    Changes changes;
    for (const auto& [key, value] : rows) changes.Put(Table::kHosts, key, value);
    ASSERT_TRUE(store->Apply(changes).has_value());
    store->GiveRoomBack();
    ASSERT_TRUE(store->Flush().has_value());
    store->WaitForRoom();
    EXPECT_GT(store->room_report().merged, 0U);
  }
  const auto read_only = ReadOnlyStore::Open(directory.path());
  ASSERT_TRUE(read_only.has_value());
  EXPECT_EQ(AllOf(**read_only), rows);
}

TEST(FamiliesOfSites, OfANewerVersionAreNotPassedOver) {
  const TemporaryDirectory directory;
  Fill(directory.path(), SomeRows());
  RawState(directory.path()).Make("newer");
  const auto names_it = [](const auto& opened) {
    return !opened.has_value() && opened.error().code == ErrorCode::kMismatch &&
           opened.error().message.find("made newer in it") != std::string::npos;
  };
  EXPECT_TRUE(names_it(ReadOnlyStore::Open(directory.path())));
  EXPECT_TRUE(names_it(Store::Open({.directory = directory.path()})));
}

TEST(FamiliesOfSites, SayWhereAGroupIsDamaged) {
  const TemporaryDirectory directory;
  Fill(directory.path(), SomeRows());
  const std::string key = LatestPageKey("host 20", 4);
  RawState(directory.path()).Put(kLatestPages, {{key.substr(0, key.size() - 1), "damaged"}});
  const auto store = Store::Open({.directory = directory.path()}).value();
  const auto is_corrupt = [](const auto& result) {
    return !result.has_value() && result.error().code == ErrorCode::kCorruption;
  };
  EXPECT_TRUE(is_corrupt(store->Get(Table::kHosts, key)));
  RowMap rows;
  rows.PutIfNew(key);
  EXPECT_TRUE(is_corrupt(store->GetAll(Table::kHosts, rows)));
  EXPECT_TRUE(is_corrupt(
      store->ForEach(Table::kHosts, [](std::string_view, std::string_view) { return Status(); })));
  EXPECT_EQ(*store->Get(Table::kHosts, LatestPageKey("host 21", 4)), "84");
  Changes changes;
  changes.Delete(Table::kHosts, key);
  ASSERT_TRUE(store->Apply(changes).has_value());
  EXPECT_TRUE(is_corrupt(store->Flush()));
}

TEST(FamiliesOfSites, GiveRowsTogetherInWhateverOrderTheyAreAskedFor) {
  const TemporaryDirectory directory;
  const Rows rows = SomeRows();
  Fill(directory.path(), rows);
  const auto store = Store::Open({.directory = directory.path()}).value();
  std::vector<std::string> keys;
  for (const auto& [key, value] : rows) keys.push_back(key);
  for (int host = 0; host < 40; ++host) {
    keys.push_back(LatestPageKey("host " + std::to_string(host), kMostLatestPages - 1));
    keys.push_back(LatestPageKey("nobody " + std::to_string(host), 0));
  }
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::shuffle(keys.begin(), keys.end(), std::mt19937_64(seed));
    RowMap found;
    for (const std::string& key : keys) found.PutIfNew(key);
    ASSERT_TRUE(store->GetAll(Table::kHosts, found).has_value());
    for (const std::string& key : keys) {
      const auto row = rows.find(key);
      EXPECT_EQ(*found.Find(key), row == rows.end() ? RowMap::Value() : row->second);
    }
  }
}

}  // namespace
}  // namespace crawlsieve

#include "plugin/state/database.h"

#include "plugin/state/owner_advice.h"
#include "plugin/state/read_together.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <rocksdb/cache.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

namespace crawlsieve {
namespace {

constexpr std::array<const char*, kTableCount> kTableNames = {
    "documents", "content", "urls", "hosts", "marks", "meta", "restart"};

constexpr const char* kSites = "sites";

/// What keys of table hosts begin with that are of sites, and the first byte behind these.
constexpr std::string_view kSitePrefix("\0", 1);
constexpr std::string_view kBehindSites("\1", 1);

bool IsOfSites(Table table, std::string_view key) {
  return table == Table::kHosts && key.starts_with(kSitePrefix);
}

/// RocksDB's own family, which stays empty, one for each table, in the order of Table, and that of
/// sites.
std::vector<rocksdb::ColumnFamilyDescriptor> AllFamilies(std::size_t block_cache_bytes) {
  rocksdb::BlockBasedTableOptions blocks;
  blocks.block_cache = rocksdb::NewLRUCache(block_cache_bytes);
  // Most lookups are for content and URLs never seen: the filter answers them without a read.
  blocks.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  blocks.data_block_index_type = rocksdb::BlockBasedTableOptions::kDataBlockBinaryAndHash;

  rocksdb::ColumnFamilyOptions family;
  family.compression = rocksdb::kLZ4Compression;
  family.table_factory.reset(rocksdb::NewBlockBasedTableFactory(blocks));

  // Keys that are hashes, or as good as: every file has some of everywhere. Files of about the
  // same size are merged, so that a row is written anew a few times, not at every level.
  rocksdb::ColumnFamilyOptions scattered = family;
  scattered.compaction_style = rocksdb::kCompactionStyleUniversal;

  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  families.emplace_back(rocksdb::kDefaultColumnFamilyName, family);
  for (std::size_t i = 0; i < kTableCount; ++i) {
    const auto table = static_cast<Table>(i);
    const bool is_scattered =
        table == Table::kContent || table == Table::kUrls || table == Table::kHosts;
    families.emplace_back(kTableNames[i], is_scattered ? scattered : family);
  }
  // Written once and read seldom: to look into more files costs less than to merge them.
  scattered.level0_file_num_compaction_trigger = 8;
  families.emplace_back(kSites, scattered);
  return families;
}

/// Of a state on disk; empty where that can't be read, which whoever opens it will find.
std::vector<std::string> NamesOfFamilies(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  const rocksdb::Status listed =
      rocksdb::DB::ListColumnFamilies(rocksdb::DBOptions(), directory.string(), &names);
  return listed.ok() ? names : std::vector<std::string>();
}

/// Whether a state has all families but that of sites: it was written before there was one.
bool LacksSitesAlone(const std::vector<std::string>& names) {
  return names.size() == 1 + kTableCount && std::ranges::find(names, kSites) == names.end();
}

class Silent final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char* /*format*/, va_list /*arguments*/) override {}
};

/// Writes the rows of `it` whose keys begin with `prefix` to a new file, from where it is on.
rocksdb::Status WriteRows(rocksdb::Iterator& it, std::string_view prefix, const std::string& path,
                          rocksdb::SstFileWriter& file) {
  rocksdb::Status status = file.Open(path);
  for (; status.ok() && it.Valid() && it.key().starts_with(ToSlice(prefix)); it.Next()) {
    status = file.Put(it.key(), it.value());
  }
  if (status.ok()) status = it.status();
  return status.ok() ? file.Finish() : status;
}

/// Writes a file that deletes all rows from `begin` to before `end`.
rocksdb::Status WriteDeletion(std::string_view begin, std::string_view end, const std::string& path,
                              rocksdb::SstFileWriter& file) {
  rocksdb::Status status = file.Open(path);
  if (status.ok()) status = file.DeleteRange(ToSlice(begin), ToSlice(end));
  return status.ok() ? file.Finish() : status;
}

}  // namespace

Result<std::unique_ptr<Database>> Database::Open(const std::filesystem::path& directory,
                                                 rocksdb::DBOptions options,
                                                 std::size_t block_cache_bytes) {
  // Only that one: of a database whose list of files was cut, nearly always others are missing.
  if (LacksSitesAlone(NamesOfFamilies(directory))) options.create_missing_column_families = true;
  std::unique_ptr<Database> database(new Database(directory));
  rocksdb::DB* rocksdb = nullptr;
  const rocksdb::Status opened = rocksdb::DB::Open(
      options, directory.string(), AllFamilies(block_cache_bytes), &database->families_, &rocksdb);
  CRAWLSIEVE_RETURN_IF_ERROR(database->Opened(opened, rocksdb));
  return database;
}

Result<std::unique_ptr<Database>> Database::OpenForReading(const std::filesystem::path& directory,
                                                           const rocksdb::DBOptions& options,
                                                           std::size_t block_cache_bytes) {
  std::vector<rocksdb::ColumnFamilyDescriptor> families = AllFamilies(block_cache_bytes);
  if (LacksSitesAlone(NamesOfFamilies(directory))) families.pop_back();
  std::unique_ptr<Database> database(new Database(directory));
  rocksdb::DB* rocksdb = nullptr;
  const rocksdb::Status opened = rocksdb::DB::OpenForReadOnly(options, directory.string(), families,
                                                              &database->families_, &rocksdb);
  CRAWLSIEVE_RETURN_IF_ERROR(database->Opened(opened, rocksdb));
  return database;
}

Status Database::Opened(const rocksdb::Status& status, rocksdb::DB* rocksdb) {
  rocksdb_.reset(rocksdb);
  if (status.IsInvalidArgument()) {
    return tl::unexpected(ToError(rocksdb::Status::Corruption(status.ToString()), directory_));
  }
  if (!status.ok()) return tl::unexpected(ToError(status, directory_));
  if (families_.size() > 1 + kTableCount) sites_ = families_.back();
  return LookForSitesAmongHosts();
}

Database::~Database() {
  for (rocksdb::ColumnFamilyHandle* family : families_) {
    if (rocksdb_ != nullptr) (void)rocksdb_->DestroyColumnFamilyHandle(family);
  }
}

Status Database::LookForSitesAmongHosts() {
  const std::unique_ptr<rocksdb::Iterator> it(
      rocksdb_->NewIterator(rocksdb::ReadOptions(), HomeOf(Table::kHosts)));
  it->Seek(ToSlice(kSitePrefix));
  has_sites_among_hosts_ = it->Valid() && it->key().starts_with(ToSlice(kSitePrefix));
  return it->status().ok() ? Status() : tl::unexpected(ToError(it->status(), directory_));
}

Status Database::MoveSites(const std::filesystem::path& folder) {
  rocksdb::ColumnFamilyHandle* const hosts = HomeOf(Table::kHosts);
  // In one file, because each would be a sorted run of its own.
  const std::string rows_path = folder / "sites.sst";
  const std::string gone_path = folder / "hosts.sst";
  rocksdb::SstFileWriter rows(rocksdb::EnvOptions(), rocksdb_->GetOptions(sites_), sites_);
  rocksdb::SstFileWriter gone(rocksdb::EnvOptions(), rocksdb_->GetOptions(hosts), hosts);
  rocksdb::ReadOptions read;
  read.fill_cache = false;
  const std::unique_ptr<rocksdb::Iterator> it(rocksdb_->NewIterator(read, hosts));
  it->Seek(ToSlice(kSitePrefix));
  rocksdb::Status status = WriteRows(*it, kSitePrefix, rows_path, rows);
  if (status.ok()) status = WriteDeletion(kSitePrefix, kBehindSites, gone_path, gone);
  if (status.ok()) {
    std::vector<rocksdb::IngestExternalFileArg> files(2);
    files[0].column_family = sites_;
    files[0].external_files = {rows_path};
    files[1].column_family = hosts;
    files[1].external_files = {gone_path};
    for (rocksdb::IngestExternalFileArg& file : files) {
      file.options.move_files = true;
      file.options.write_global_seqno = false;
    }
    status = rocksdb_->IngestExternalFiles(files);
  }
  if (!status.ok()) return tl::unexpected(ToError(status, directory_));
  has_sites_among_hosts_ = false;
  return {};
}

rocksdb::ColumnFamilyHandle* Database::HomeOf(Table table) const {
  return families_[1 + static_cast<std::size_t>(table)];
}

std::vector<rocksdb::ColumnFamilyHandle*> Database::FamiliesOf(Table table) const {
  if (table == Table::kHosts && sites_ != nullptr) return {HomeOf(table), sites_};
  return {HomeOf(table)};
}

rocksdb::ColumnFamilyHandle* Database::FamilyOf(Table table, std::string_view key) const {
  return IsOfSites(table, key) && !has_sites_among_hosts_ && sites_ != nullptr ? sites_
                                                                               : HomeOf(table);
}

Result<std::optional<std::string>> Database::Get(const rocksdb::ReadOptions& read, Table table,
                                                 std::string_view key) const {
  std::string value;
  const rocksdb::Status status = rocksdb_->Get(read, FamilyOf(table, key), ToSlice(key), &value);
  if (status.IsNotFound()) return std::optional<std::string>();
  if (!status.ok()) return tl::unexpected(ToError(status, directory_));
  return std::optional<std::string>(std::move(value));
}

Status Database::GetAll(Table table, std::span<const std::string_view> keys, RowMap& rows) const {
  std::vector<rocksdb::Slice> at_home;
  std::vector<rocksdb::Slice> of_sites;
  for (const std::string_view key : keys) {
    (FamilyOf(table, key) == sites_ ? of_sites : at_home).push_back(ToSlice(key));
  }
  rocksdb::Status read = ReadInOrder(*rocksdb_, HomeOf(table), std::move(at_home), rows);
  if (read.ok()) read = ReadByWalks(*rocksdb_, sites_, std::move(of_sites), rows);
  return read.ok() ? Status() : tl::unexpected(ToError(read, directory_));
}

RowIterator Database::Iterate(const rocksdb::ReadOptions& read, Table table) const {
  std::vector<std::unique_ptr<rocksdb::Iterator>> families;
  for (rocksdb::ColumnFamilyHandle* const family : FamiliesOf(table)) {
    families.emplace_back(rocksdb_->NewIterator(read, family));
  }
  return RowIterator(std::move(families));
}

Result<std::string> Database::LastKey(Table table) const {
  std::string last;
  for (rocksdb::ColumnFamilyHandle* const family : FamiliesOf(table)) {
    const std::unique_ptr<rocksdb::Iterator> it(
        rocksdb_->NewIterator(rocksdb::ReadOptions(), family));
    it->SeekToLast();
    if (it->Valid()) last = std::max(last, it->key().ToString());
    if (!it->status().ok()) return tl::unexpected(ToError(it->status(), directory_));
  }
  return last;
}

std::vector<Database::FamilyRows> Database::ByFamily(Table table,
                                                     std::vector<const RowMap::Row*> rows) const {
  std::vector<FamilyRows> parts;
  const auto home = std::stable_partition(rows.begin(), rows.end(), [&](const RowMap::Row* row) {
    return FamilyOf(table, row->key) == sites_;
  });
  if (home != rows.begin()) parts.push_back({sites_, {rows.begin(), home}});
  if (home != rows.end()) parts.push_back({HomeOf(table), {home, rows.end()}});
  return parts;
}

std::uint64_t Database::EstimateRows(Table table) const {
  std::uint64_t rows = 0;
  for (rocksdb::ColumnFamilyHandle* const family : FamiliesOf(table)) {
    std::uint64_t of_family = 0;
    rocksdb_->GetIntProperty(family, rocksdb::DB::Properties::kEstimateNumKeys, &of_family);
    rows += of_family;
  }
  return rows;
}

Error ToError(const rocksdb::Status& status, const std::filesystem::path& directory) {
  const ErrorCode code = status.IsCorruption() ? ErrorCode::kCorruption
                         : status.IsBusy()     ? ErrorCode::kBusy
                                               : ErrorCode::kIo;
  const std::string what = status.ToString();
  std::string advice;
  if (status.IsCorruption()) {
    advice =
        "; move the directory away, and the next start rebuilds the state from the admission log";
  } else if (status.IsNoSpace()) {
    advice = "; nothing is lost: once the disk has room, the next start goes on from here";
  } else if (what.find(std::strerror(EACCES)) != std::string::npos) {
    advice = OwnerAdvice(directory);
  }
  return {code, fmt::format("state in {}: {}{}", directory.string(), what, advice)};
}

std::shared_ptr<rocksdb::Logger> NoLog() { return std::make_shared<Silent>(); }

}  // namespace crawlsieve
